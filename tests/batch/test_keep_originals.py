from __future__ import annotations

import os

import pytest

from spacy_deid.batch import Patients, redact_files
from spacy_deid.batch import output as output_module
from spacy_deid.redaction import Key, RedactionError
from spacy_deid.redaction.reidentify import read_originals

pytest.importorskip("cryptography")

KEY = Key(b"0123456789abcdef")


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "110-01.txt").write_text("Maria came on 3/4/67.")
    (folder / "b.jsonl").write_text('{"id": "7-2", "text": "Lopez"}\n{"text": "BOOM"}\n')
    return folder


@pytest.mark.parametrize("n_process", [1, 2])
def test_originals_are_kept_for_those_with_the_key(nlp, notes, tmp_path, n_process):
    vault = tmp_path / "vault"
    patients = Patients("name")
    redact_files(
        [notes],
        tmp_path / "out",
        nlp,
        key=KEY,
        patients=patients,
        n_process=n_process,
        keep_originals=vault,
    )
    found = {
        one.place: (one.patient_id, one.note_id, [each.original for each in one.originals])
        for one in read_originals(vault, KEY)
    }
    assert found == {
        "110-01.txt": ("110", "110-01", ["Maria", "3/4/67"]),
        "b.jsonl#1": ("7", "7-2", ["Lopez"]),
    }
    assert b"Maria" not in vault.read_bytes()


def test_originals_are_not_kept_without_a_key_or_in_a_dry_run(nlp, notes, tmp_path, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    vault, out = tmp_path / "vault", tmp_path / "out"
    with pytest.raises(RedactionError, match="needs a key of your own"):
        redact_files([notes], out, nlp, keep_originals=vault)
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault, dry_run=True)
    assert not vault.exists() and not out.exists()


def test_originals_stand_apart_from_the_redacted_notes(nlp, notes, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(RedactionError, match="keep the originals apart"):
        redact_files([notes], out, nlp, key=KEY, keep_originals=out / "deep" / "vault")
    assert not out.exists()


def test_originals_of_another_run_are_replaced_by_force_alone(nlp, notes, tmp_path):
    vault, out = tmp_path / "vault", tmp_path / "out"
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault)
    with pytest.raises(RedactionError, match="exists already"):
        redact_files([notes], tmp_path / "other", nlp, key=KEY, keep_originals=vault)
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault, force=True)
    assert len(list(read_originals(vault, KEY))) == 2


def test_a_run_that_ended_before_its_originals_were_there_begins_anew(
    nlp, notes, tmp_path, monkeypatch
):
    vault, out = tmp_path / "vault", tmp_path / "out"
    replace = os.replace

    def fail(source, target):
        if target == vault:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "replace", fail)
        redact_files([notes], out, nlp, key=KEY, keep_originals=vault)
    assert (out / ".spacy-deid" / "state.json").exists() and not vault.exists()
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault, resume=True)
    assert len(list(read_originals(vault, KEY))) == 2


def test_a_run_whose_originals_are_lost_is_not_resumed(nlp, notes, tmp_path, monkeypatch):
    monkeypatch.setattr(output_module, "_EVERY", 1)
    vault, out = tmp_path / "vault", tmp_path / "out"

    def stop(result):
        if result.source.name == "b.jsonl":  # the file before is done, and saved
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        redact_files([notes], out, nlp, key=KEY, keep_originals=vault, on_note=stop, batch_size=1)
    vault.unlink()
    with pytest.raises(RedactionError, match="differs from the one before in its originals"):
        redact_files([notes], out, nlp, key=KEY, keep_originals=vault, resume=True)


def test_no_other_file_is_replaced_by_originals(nlp, notes, tmp_path):
    first = sorted(notes.iterdir())[0]
    before = first.read_bytes()
    with pytest.raises(RedactionError, match="lies among the notes"):
        redact_files([notes], tmp_path / "out", nlp, key=KEY, keep_originals=first, force=True)
    assert first.read_bytes() == before and not (tmp_path / "out").exists()
    other = tmp_path / "other"
    other.write_text("x")
    with pytest.raises(RedactionError, match="not a file of originals"):
        redact_files([notes], tmp_path / "out", nlp, key=KEY, keep_originals=other, force=True)
    assert other.read_text() == "x" and not (tmp_path / "out").exists()


def test_a_run_that_is_refused_leaves_the_originals_as_they_are(nlp, notes, tmp_path, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    vault, out = tmp_path / "vault", tmp_path / "out"
    redact_files([notes], out, nlp, key=KEY)
    with pytest.raises(RedactionError, match="exists already"):
        redact_files([notes], out, nlp, key=KEY, keep_originals=vault)
    assert not vault.exists()
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault, force=True)
    before = vault.read_bytes()
    with pytest.raises(RedactionError, match="needs a key of your own"):
        redact_files([notes], out, nlp, keep_originals=vault, force=True)
    assert vault.read_bytes() == before
    with pytest.raises(RedactionError, match="no such folder"):
        redact_files([notes], tmp_path / "new", nlp, key=KEY, keep_originals=tmp_path / "a" / "b")
    assert not (tmp_path / "new").exists()


def test_a_run_is_resumed_only_with_its_own_originals(nlp, notes, tmp_path):
    vault, out = tmp_path / "vault", tmp_path / "out"
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault)
    redact_files([notes], tmp_path / "2", nlp, key=KEY, keep_originals=tmp_path / "vault2")
    before = vault.read_bytes()
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault, resume=True)
    assert vault.read_bytes() == before
    for other in ("vault2", "new"):
        with pytest.raises(RedactionError, match="in its originals"):
            path = tmp_path / other
            redact_files([notes], out, nlp, key=KEY, keep_originals=path, resume=True)
    assert not (tmp_path / "new").exists()


def test_a_run_without_originals_is_not_resumed_with_them(nlp, notes, tmp_path):
    vault, out = tmp_path / "vault", tmp_path / "out"
    redact_files([notes], out, nlp, key=KEY)
    with pytest.raises(RedactionError, match="originals"):
        redact_files([notes], out, nlp, key=KEY, keep_originals=vault, resume=True)
