"""What reaches the terminal: no control characters, no cells, and hints as they are typed."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.batch import read_known, redact_files
from spacy_deid.batch.report import read_run
from spacy_deid.cli import app
from spacy_deid.corpora import write_notes
from spacy_deid.files import FormatError
from spacy_deid.records import RECORD_FORMATS, Fields
from spacy_deid.redaction import Key, RedactionError
from spacy_deid.redaction.reidentify import OriginalsFile

EVIL = "e\x1b[31m\x07\x9b\u202evil"
TABLES = [each for each in RECORD_FORMATS.values() if each.columns]
CONTROLS = "\x1b\x07\x9b\u202e\u2066\r"


def clean(result):
    shown = result.stdout + (result.stderr if result.stderr_bytes is not None else "")
    return not set(CONTROLS) & set(shown) and "e\\x1b[31m\\x07\\x9b\\u202evil" in "".join(
        shown.split()
    )


@pytest.fixture
def run(model, tmp_path):
    """Redacts into `out`; gives exit code and the message in one line."""

    def run(*args):
        args = ["redact", *args, "--out", tmp_path / "out", "--model", model]
        result = CliRunner().invoke(app, list(map(str, args)))
        return result.exit_code, " ".join(result.output.split())

    return run


def invoke(*args):
    return CliRunner().invoke(app, list(map(str, args)))


def test_names_of_files_are_escaped(model, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / f"{EVIL}.txt").write_bytes(b"\xff")
    (folder / f"a.{EVIL}").write_text("x")
    out = tmp_path / "out"
    result = invoke("redact", folder, "--out", out, "--model", model, "--verbose")
    assert result.exit_code == 1 and clean(result)
    for args in (
        ["redact", tmp_path / f"{EVIL}.txt", "--out", out, "--model", model],
        ["redact", folder, "--out", out, "--model", tmp_path / EVIL],
        ["redact", folder, "--out", out, "--model", model, "--policy", EVIL],
        ["redact", folder, "--out", out, "--model", model, "--known", EVIL],
        ["show", folder, "--out", tmp_path / "page.html", "--model", model],
        ["show", tmp_path / EVIL],
        ["convert", tmp_path / EVIL, out / "a.jsonl"],
        ["evaluate", tmp_path / EVIL, model],
        ["compare", tmp_path / EVIL, model],
        ["report", tmp_path / EVIL],
        ["reidentify", tmp_path / EVIL, "--key-file", model / "config.cfg"],
    ):
        assert clean(invoke(*args)), args


def test_names_of_columns_and_ids_of_notes_are_escaped(model, tmp_path):
    visits = tmp_path / "visits.jsonl"
    visits.write_text(json.dumps({"text": "Maria", EVIL: 1}) + "\n")
    assert clean(invoke("redact", visits, "--out", tmp_path / "out", "--model", model))
    notes = tmp_path / "notes.jsonl"
    notes.write_text(json.dumps({"id": EVIL, "text": "BOOM", "spans": []}) + "\n")
    assert clean(invoke("convert", notes, tmp_path / "brat", "--to", "brat"))
    assert clean(invoke("show", notes, "--out", tmp_path / "page.html", "--model", model))
    write_notes([Note(EVIL, "Maria", (PhiSpan(0, 5, "PATIENT"),))], tmp_path / "gold.jsonl")
    write_notes([Note(EVIL, "Maria", ())], tmp_path / "system.jsonl")
    corpora = [tmp_path / "gold.jsonl", tmp_path / "system.jsonl"]
    assert clean(invoke("evaluate", *corpora, "--resamples", 0, "--show-context"))


def test_originals_are_escaped_on_a_terminal_alone(tmp_path, monkeypatch):
    pytest.importorskip("cryptography")
    from spacy_deid.annotation.notes import PhiSpan
    from spacy_deid.redaction import Redactor, find_policy

    key = Key(b"0123456789abcdef")
    vault = OriginalsFile.open(tmp_path / "vault", key)
    redacted = Redactor(find_policy("tag"), key).redact(EVIL, [PhiSpan(0, len(EVIL), "PATIENT")])
    vault.append("a.txt", "", EVIL, EVIL, redacted)
    vault.close()
    (tmp_path / "key").write_text("0123456789abcdef")
    args = ("reidentify", tmp_path / "vault", "--key-file", tmp_path / "key")
    assert EVIL in invoke(*args).stdout
    monkeypatch.setattr("spacy_deid.cli.reidentify._is_terminal", lambda: True)
    assert clean(invoke(*args))


@pytest.mark.parametrize(
    "option, name",
    [("--text-column", "nte"), ("--patient-column", "mnr"), ("--id-column", "idd")],
)
@pytest.mark.parametrize("suffix", [each.suffixes[0] for each in TABLES])
def test_a_wrong_column_is_told_before_anything_is_written(run, tmp_path, option, name, suffix):
    visits, out = tmp_path / f"visits{suffix}", tmp_path / "out"
    row = {"id": "1", "mrn": "7", "note": "Maria Lopez came"}
    if suffix == ".jsonl":
        visits.write_text(json.dumps(row) + "\n")
    elif suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({key: [row[key]] for key in row}), visits)
    else:
        sign = "," if suffix == ".csv" else "\t"
        visits.write_text("".join(f"{sign.join(cells)}\n" for cells in (row, row.values())))
    right = [] if option == "--text-column" else ["--text-column", "note"]
    code, message = run(visits, *right, option, name)
    assert (code, out.exists()) == (2, False)
    assert f"has no column '{name}' ({option}); its columns are id, mrn, note" in message
    assert "Maria" not in message
    assert run(visits, "--text-column", "note", "--patient-column", "mrn")[0] == 0


@pytest.mark.parametrize(
    "first",
    [
        "4711,Maria Lopez,seen today",
        "Lopez,Maria,F",
        "Lopez Maria,progress note,stable",
        "id,Maria Lopez 412555,note",
        "id,note,Seen on 3/4/67 for a cough that would not go away at all since winter",
    ],
)
def test_cells_of_a_file_without_a_header_are_not_told(run, tmp_path, first):
    visits = tmp_path / "visits.csv"
    visits.write_text(f"{first}\n{first}\n")
    code, message = run(visits, "--text-column", "text")
    assert code == 2 and "its 3 columns are not named here" in message
    assert not [word for word in ("Maria", "Lopez", "stable", "4711", "3/4") if word in message]


@pytest.mark.parametrize(
    "header", ["Patient ID,Note Text,Zip2", "pid,note_text,x", "a,patientId,b"]
)
def test_names_of_columns_are_told(run, tmp_path, header):
    (tmp_path / "visits.csv").write_text(f"{header}\n1,2,3\n")
    _, message = run(tmp_path / "visits.csv")
    assert f"its columns are {header.replace(',', ', ')}" in message


def test_one_file_without_the_column_does_not_stop_the_others(nlp, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.csv").write_text("code,meaning\n1,x\n")
    (notes / "b.csv").write_text("id,text\n1,Maria\n")
    (notes / "c.txt").write_text("Maria")
    summary = redact_files([notes], tmp_path / "one", nlp)
    assert (summary.notes, summary.withheld) == (2, 1)
    (notes / "b.csv").unlink()
    summary = redact_files([notes], tmp_path / "two", nlp)
    assert (summary.notes, summary.withheld) == (1, 1)
    with pytest.raises(RedactionError, match=r"no column 'note' \(`fields\.text`\)"):
        redact_files([notes], tmp_path / "three", nlp, fields=Fields(("note",)))


def test_hints_are_what_is_typed(run, nlp, tmp_path):
    note, out = tmp_path / "a.txt", tmp_path / "out"
    note.write_text("Maria")
    assert run(note)[0] == 0
    code, message = run(note)
    assert code == 2 and "or use --force to replace" in message
    with pytest.raises(RedactionError, match="or use `force=True` to replace"):
        redact_files([note], out, nlp)
    code, message = run(tmp_path / "model" / "meta.json", "--format", "nope")
    assert code == 2 and "unknown format 'nope'" in message
    (tmp_path / "a.doc").write_text("Maria")
    code, message = run(tmp_path / "a.doc")
    assert code == 2 and message.endswith("choose one with --format")
    code, message = run(tmp_path / "limit=5 force=True")
    assert code == 2 and "limit=5 force=True" in message
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("{}\n")
    result = invoke("convert", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert result.exit_code == 2 and "--force" in result.output


@pytest.mark.parametrize("inside", [False, True])
def test_out_that_is_a_file(run, tmp_path, inside):
    (tmp_path / "a.txt").write_text("Maria")
    (tmp_path / "out").write_text("mine")
    if inside:
        (tmp_path / "out").rename(tmp_path / "file")
        (tmp_path / "out").symlink_to(tmp_path / "file" / "deep")
    code, message = run(tmp_path / "a.txt")
    name = "file" if inside else "out"
    assert code == 2 and message.endswith(f"{tmp_path / name} is not a folder")
    assert "the output folder" in message and "--resume" not in message
    assert (tmp_path / name).read_text() == "mine"


def test_an_over_long_known_value(tmp_path):
    known = tmp_path / "known.csv"
    known.write_text(f"patient_id,type,value\n1,PATIENT,Maria\n2,PATIENT,{'Lopez' * 50_000}\n")
    with pytest.raises(FormatError, match="line 3: a value is longer than 131,072") as caught:
        read_known(known)
    assert "Lopez" not in str(caught.value)


def test_an_empty_manifest(run, tmp_path):
    (tmp_path / "a.txt").write_text("Maria")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.jsonl").write_text("")
    code, message = run(tmp_path / "a.txt", "--resume")
    assert code == 2 and "manifest.jsonl is empty; start over with --force" in message
    with pytest.raises(ValueError, match="it is empty"):
        read_run(tmp_path / "out")
    assert run(tmp_path / "a.txt", "--force")[0] == 0


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_deep_fhir(nlp, tmp_path, depth):
    deep = "[" * depth + "]" * depth
    (tmp_path / "a.json").write_text(f'{{"resourceType": "Bundle", "entry": {deep}}}')
    summary = redact_files([tmp_path / "a.json"], tmp_path / "out", nlp)
    assert summary.failures[0].error == "it is nested too deeply to be read"
