"""A name has one surrogate in the fields and the texts of a record, in every format."""

from __future__ import annotations

import io
import json
import re

import pytest
import spacy

from spacy_deid.batch import redact_files
from spacy_deid.files import FormatError
from spacy_deid.records import RECORD_FORMATS, Fields
from spacy_deid.records.base import Chunk, Record

ROWS = [("WHITACRE", "Whitacre came."), ("WHITACRE", "Whitacre left.")]
LINES = [json.dumps({"name": name, "text": text}) for name, text in ROWS]
RESOURCES = [
    {
        "resourceType": "Patient",
        "name": [{"family": name}],
        "contained": [{"resourceType": "DocumentReference", "description": text}],
    }
    for name, text in ROWS
]
BUNDLE = {"resourceType": "Bundle", "entry": [{"resource": each} for each in RESOURCES]}
RECORDS = {
    "jsonl": "\n".join(LINES),
    "csv": "\n".join(["name,text", *(f'{name},"{text}"' for name, text in ROWS)]),
    "tsv": "\n".join(["name\ttext", *map("\t".join, ROWS)]),
    "parquet": repr([{"name": name, "text": text} for name, text in ROWS]),
    "fhir": json.dumps(BUNDLE),
    "fhir-lines": "\n".join(map(json.dumps, RESOURCES)),
    "hl7": "\r".join(f"MSH|^~\\&|\rPID|1||||{name}\rOBX|1|TX|||{text}|" for name, text in ROWS),
}
"""Two notes in each format, with a name in a field and in the text beside it."""


def written(name, data):
    """A file of a format; that of Parquet is built from the rows in `data`."""
    if name != "parquet":
        return data.encode()
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    pq.write_table(pa.table({"name": [a for a, _ in ROWS], "text": [b for _, b in ROWS]}), file)
    return file.getvalue()


def read(name, data):
    """The content of a file, as in `RECORDS`."""
    if name != "parquet":
        return data.decode()
    return repr(pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(data)).to_pylist())


def test_every_format_with_fields_is_tried():
    with_fields = {n for n, each in RECORD_FORMATS.items() if each.structured or each.columns}
    assert {*RECORDS} == with_fields


@pytest.mark.parametrize("name", RECORDS)
def test_a_name_in_a_field_and_in_the_text_beside_it_has_one_surrogate(name, tmp_path):
    nlp = spacy.blank(
        "en", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}
    )
    nlp.add_pipe("phi_known")
    nlp.add_pipe("phi_merger", config={"detectors": ["phi_known"]})
    structured = RECORD_FORMATS[name].structured
    types = () if structured else (("name", "PATIENT"),)
    source = tmp_path / f"a{RECORD_FORMATS[name].suffixes[0]}"
    source.write_bytes(written(name, RECORDS[name]))
    redact_files(
        [source],
        tmp_path / "out",
        nlp,
        fields=Fields(types=types, structured=structured, known=True),
        key="a key of sixteen bytes",
        policy="surrogate",
    )
    pattern = re.sub("whitacre", "([A-Za-z]+)", re.escape(RECORDS[name]), flags=re.IGNORECASE)
    names = re.fullmatch(pattern, read(name, (tmp_path / "out" / source.name).read_bytes()))
    assert names, "what stands around the names has changed"
    field, text, other_field, other_text = (each.lower() for each in names.groups())
    assert field == text != "whitacre" and other_field == other_text != "whitacre"


def test_a_chunk_of_several_texts_says_to_which_notes_they_belong():
    field = Record(text="WHITACRE", note="1", type="PATIENT")
    with pytest.raises(FormatError, match="to which notes its texts belong"):
        Chunk((field, Record(text="Whitacre came.")), lambda _: b"", 0)
