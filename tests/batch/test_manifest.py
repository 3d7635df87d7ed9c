from __future__ import annotations

import hashlib
import json

import pytest

from spacy_deid.batch import Patients, read_manifest, redact_files
from spacy_deid.redaction import Key

KEY = Key(b"0123456789abcdef")


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Maria came on 3/4/67, Maria.")
    (folder / "b.jsonl").write_text('{"id": "Lopez-1", "text": "none"}\n{"text": "BOOM"}\n')
    (folder / "Maria Lopez.txt").write_bytes(b"\xff")
    return folder


def lines(folder):
    return list(read_manifest(folder / "manifest.jsonl"))


def test_manifest_tells_of_the_run_and_each_note(nlp, notes, tmp_path):
    out = tmp_path / "out"
    redact_files([notes], out, nlp, key=KEY)
    run, failed, _, first, file, second, third, _, end = lines(out)
    assert run["run"]["policy"] == {"name": "tag", "default": "tag", "types": {}}
    assert run["run"]["inputs"]["files"] == 3
    assert first == {
        "output": "a.txt",
        "note": KEY.digest("note", "a.txt#").hex(),
        "phi": {"DATE": 1, "PATIENT": 2},
        "sources": {"toy_detector": 3},
        "terms": {},
        "characters": 36,
        "input_hmac": KEY.digest("input", "Maria came on 3/4/67, Maria.").hex(),
        "output_sha256": hashlib.sha256((out / "a.txt").read_bytes()).hexdigest(),
        "error": "",
    }
    digest = KEY.digest("result", first["output_sha256"]).hex()
    assert file == {"file": 2, "bytes": 36, "hash": digest}
    assert (second["output"], second["phi"], second["error"]) == ("b.jsonl#1", {}, "")
    assert (third["output"], third["output_sha256"]) == ("b.jsonl#2", "")
    assert third["error"] == "the pipe 'toy_detector' failed (ValueError)"
    assert (failed["output"], failed["error"]) == ("(file 1)", "it is not valid UTF-8")
    assert {**end["end"], "seconds": 0} == {"notes": 2, "withheld": 2, "seconds": 0}


def test_manifest_holds_no_phi_and_no_key(nlp, notes, tmp_path):
    facts = [{"patient_id": "Lopez", "type": "PATIENT", "value": "Maria Lopez"}]
    patients = Patients("name", facts)
    redact_files([notes], tmp_path / "out", nlp, key=KEY, patients=patients)
    content = (tmp_path / "out" / "manifest.jsonl").read_text()
    assert not [word for word in ("Maria", "Lopez", "3/4", "0123456789") if word in content]
    plain = {hashlib.sha256(text.encode()).hexdigest() for text in ("Maria", "Maria Lopez")}
    assert not [digest for digest in plain if digest in content]


def test_manifest_without_a_key_has_no_hash_of_the_input(nlp, notes, tmp_path, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    redact_files([notes], tmp_path / "out", nlp)
    run, *results, _ = lines(tmp_path / "out")
    assert run["run"]["key"] == ""
    assert run["run"]["inputs"] == {"files": 3, "hmac": ""}
    notes = [line for line in results if "note" in line]
    assert {(line["note"], line["input_hmac"]) for line in notes} == {("", "")}


def test_manifest_is_the_same_with_more_processes(nlp, notes, tmp_path):
    for n_process in (1, 2):
        out = tmp_path / str(n_process)
        redact_files([notes], out, nlp, key=KEY, n_process=n_process, batch_size=1)
    one, two = (lines(tmp_path / name)[1:-1] for name in ("1", "2"))
    assert json.dumps(one) == json.dumps(two)
