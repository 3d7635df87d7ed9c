"""Files that hold PHI are for their owner alone."""

from __future__ import annotations

import os
import stat

import pytest
from typer.testing import CliRunner

from spacy_deid.batch import redact_files
from spacy_deid.cli import app
from spacy_deid.redaction import Key

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
KEY = Key(b"0123456789abcdef")


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Maria came.")
    return path


@pytest.fixture(autouse=True)
def open_to_all():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("there", [False, True])
def test_a_review_is_private_unless_it_is_redacted(nlp, note, tmp_path, there):
    nlp.to_disk(tmp_path / "model")
    page = tmp_path / "page.html"
    if there:
        page.write_text("")
        page.chmod(0o644)
    args = ["show", str(note), "--out", str(page), "--model", str(tmp_path / "model")]
    assert CliRunner().invoke(app, args).exit_code == 0
    assert mode(page) == 0o600 and "Maria" in page.read_text()
    assert CliRunner().invoke(app, [*args, "--redacted-only"]).exit_code == 0
    assert mode(page) == 0o644 and "Maria" not in page.read_text()


def test_a_page_of_errors_with_their_text_is_private(note, tmp_path):
    pytest.importorskip("matplotlib")
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        '{"id": 1, "text": "Maria", "spans": [{"start": 0, "end": 5, "label": "PATIENT"}]}\n'
    )
    page = tmp_path / "page.html"
    args = ["evaluate", str(gold), str(gold), "--resamples", "0", "--report", str(page)]
    for more, expected in (["--show-context"], 0o600), ([], 0o644):
        assert CliRunner().invoke(app, [*args, *more]).exit_code == 0
        assert mode(page) == expected


def test_originals_that_were_open_to_others_are_closed(nlp, note, tmp_path):
    pytest.importorskip("cryptography")
    out, vault = tmp_path / "out", tmp_path / "vault"
    redact_files([note], out, nlp, key=KEY, keep_originals=vault)
    vault.chmod(0o644)
    redact_files([note], out, nlp, key=KEY, keep_originals=vault, resume=True)
    assert mode(vault) == 0o600
    vault.chmod(0o644)
    redact_files([note], out, nlp, key=KEY, keep_originals=vault, force=True)
    assert mode(vault) == 0o600
