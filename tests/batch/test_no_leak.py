"""What is found leaves no trace: planted PHI in thousands of wild notes, in every format."""

from __future__ import annotations

import base64
import json
import random
import re
import tempfile

import pytest
import spacy

from spacy_deid.annotation.notes import Note
from spacy_deid.batch import Patients, redact_files
from spacy_deid.corpora.i2b2 import dump
from spacy_deid.records import RECORD_FORMATS, Fields
from spacy_deid.redaction import Key

NAMES = ["Zyxander", "Quillfeather", "Brunhilda", "Oxenstierna", "Wupperman"]
FILL = [
    "came in",
    "x",
    "pain, 5/10",
    "(see)",
    "MRN:",
    '"',
    "[",
    "]]>",
    "é\u0301",
    "\U0001f600",
    "&amp;",
]
GLUE = [
    " ",
    "\n",
    "\t",
    "\r\n",
    "\r",
    ", ",
    "\u200b ",
    " \u200f",
    "\u202e",
    "\xa0",
    "\x0b",
    ' "',
    "; ",
]
BROKEN = ["BOOM ", "CRASH "]


def wild_note(draw, words):
    """A text with some of the words in it, in any case, next to anything."""
    pieces = []
    for _ in range(draw.randrange(1, 12)):
        word = draw.choice(words) if draw.random() < 0.4 else draw.choice(FILL)
        pieces.append(draw.choice([str, str.upper, str.lower, str.title])(word))
        pieces.append(draw.choice(GLUE))
    broken = draw.choice(BROKEN) if draw.random() < 0.02 else ""
    return broken + "".join(pieces)


def write_text(folder, notes):
    for number, note in enumerate(notes):
        (folder / f"{number}.txt").write_bytes(note.encode())


def write_i2b2(folder, notes):
    for number, note in enumerate(notes):
        text = re.sub("[\r\x0b]", " ", note)
        (xml,) = dump(Note("note", text)).values()
        (folder / f"{number}.xml").write_bytes(xml)


def write_jsonl(folder, notes):
    spans = [{"text": NAMES[0], "start": 0, "end": 8}]
    lines = [json.dumps({"text": note, "spans": spans}) for note in notes]
    lines[1::50] = ['{"text": "' + note for note in notes[1::50]]  # broken lines
    (folder / "a.jsonl").write_text("\n".join(lines))


def write_csv(folder, notes):
    rows = ['"' + note.replace('"', '""') + '",1' for note in notes]
    rows[1::50] = [row + "," + row for row in rows[1::50]]  # too many cells
    (folder / "a.csv").write_bytes("\r\n".join(["text,n", *rows, '"' + notes[0]]).encode())


def write_tsv(folder, notes):
    rows = ["\t".join(["1", re.sub("[\t\r\n]", " ", note).replace('"', "'")]) for note in notes]
    (folder / "a.tsv").write_text("\n".join(["n\ttext", *rows]))


def write_parquet(folder, notes):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"text": notes}), folder / "a.parquet", row_group_size=70)


def resource(note):
    data = base64.b64encode(note.encode()).decode()
    return {
        "resourceType": "DocumentReference",
        "text": {"status": "generated", "div": f"<div>{note}</div>"},
        "description": note,
        "content": [
            {"attachment": {"contentType": "text/plain", "data": data, "hash": data}},
            {"attachment": {"contentType": "text/html", "data": data}},
        ],
    }


def write_fhir(folder, notes):
    entry = [{"resource": resource(note)} for note in notes]
    (folder / "a.json").write_text(json.dumps({"resourceType": "Bundle", "entry": entry}))


def write_fhir_lines(folder, notes):
    lines = [json.dumps(resource(note)) for note in notes]
    lines[1::50] = [line[:-1] for line in lines[1::50]]
    (folder / "a.ndjson").write_text("\n".join(lines))


def write_hl7(folder, notes):
    lines = []
    for note in notes:
        lines.append("MSH|^~\\&|x")
        lines += [f"OBX|1|TX|1||{line}|" for line in re.split("[\r\n]", note.replace("|", " "))]
    (folder / "a.hl7").write_text("\r".join(lines), newline="")


WRITERS = [value for name, value in list(globals().items()) if name.startswith("write_")]


def leaks(folder, words):
    """The files that hold one of the words, as they are or in base64."""
    pattern = re.compile("|".join(words).encode(), re.IGNORECASE)
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".parquet":
                from pyarrow.parquet import read_table

                data += str(read_table(path).to_pylist()).encode()
            hidden = re.findall(rb'"data": "([^"]*)"', data)
            data += b" ".join(map(base64.b64decode, hidden))
            if pattern.search(data):
                yield path.name


@pytest.fixture
def planted():
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("toy_stream_breaker")
    nlp.add_pipe("toy_detector")
    nlp.add_pipe("toy_planted", config={"words": NAMES})
    detectors = ["toy_detector", "toy_planted"]
    nlp.add_pipe("phi_merger", config={"detectors": detectors})
    return nlp


@pytest.fixture
def places(tmp_path, monkeypatch):
    """An input folder, and one that everything a run writes is in, temporary files too."""
    source, world = tmp_path / "notes", tmp_path / "world"
    source.mkdir()
    (world / "tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(world / "tmp"))
    return source, world


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__[6:])
def test_no_planted_value_survives(planted, places, write, capfd, caplog):
    source, world = places
    draw = random.Random(write.__name__)
    notes = [wild_note(draw, NAMES) for _ in range(250)]
    write(source, notes)
    assert list(leaks(source, NAMES))
    messages = []
    summary = redact_files(
        [source],
        world / "out",
        planted,
        batch_size=7,
        on_note=lambda note: messages.append(note.error),
    )
    assert summary.notes > 200 and summary.phi["PATIENT"] > 200 and summary.withheld
    assert not list(leaks(world, NAMES))
    shown = " ".join([*messages, *capfd.readouterr(), caplog.text]).lower()
    assert not [name for name in NAMES if name.lower() in shown]


def test_every_format_is_tried():
    assert sorted(write.__name__[6:].replace("_", "-") for write in WRITERS) == sorted(
        RECORD_FORMATS
    )


@pytest.mark.parametrize("policy", ["tag", "surrogate"])
def test_no_known_value_survives(places, policy):
    nlp = spacy.blank(
        "en", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}
    )
    nlp.add_pipe("phi_known")
    nlp.add_pipe("phi_merger", config={"detectors": ["phi_known"]})
    source, world = places
    draw = random.Random(3)
    facts, lines = [], []
    for number in range(100):
        first, last = draw.sample(NAMES, 2)
        mrn = str(draw.randrange(10**7, 10**8))
        owner = {"patient_id": str(number)}
        facts.append({**owner, "type": "PATIENT", "value": f"{first} {last}"})
        facts.append({**owner, "type": "MEDICALRECORD", "value": mrn})
        for _ in range(10):
            forms = [
                first,
                last,
                f"{last}, {first}",
                f"{first} {last}",
                mrn,
                f"{mrn[:4]}-{mrn[4:]}",
            ]
            note = wild_note(draw, [first, last]) + draw.choice([" ", "\n"]) + draw.choice(forms)
            lines.append(json.dumps({"mrn": number, "text": note.removeprefix("CRASH ")}))
    (source / "a.jsonl").write_text("\n".join(lines))
    patients, key = Patients(known=facts), Key(b"0123456789abcdef")
    fields = Fields(patient="mrn")
    settings = {"fields": fields, "patients": patients, "key": key, "policy": policy}
    summary = redact_files([source], world / "out", nlp, **settings)
    assert (summary.notes, summary.withheld) == (1000, 0)
    numbers = [fact["value"] for fact in facts if fact["type"] == "MEDICALRECORD"]
    assert not list(leaks(world, [*NAMES, *numbers]))
