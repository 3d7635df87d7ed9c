"""A disk that is full: one sentence, nothing lost, and the run goes on later."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from spacy_deid.batch import output as output_module
from spacy_deid.batch import redact_files
from spacy_deid.cli import app
from spacy_deid.redaction import Key, RedactionError
from spacy_deid.redaction.reidentify import read_originals

resource = pytest.importorskip("resource")
KEY = Key(b"0123456789abcdef")


@contextmanager
def largest_file(size):
    """No file may grow beyond some bytes, which fails as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    lines = [json.dumps({"id": i, "text": f"Maria {i}"}) + "\n" for i in range(40)]
    (folder / "a.jsonl").write_text("".join(lines))
    (folder / "b.txt").write_text("Lopez")
    return folder


def files(out):
    found = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    del found["manifest.jsonl"]
    return found


@pytest.mark.parametrize("size", [20, 300, 1_000, 5_000, 15_000, 20_000])
@pytest.mark.parametrize("every", [1, 64])
def test_a_run_with_originals_goes_on_after_a_full_disk(
    nlp, notes, tmp_path, monkeypatch, size, every
):
    pytest.importorskip("cryptography")
    monkeypatch.setattr(output_module, "_EVERY", every)
    out, vault = tmp_path / "out", tmp_path / "vault"
    settings = {"key": KEY, "keep_originals": vault}
    with largest_file(size), pytest.raises(RedactionError, match="File too large"):
        redact_files([notes], out, nlp, batch_size=2, **settings)
    assert redact_files([notes], out, nlp, resume=True, **settings).notes == 41
    redact_files([notes], tmp_path / "expected", nlp)
    assert files(out) == files(tmp_path / "expected")
    assert len(list(read_originals(vault, KEY))) == 41


@pytest.mark.parametrize("size", [5, 100, 300, 900, 2_000, 8_000])
def test_a_run_goes_on_after_a_full_disk(nlp, notes, tmp_path, monkeypatch, size):
    monkeypatch.setattr(output_module, "_EVERY", 1)
    out = tmp_path / "out"
    with largest_file(size), pytest.raises(RedactionError, match="File too large; when it can"):
        redact_files([notes], out, nlp, batch_size=2)
    assert redact_files([notes], out, nlp, resume=True).notes == 41
    redact_files([notes], tmp_path / "expected", nlp)
    assert files(out) == files(tmp_path / "expected")


def test_nothing_is_left_where_nothing_could_be_begun(nlp, notes, tmp_path):
    with largest_file(0), pytest.raises(RedactionError, match="out cannot be written"):
        redact_files([notes], tmp_path / "new" / "out", nlp)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes"]


def test_cli_says_one_sentence(nlp, notes, tmp_path):
    pytest.importorskip("cryptography")
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "key").write_text("0123456789abcdef")
    args = ["--model", tmp_path / "model", "--key-file", tmp_path / "key"]
    args += ["--out", tmp_path / "out", "--keep-originals", tmp_path / "vault"]
    with largest_file(1_500):
        result = CliRunner().invoke(app, ["redact", *map(str, [notes, *args])])
    assert result.exit_code == 2 and "Traceback" not in result.output
    assert "cannot be written: File too large; when it can, continue with --resume" in " ".join(
        result.output.split()
    )
