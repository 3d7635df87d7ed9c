"""Two runs into one folder."""

from __future__ import annotations

import os
import signal

import pytest
from typer.testing import CliRunner

from spacy_deid.batch import redact_files
from spacy_deid.cli import app
from spacy_deid.redaction import RedactionError


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.txt").write_text("Maria")
    return folder


@pytest.mark.parametrize("settings", [{}, {"resume": True}, {"force": True}])
def test_the_second_run_is_refused(nlp, notes, tmp_path, settings):
    out, messages = tmp_path / "out", []

    def run_again(note):
        with pytest.raises(RedactionError) as caught:
            redact_files([notes], out, nlp, **settings)
        messages.append(str(caught.value))

    assert redact_files([notes], out, nlp, on_note=run_again).notes == 2
    assert len(messages) == 2 and f"process {os.getpid()} on " in messages[0]
    assert "resume" not in messages[0] and "force" not in messages[0]
    assert sorted(path.name for path in out.iterdir()) == ["a.txt", "b.txt", "manifest.jsonl"]


def test_cli_exits_with_2(nlp, notes, tmp_path):
    nlp.to_disk(tmp_path / "model")
    args = ["redact", notes, "--out", tmp_path / "out", "--model", tmp_path / "model"]
    results = []

    def run_again(note):
        results.append(CliRunner().invoke(app, [*map(str, args), "--force"]))

    redact_files([notes], tmp_path / "out", nlp, on_note=run_again)
    words = " ".join(results[0].output.split())
    assert results[0].exit_code == 2 and f"another run (process {os.getpid()} on" in words
    assert "--force" not in words and "--resume" not in words


def test_a_dry_run_needs_no_lock(nlp, notes, tmp_path):
    out, counts = tmp_path / "out", []

    def run_again(note):
        counts.append(redact_files([notes], out, nlp, dry_run=True).notes)

    redact_files([notes], out, nlp, on_note=run_again)
    assert counts == [2, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_the_lock_of_a_killed_run_does_not_hold(nlp, notes, tmp_path):
    out = tmp_path / "out"
    pid = os.fork()
    if pid == 0:
        redact_files([notes], out, nlp, on_note=lambda _: os.kill(os.getpid(), signal.SIGKILL))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and (out / ".spacy-deid" / "lock").exists()
    with pytest.raises(RedactionError, match="was stopped"):
        redact_files([notes], out, nlp)
    assert redact_files([notes], out, nlp, resume=True).notes == 2
    assert not (out / ".spacy-deid").exists()


def test_a_file_system_without_locks_does_not_stop_a_run(nlp, notes, tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("spacy_deid.lock._lock", fail)
    assert redact_files([notes], tmp_path / "out", nlp).notes == 2


def test_a_refused_run_leaves_no_trace(nlp, notes, tmp_path):
    vault = tmp_path / "gone" / "vault"
    with pytest.raises(RedactionError):
        redact_files([notes], tmp_path / "new" / "out", nlp, keep_originals=vault)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes"]
