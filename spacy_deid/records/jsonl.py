"""JSON lines: one note per line, its text under a key; all other keys stay, byte by byte.

The "spans", "entities" and "tokens" of annotation tools are emptied, as they quote the old text or
count its characters. A withheld text becomes null, and so does a line that cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

from ..ids import id_text, patient_of
from ..text.edits import Edit, splice
from .base import Chunk, Fields, Record, RecordFormat, decode, share_known, unchanged, unreadable
from .json_nodes import Node, parse

_ABOUT_TEXT = ("spans", "entities", "tokens")
_FIRST = 10_000  # lines to look for a key in


def _read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    for number, line in enumerate(file, 1):
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            yield _chunk(line, str(number), fields)
        else:
            yield unchanged(line)


def _keys(file: BinaryIO, asked: Collection[str]) -> list[str]:
    """The keys in the first lines of a file, up to the one that has all those asked for."""
    keys: dict[str, None] = {}
    for line in islice(file, _FIRST):
        if keys.keys() >= {*asked}:
            break
        with suppress(ValueError):
            text = decode(line)[0].removeprefix("\ufeff")
            keys |= dict.fromkeys(name for name, _ in parse(text, depth=1).members)
    return list(keys)


def _chunk(line: bytes, row: str, fields: Fields) -> Chunk:
    text, error = decode(line)
    start = int(text.startswith("\ufeff"))
    if error:
        return _withheld(line, row, error)
    try:
        node = parse(text[start:], depth=1)
    except ValueError as reason:
        return _withheld(line, row, f"it is {reason}")
    names = [name for name, _ in node.members]
    missing = sorted({*fields.needed} - {*names})
    if missing:
        return _withheld(line, row, f"it has no '{missing[0]}'")
    texts = [
        (name, value)
        for name, value in node.members
        if name in fields.names and value.value is not None
    ]
    records = tuple(_record(value, row, name, node, fields) for name, value in texts)
    if fields.known:
        records = share_known(records)
    others = tuple(name for name in names if name not in (*fields.names, *_ABOUT_TEXT))

    def render(new: Sequence[str | None]) -> bytes:
        edits = [
            Edit(value.start, value.end, json.dumps(text, ensure_ascii=False))
            for (_, value), text in zip(texts, new, strict=True)
        ]
        edits += [
            Edit(value.start, value.end, "[]")
            for name, value in node.members
            if name in _ABOUT_TEXT and name not in fields.names
        ]
        return (text[:start] + splice(text[start:], edits)).encode("utf-8")

    return Chunk(records, render, len(line), others)


def _withheld(line: bytes, row: str, error: str) -> Chunk:
    return unreadable(row, error, len(line), b"null" + line[len(line.rstrip(b"\r\n")) :])


def _record(value: Node, row: str, name: str, node: Node, fields: Fields) -> Record:
    where = fields.row(row, name)
    note_id = node.get(fields.id)
    patient, ambiguous = patient_of(node.get(fields.patient) if fields.patient else None)
    phi_type = fields.type_of(name)
    text = value.value
    if phi_type and not isinstance(text, (dict, list)):
        text = id_text(text)
    readable = isinstance(text, str)
    return Record(
        text=text if readable else "",
        row=where,
        id="" if isinstance(note_id, (dict, list)) else id_text(note_id),
        patient_id=patient,
        error=ambiguous if readable else f"its '{name}' is not a string",
        note=row,
        type=phi_type,
    )


JSONL = RecordFormat("jsonl", (".jsonl",), False, _read, columns=_keys)
