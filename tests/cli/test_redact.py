from __future__ import annotations

import pytest
import spacy
from typer.testing import CliRunner

from spacy_deid.cli import app

runner = CliRunner()


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Maria and Maria\n")
    (folder / "b.txt").write_text("nobody")
    return folder


def redact(*args):
    return runner.invoke(app, ["redact", *map(str, args)])


def test_redact_cli(model, notes, tmp_path):
    result = redact(notes, "--out", tmp_path / "out", "--model", model)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "a.txt").read_text() == "[PATIENT] and [PATIENT]\n"
    assert "Notes redacted: 2" in result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert ["PATIENT", "2"] in rows and ["all", "2"] in rows
    assert "a.txt" not in result.stdout
    assert "note/s" not in result.stderr  # no progress bar where nobody watches


def test_redact_cli_verbose_and_mask(model, notes, tmp_path):
    out = tmp_path / "out"
    result = redact(notes, "-o", out, "-m", model, "--policy", "mask", "--verbose")
    assert (out / "a.txt").read_text() == "***** and *****\n"
    assert f"{notes / 'a.txt'}: PATIENT 2 -> {out / 'a.txt'}" in result.stdout
    assert f"{notes / 'b.txt'}: no PHI -> {out / 'b.txt'}" in result.stdout


@pytest.mark.parametrize("threshold, expected", [("0.9", "[PATIENT] and"), ("0.91", "Maria and")])
def test_redact_cli_threshold(model, notes, tmp_path, threshold, expected):
    args = ["--model", model, "--threshold", threshold, "--n-process", 2]
    assert redact(notes, "--out", tmp_path / "out", *args).exit_code == 0
    assert (tmp_path / "out" / "a.txt").read_text().startswith(expected)


def test_redact_cli_threshold_needs_a_merger(notes, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    args = ["--model", tmp_path / "blank", "--threshold", "0.2"]
    result = redact(notes, "--out", tmp_path / "out", *args)
    assert result.exit_code == 2 and "phi_merger" in result.output


def test_redact_cli_failed_note(model, notes, tmp_path):
    (notes / "bad.txt").write_text("BOOM Maria")
    (notes / "latin.txt").write_bytes(b"\xe9")
    result = redact(notes, "--out", tmp_path / "out", "--model", model)
    assert result.exit_code == 1
    assert "Notes withheld: 2" in result.output
    assert "bad.txt: the pipe 'toy_detector' failed (ValueError)" in result.output
    assert "latin.txt: it is not valid UTF-8" in result.output
    assert "BOOM" not in result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "a.txt",
        "b.txt",
        "manifest.jsonl",
    ]


def test_redact_cli_force(model, notes, tmp_path):
    args = [notes, "--out", tmp_path / "out", "--model", model]
    assert redact(*args).exit_code == 0
    again = redact(*args)
    assert again.exit_code == 2
    assert "exists already" in " ".join(again.output.split())
    assert redact(*args, "--force").exit_code == 0


@pytest.mark.parametrize(
    "args, message",
    [
        (["--model", "no_such_model"], "pip install no_such_model-VERSION"),
        (["--policy", "blur"], "unknown style"),
        (["--n-process", "0"], "n-process"),
    ],
)
def test_redact_cli_usage_errors(model, notes, tmp_path, args, message):
    result = redact(notes, "--out", tmp_path / "out", "--model", model, *args)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", ["--structured", "--known-from-record"])
@pytest.mark.parametrize("name", ["a.txt", "c.csv"])
def test_redact_cli_structured_fields_are_of_some_file(model, notes, tmp_path, option, name):
    (notes / "c.csv").write_text("text,name\nMaria,Pia\n")
    args = ["--out", tmp_path / "out", "--model", model, option]
    result = redact(notes / name, *args)
    assert result.exit_code == 2 and not (tmp_path / "out").exists()
    assert (
        f"{option} is for the fields of fhir, fhir-lines, hl7, and no file is of these formats; "
        "choose one with --format, or name columns with --redact-columns"
    ) in " ".join(result.output.split())
    stream = ["redact", "-", "--model", str(model), option]
    assert runner.invoke(app, stream, input="Maria").exit_code == 2
    (notes / "d.hl7").write_text("MSH|^~\\&|A\rNTE|||Maria came\r")
    assert redact(notes, *args).exit_code == 0


def test_redact_cli_columns_may_be_known_data(model, notes, tmp_path):
    (notes / "c.csv").write_text("text,name\nMaria,Pia\n")
    args = ["--out", tmp_path / "out", "--model", model, "--known-from-record"]
    assert redact(notes, *args, "--redact-columns", "name=PATIENT").exit_code == 0


@pytest.mark.parametrize("inputs", [".", "key.txt"])
def test_redact_cli_refuses_a_key_among_the_notes(model, notes, tmp_path, monkeypatch, inputs):
    monkeypatch.chdir(notes)
    (notes / "key.txt").write_text("k" * 32)
    result = redact(inputs, "--out", tmp_path / "out", "--model", model, "--key-file", "key.txt")
    assert result.exit_code == 2 and not (tmp_path / "out").exists()
    assert "key.txt lies among the notes" in " ".join(result.output.split())


def test_redact_cli_neither_reads_nor_replaces_what_is_secret(model, notes, tmp_path):
    key, known, terms = tmp_path / "a.txt", notes / "known.txt", notes / "terms.txt"
    key.write_text("k" * 32)
    known.write_text("patient_id,type,value\n1,PATIENT,Maria\n")
    terms.write_text("type,term\nPATIENT,Maria\n")
    args = [notes, "--model", model, "--force", "--out", tmp_path / "out"]
    (notes / "link.txt").symlink_to(key)
    for option, path in (("--key-file", key), ("--known", known), ("--terms", terms)):
        result = redact(*args, option, path)
        assert result.exit_code == 2 and not (tmp_path / "out").exists()
        assert f"{path.name} lies among the notes" in " ".join(result.output.split())
    args = [notes / "a.txt", "--model", model, "--force", "--out", tmp_path]
    result = redact(*args, "--key-file", key)
    assert result.exit_code == 2 and "a result would overwrite" in result.output
    assert key.read_text() == "k" * 32


def test_redact_cli_takes_a_key_beside_the_notes_that_is_none(model, notes, tmp_path):
    (notes / "deid.key").write_text("k" * 32)
    args = [notes, "--out", tmp_path / "out", "--model", model, "--key-file", notes / "deid.key"]
    assert redact(*args).exit_code == 0
    assert not (tmp_path / "out" / "deid.key").exists()


def test_redact_cli_csv(model, tmp_path):
    source = tmp_path / "visits.csv"
    source.write_bytes(b'mrn,note,by\r\n1,"Maria, twice",Lopez\r\n2,nobody,x\r\n')
    args = [source, "--out", tmp_path / "out", "--model", model]
    result = redact(*args, "--text-column", "note", "--patient-column", "mrn")
    assert result.exit_code == 0, result.output
    expected = b'mrn,note,by\r\n1,"[PATIENT], twice",Lopez\r\n2,nobody,x\r\n'
    assert (tmp_path / "out" / "visits.csv").read_bytes() == expected
    assert "not searched for PHI: mrn, by" in result.stdout


def test_redact_cli_wrong_column_leaves_nothing_and_the_right_one_runs(model, tmp_path):
    source, out = tmp_path / "visits.csv", tmp_path / "out"
    source.write_text("mrn,note\n1,Maria\n")
    for name, option in (("notes", "--text-column"), ("pid", "--patient-column")):
        columns = ["--text-column", "note", option, name][2 * (option == "--text-column") :]
        wrong = redact(source, "--out", out, "--model", model, *columns)
        words = " ".join(wrong.output.split())
        assert wrong.exit_code == 2 and not out.exists()
        assert f"no column '{name}' ({option}); its columns are mrn, note" in words
    assert redact(source, "--out", out, "--model", model, "--text-column", "note").exit_code == 0
    args = ["redact", "-", "--model", str(model), "--format", "csv"]
    piped = runner.invoke(app, args, input=source.read_bytes())
    assert "no column 'text' (--text-column); its columns are mrn, note" in piped.stderr


def test_redact_cli_standard_input(model):
    def run(data, *args):
        args = ["redact", "-", "--model", str(model), *args]
        return runner.invoke(app, args, input=data)

    plain = run(b"Maria\r\n")
    assert (plain.exit_code, plain.stdout_bytes) == (0, b"[PATIENT]\r\n")
    assert "Notes redacted: 1" in plain.stderr
    lines = run(b'{"text": "Maria"}\n{"text": "BOOM"}\n', "--format", "jsonl")
    assert lines.exit_code == 1
    assert lines.stdout_bytes == b'{"text": "[PATIENT]"}\n{"text": null}\n'
    assert "-#2: the pipe 'toy_detector' failed (ValueError)" in lines.stderr
    failed = run(b"BOOM")
    assert (failed.exit_code, failed.stdout_bytes) == (1, b"")
    assert run(b"Maria", "--resume").exit_code == 2
    nowhere = run(b"Maria", "--patient-id-from", "folder")
    assert nowhere.exit_code == 2
    assert "without a folder; leave out --patient-id-from" in " ".join(nowhere.stderr.split())


def test_redact_cli_says_whose_known_phi_was_never_looked_for(model, tmp_path):
    source, facts = tmp_path / "visits.csv", tmp_path / "known.csv"
    source.write_bytes(b"mrn,text\n1,Chen\n2,nobody\n")
    facts.write_text("patient_id,type,value\n1,PATIENT,Chen\n9,PATIENT,Smith\n")
    args = [source, "--model", model, "--known", facts, "--out"]
    lost = redact(*args, tmp_path / "a")
    assert "whose id no note has: 2;" in " ".join(lost.stdout.split())
    met = redact(*args, tmp_path / "b", "--patient-column", "mrn")
    assert "whose id no note has: 1;" in " ".join(met.stdout.split())
    assert (tmp_path / "b" / "visits.csv").read_bytes() == b"mrn,text\n1,[PATIENT]\n2,nobody\n"


def test_redact_cli_errors_stay_out_of_the_result(model):
    args = ["redact", "-", "--model", str(model), "--policy", "nope"]
    result = runner.invoke(app, args, input=b"Maria")
    assert (result.exit_code, result.stdout_bytes) == (2, b"")
    assert "nope" in result.stderr


def test_redact_cli_known(model, notes, tmp_path):
    facts = tmp_path / "facts.csv"
    facts.write_text("note_id,type,value\nb,mrn,12345\n")
    (notes / "b.txt").write_text("MRN 77182 of Lisa Gomez")
    args = [notes, "--out", tmp_path / "out", "--model", model, "--known", facts]
    wrong = redact(*args)
    assert wrong.exit_code == 2 and "is not a PHI type" in wrong.output
    facts.write_text("note_id,type,value\nb,MEDICALRECORD,77182\nb,patient,Lisa Gomez\n")
    assert redact(*args).exit_code == 0
    assert (tmp_path / "out" / "b.txt").read_text() == "MRN [MEDICALRECORD] of [PATIENT]"


def test_redact_cli_dry_run_and_limit(model, notes, tmp_path):
    args = [notes, "--out", tmp_path / "out", "--model", model, "--limit", "1"]
    result = redact(*args, "--dry-run")
    assert result.exit_code == 0 and "Notes redacted: 1" in result.output
    assert not (tmp_path / "out").exists()
    assert redact(*args).exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "manifest.jsonl"]


def test_redact_cli_help_has_examples():
    result = redact("--help")
    assert result.exit_code == 0
    assert "spacy-deid redact notes/ --out redacted/" in result.output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--n-process", 2), "--gpu 0 takes one process, not 2; leave out --n-process"),
        ((), "GPU 0 cannot be used"),
    ],
)
def test_redact_cli_without_a_gpu(model, notes, tmp_path, monkeypatch, args, message):
    monkeypatch.setattr("thinc.compat.has_torch_cuda_gpu", False)
    monkeypatch.setattr("thinc.compat.has_torch_mps_gpu", False)
    result = redact(notes, "--out", tmp_path / "out", "--model", model, "--gpu", 0, *args)
    assert result.exit_code == 2 and message in result.output
    assert not (tmp_path / "out").exists()


def test_redact_cli_gpu_needs_torch(model, notes, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.gpu.find_spec", lambda name: None)
    result = redact(notes, "--out", tmp_path / "out", "--model", model, "--gpu", 0)
    assert result.exit_code == 2 and 'pip install "spacy_deid[train]"' in result.output


def test_redact_cli_gpu(model, notes, tmp_path, monkeypatch):
    required: list[int] = []
    monkeypatch.setattr("thinc.compat.has_torch_cuda_gpu", True)
    monkeypatch.setattr("spacy.require_gpu", required.append)
    result = redact(notes, "--out", tmp_path / "out", "--model", model, "--gpu", 1)
    assert result.exit_code == 0 and required == [1]
    assert (tmp_path / "out" / "a.txt").read_text() == "[PATIENT] and [PATIENT]\n"
