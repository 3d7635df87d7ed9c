from __future__ import annotations

import pytest

from spacy_deid.batch import People, read_manifest, redact_files
from spacy_deid.redaction import Key, RedactionError
from spacy_deid.redaction.reidentify import read_vault

pytest.importorskip("cryptography")

KEY = Key(b"0123456789abcdef")


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    (folder / "7").mkdir(parents=True)
    (folder / "7" / "a.txt").write_bytes(b"\xef\xbb\xbfMaria came\r\non 3/4/67.")
    (folder / "b.jsonl").write_text(
        '{"id": "8-1", "text": "Lopez"}\n{"id": "8-2", "text": "BOOM"}\n{"id": "", "text": ""}\n'
    )
    (folder / "c.txt").write_bytes(b"\xff")
    return folder


@pytest.fixture
def vault(tmp_path):
    return tmp_path / "apart" / "run.vault"


def originals(vault):
    return {i.place: [o.original for o in i.originals] for i in read_vault(vault, KEY)}


EXPECTED = {"7/a.txt": ["Maria", "3/4/67"], "b.jsonl#1": ["Lopez"], "b.jsonl#3": []}


@pytest.mark.parametrize("n_process", [1, 2])
def test_originals_of_a_run(nlp, notes, vault, tmp_path, n_process):
    out = tmp_path / "out"
    people = People("folder")
    redact_files([notes], out, nlp, key=KEY, people=people, reidentify=vault, n_process=n_process)
    assert originals(vault) == EXPECTED
    places = [line["output"] for line in read_manifest(out / "manifest.jsonl") if "error" in line]
    assert set(EXPECTED) == set(places) - {"b.jsonl#2", "(file 2)"}
    found = {identity.place: identity for identity in read_vault(vault, KEY)}
    first = found["7/a.txt"]
    assert (first.patient_id, first.note_id) == ("7", "a")
    assert found["b.jsonl#1"].note_id == "8-1"
    text = (out / "7" / "a.txt").read_bytes().decode()
    old = (notes / "7" / "a.txt").read_bytes().decode()
    for row in first.originals:
        assert old[row.start : row.end] == row.original
        assert text[row.new_start : row.new_end] == row.surrogate


def test_originals_of_a_resumed_run(nlp, notes, vault, tmp_path):
    """Whichever note it stopped at, all are there, each once."""
    for stop in range(1, 6):
        out, file, left = tmp_path / f"out{stop}", vault.with_name(f"{stop}.vault"), [stop]

        def count(result, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        options = {"key": KEY, "reidentify": file}
        if stop < 5:
            with pytest.raises(KeyboardInterrupt):
                redact_files([notes], out, nlp, **options, on_note=count)
        with file.open("ab") if file.exists() else open(tmp_path / "x", "wb") as half:
            half.write(b'{"place": "7/a.t')
        redact_files([notes], out, nlp, **options, resume=True)
        assert originals(file) == EXPECTED


def test_originals_are_replaced_by_force_alone(nlp, notes, vault, tmp_path):
    redact_files([notes], tmp_path / "a", nlp, key=KEY, reidentify=vault)
    with pytest.raises(RedactionError, match="exists already; use 'force'"):
        redact_files([notes], tmp_path / "b", nlp, key=KEY, reidentify=vault)
    assert not (tmp_path / "b").exists()
    other = notes / "7" / "a.txt"
    redact_files([other], tmp_path / "b", nlp, key=KEY, reidentify=vault, force=True)
    assert originals(vault) == {"a.txt": ["Maria", "3/4/67"]}


def test_originals_never_replace_other_files(nlp, notes, tmp_path):
    note = notes / "7" / "a.txt"
    before = note.read_bytes()
    with pytest.raises(RedactionError, match="is no re-identification file"):
        redact_files([notes], tmp_path / "out", nlp, key=KEY, reidentify=note, force=True)
    assert note.read_bytes() == before


def test_originals_stay_apart_from_the_results(nlp, notes, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(RedactionError, match="keep it apart"):
        redact_files([notes], out, nlp, key=KEY, reidentify=out / "sub" / "run.vault")
    assert not out.exists()


def test_originals_need_a_key(nlp, notes, vault, tmp_path, monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    with pytest.raises(RedactionError, match="needs a key of your own"):
        redact_files([notes], tmp_path / "out", nlp, reidentify=vault)
    assert not vault.parent.exists() and not (tmp_path / "out").exists()


def test_dry_run_keeps_no_originals(nlp, notes, vault, tmp_path):
    redact_files([notes], tmp_path / "out", nlp, key=KEY, reidentify=vault, dry_run=True)
    assert not vault.exists()


def test_run_is_not_resumed_without_its_originals(nlp, notes, vault, tmp_path):
    redact_files([notes], tmp_path / "out", nlp, key=KEY)
    with pytest.raises(RedactionError, match="another reidentify"):
        redact_files([notes], tmp_path / "out", nlp, key=KEY, reidentify=vault, resume=True)
