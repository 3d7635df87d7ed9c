"""Pipes, sockets and devices among the inputs: opening one could wait for ever."""

from __future__ import annotations

import os
import socket

import pytest
from typer.testing import CliRunner

from spacy_deid.batch import redact_files
from spacy_deid.batch.reader import Task, read_chunks
from spacy_deid.cli import app
from spacy_deid.corpora import read_notes
from spacy_deid.records import RECORD_FORMATS, Fields
from spacy_deid.redaction import RedactionError
from spacy_deid.review import read_findings

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes"),
    pytest.mark.timeout(60),
]


@pytest.fixture
def notes(tmp_path, monkeypatch):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Maria")
    os.mkfifo(folder / "pipe.txt")
    (folder / "link.txt").symlink_to(folder / "pipe.txt")
    monkeypatch.chdir(folder)  # the path of a socket has to be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.txt")
    return folder


def test_pipes_and_sockets_are_skipped_and_listed(nlp, notes, tmp_path):
    summary = redact_files([notes], tmp_path / "out", nlp)
    assert (summary.notes, summary.withheld) == (1, 0)
    assert {path.name: kind for path, kind in summary.special} == {
        "link.txt": "a named pipe",
        "pipe.txt": "a named pipe",
        "socket.txt": "a socket",
    }


def test_cli_lists_what_it_skipped(nlp, notes, tmp_path):
    nlp.to_disk(tmp_path / "model")
    args = [notes, "--out", tmp_path / "out", "--model", tmp_path / "model"]
    result = CliRunner().invoke(app, ["redact", *map(str, args)])
    assert result.exit_code == 0
    assert "pipe.txt (a named pipe)" in " ".join(result.output.split())


@pytest.mark.parametrize(
    "name, kind", [("pipe.txt", "a named pipe"), ("socket.txt", "a socket"), (os.devnull, "a dev")]
)
def test_one_that_is_named_is_refused(nlp, notes, tmp_path, name, kind):
    with pytest.raises(RedactionError, match=f"is {kind}.*- for standard input"):
        redact_files([notes / name], tmp_path / "out", nlp, format="text")
    assert not (tmp_path / "out").exists()


def test_a_file_that_became_a_pipe_is_withheld(notes):
    """Between planning and reading."""
    task = Task(notes / "pipe.txt", "pipe.txt", notes / "out.txt", RECORD_FORMATS["text"])
    (unit,) = read_chunks([task], Fields(), [0])
    assert unit.error == "it cannot be read: it is not a regular file"


def test_corpora_are_not_read_from_pipes(nlp, notes):
    for read in (read_notes, read_findings, lambda path: read_findings(path, nlp, fmt="text")):
        with pytest.raises(ValueError, match="is a named pipe"):
            list(read(notes / "pipe.txt"))
    (notes / "a.ann").write_text("")
    (notes / "a.txt").unlink()
    os.mkfifo(notes / "a.txt")
    with pytest.raises(ValueError, match="not a regular file"):
        list(read_notes(notes, fmt="brat"))
