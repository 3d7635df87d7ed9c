"""Formats tried with a stand-in for redaction: upper case, and nothing for what is withheld."""

from __future__ import annotations

import io

from spacy_deid.records import RECORD_FORMATS, Fields


def run(name, data, fields=None, new=str.upper):
    """The records of some bytes, and the bytes with their texts changed."""
    records, out = [], b""
    for chunk in RECORD_FORMATS[name].read(io.BytesIO(data), fields or Fields()):
        records += chunk.records
        texts = [None if record.error else new(record.text) for record in chunk.records]
        out += chunk.render(texts)
    return records, out


def texts(records):
    """The texts of records that can be read."""
    return [record.text for record in records if not record.error]


def errors(records):
    """What is wrong with the others, by row."""
    return {record.row: record.error for record in records if record.error}
