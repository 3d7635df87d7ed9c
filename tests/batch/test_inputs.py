"""What reads a folder takes the same files for notes as `redact` does."""

from __future__ import annotations

import os

import pytest

from spacy_deid.batch import redact_files
from spacy_deid.corpora import read_notes
from spacy_deid.redaction import RedactionError
from spacy_deid.review import read_findings

NOTES = ["b.txt", ".hidden.txt", "ward/.ward/a.txt", "ward/a.txt", "old/c.jsonl"]
OTHERS = ["README.md", "old/manifest.jsonl", ".spacy-deid/d.txt", "._b.txt", ".DS_Store"]


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    for name in (*NOTES, *OTHERS):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"text": "Maria"}\n' if path.suffix == ".jsonl" else "Maria")
    return folder


def test_notes_that_are_redacted_are_shown(nlp, notes, tmp_path):
    out = tmp_path / "out"
    summary = redact_files([notes], out, nlp)
    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert written == {*NOTES, "manifest.jsonl"}
    assert summary.skipped.total() == len(OTHERS)
    for folder in (notes, out):
        shown = [finding.note.id for finding in read_findings(folder, nlp, fmt="text")]
        assert shown == [".hidden", "b", "ward/a", "ward/.ward/a"]


def test_a_link_to_a_folder_is_refused(nlp, notes, tmp_path):
    (notes / "link").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(RedactionError, match="link is a link to a folder"):
        list(read_findings(notes, nlp, fmt="text"))


def test_what_was_redacted_is_text(nlp, notes, tmp_path):
    redact_files([notes / "b.txt", notes / "ward"], tmp_path / "out", nlp)
    (tmp_path / "out" / "._b.xml").write_text("")
    assert len(list(read_findings(tmp_path / "out", nlp))) == 3


def test_a_redacted_folder_is_a_corpus_without_its_manifest(nlp, tmp_path):
    (tmp_path / "notes.jsonl").write_text('{"id": "1", "text": "Seen Maria."}\n')
    redact_files([tmp_path / "notes.jsonl"], tmp_path / "out", nlp)
    assert [note.id for note in read_notes(tmp_path / "out")] == ["1"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_cannot_be_shown_is_told(nlp, notes):
    os.mkfifo(notes / "pipe.txt")
    (notes / "gone.txt").symlink_to(notes / "nothing.txt")
    problems = []
    findings = read_findings(notes, nlp, fmt="text", on_problem=problems.append)
    assert len(list(findings)) == 4
    assert [str(problem).partition("notes/")[2] for problem in problems] == [
        "pipe.txt: it is a named pipe",
        "gone.txt: it cannot be read: No such file or directory",
    ]
