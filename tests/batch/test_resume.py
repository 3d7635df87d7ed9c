from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial

import pytest

from spacy_deid.batch import output as output_module
from spacy_deid.batch import redact_files
from spacy_deid.redaction import Key, RedactionError

KEY = Key(b"0123456789abcdef")


@pytest.fixture
def notes(tmp_path):
    """Files of all kinds that a run treats differently."""
    folder = tmp_path / "notes"
    (folder / "ward").mkdir(parents=True)
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"Maria {number}")
        (folder / "ward" / f"{number}.txt").write_text("BOOM" if number == 2 else "Lopez")
    lines = [{"id": i, "text": f"{'BOOM' if i == 4 else 'Maria'} {i}"} for i in range(9)]
    (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = "".join(f'{i},"seen by\nLopez",x\n' for i in range(9))
    (folder / "b.csv").write_text(f'id,text,y\n{rows}8,"never closed')
    (folder / "c.jsonl").write_text("")
    (folder / "d.txt").write_bytes(b"\xff")
    return folder


def contents(folder):
    """All files of a folder; of the manifest, what does not tell the time."""
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    lines = [json.loads(line) for line in files["manifest.jsonl"].splitlines()]
    lines[0]["run"].pop("started")
    lines[-1]["end"].pop("seconds")
    return {**files, "manifest.jsonl": lines}


def killed_after(events, run):
    """Run in a fork that is killed at some call to the file system; tells whether it was."""
    pid = os.fork()
    if pid == 0:
        left = [events]

        def count(event, args):
            if event in ("open", "os.rename", "os.remove", "os.truncate", "os.mkdir"):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        try:
            run()
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 4])
def test_resume_after_kill_at_any_moment(nlp, notes, tmp_path, monkeypatch, every):
    monkeypatch.setattr(output_module, "_EVERY", every)
    expected = tmp_path / "expected"
    whole = redact_files([notes], expected, nlp, key=KEY, batch_size=3)
    assert (whole.notes, whole.withheld) == (26, 4)
    for first in range(1, 1_000, 6):
        out = tmp_path / f"out{first}"
        run = partial(redact_files, [notes], out, nlp, key=KEY, batch_size=3, resume=True)
        if not killed_after(first, run):
            break
        killed_after(1 + first // 2, run)
        summary = run()
        assert (summary.notes, summary.withheld, summary.phi) == (26, 4, whole.phi)
        assert contents(out) == contents(expected)
    assert first > 60


def test_resume_of_parquet(nlp, tmp_path, monkeypatch):
    """A format whose file is only made when all of it is there."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(output_module, "_EVERY", 1)
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in "ab":
        table = pyarrow.table({"text": [f"Maria {i}" for i in range(12)]})
        parquet.write_table(table, notes / f"{name}.parquet", row_group_size=3)
    expected = tmp_path / "expected"
    redact_files([notes], expected, nlp)
    for events in range(8, 1_000, 3):
        out = tmp_path / f"out{events}"
        stopped = killed_after(events, partial(redact_files, [notes], out, nlp))
        assert redact_files([notes], out, nlp, resume=True).notes == 24
        assert contents(out) == contents(expected)
        if not stopped:
            break
    assert events > 30


@pytest.mark.parametrize("limit", [1, 7, 8, 14])
def test_resume_keeps_to_the_limit(nlp, notes, tmp_path, monkeypatch, limit):
    monkeypatch.setattr(output_module, "_EVERY", 1)
    expected = tmp_path / "expected"
    redact_files([notes], expected, nlp, limit=limit)
    lines = contents(expected)["manifest.jsonl"]
    assert sum("output" in line for line in lines) == limit
    for events in range(10, 200, 9):
        out = tmp_path / f"out{events}"
        run = partial(redact_files, [notes], out, nlp, limit=limit, resume=True)
        stopped = killed_after(events, run)
        run()
        assert contents(out) == contents(expected)
        if not stopped:
            break


def test_resume_of_a_finished_run_does_nothing(nlp, notes, tmp_path):
    out = tmp_path / "out"
    first = redact_files([notes], out, nlp)
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    again = redact_files([notes], out, nlp, resume=True, on_note=lambda _: 1 / 0)
    assert (again.notes, again.withheld, again.phi) == (first.notes, first.withheld, first.phi)
    assert again.failures == first.failures
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == times


def test_resume_of_a_finished_run_notices_new_inputs_without_a_key(nlp, notes, tmp_path):
    out = tmp_path / "out"
    redact_files([notes], out, nlp)
    os.utime(notes / "a.jsonl", (2**32, 2**32))
    with pytest.raises(RedactionError, match="in its inputs"):
        redact_files([notes], out, nlp, resume=True)


@pytest.mark.parametrize(
    "change, named",
    [
        ({"policy": "mask"}, "policy"),
        ({"key": Key(b"another secret !")}, "key"),
        ({"limit": 3}, "limit"),
    ],
)
def test_resume_with_other_settings_fails(nlp, notes, tmp_path, change, named):
    out = tmp_path / "out"
    assert killed_after(40, lambda: redact_files([notes], out, nlp, key=KEY))
    (out / ".spacy-deid" / "lock").unlink()  # the killed run's
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(RedactionError, match=f"in its {named}; start over"):
        redact_files([notes], out, nlp, resume=True, **{"key": KEY, **change})
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_resume_with_other_inputs_or_model_fails(nlp, notes, tmp_path):
    out = tmp_path / "out"
    assert killed_after(40, lambda: redact_files([notes], out, nlp))
    nlp.get_pipe("phi_merger").threshold = 0.1
    with pytest.raises(RedactionError, match="in its model"):
        redact_files([notes], out, nlp, resume=True)
    nlp.get_pipe("phi_merger").threshold = 0.5
    (notes / "a.jsonl").write_text("")
    with pytest.raises(RedactionError, match="in its inputs"):
        redact_files([notes], out, nlp, resume=True)


def test_stopped_run_is_not_written_over(nlp, notes, tmp_path):
    out = tmp_path / "out"
    assert killed_after(40, lambda: redact_files([notes], out, nlp))
    with pytest.raises(RedactionError, match="was stopped; use `resume=True`"):
        redact_files([notes], out, nlp)
    redact_files([notes], out, nlp, force=True)
    redact_files([notes], tmp_path / "expected", nlp)
    assert contents(out) == contents(tmp_path / "expected")


def test_force_knows_the_results_of_a_killed_run(nlp, notes, tmp_path):
    out = tmp_path / "out"
    assert killed_after(60, lambda: redact_files([notes], out, nlp, policy="keep"))
    written = {path.relative_to(out) for path in out.rglob("*.txt")}
    assert written
    for path in written:
        (notes / path).unlink()
    with pytest.raises(RedactionError, match=f"holds {len(written)} results of the run before"):
        redact_files([notes], out, nlp, force=True)


def test_resume_without_a_start_starts(nlp, notes, tmp_path):
    assert redact_files([notes], tmp_path / "out", nlp, resume=True).notes == 26


def test_resume_still_tells_which_columns_stay(nlp, tmp_path, monkeypatch):
    monkeypatch.setattr(output_module, "_EVERY", 2)
    notes, out = tmp_path / "notes.csv", tmp_path / "out"
    notes.write_text("id,surname,text\n" + "".join(f"{i},x,Maria\n" for i in range(9)))
    stop = iter([None] * 5)
    with pytest.raises(StopIteration):
        redact_files([notes], out, nlp, batch_size=1, on_note=lambda _: next(stop))
    summary = redact_files([notes], out, nlp, batch_size=1, resume=True)
    assert (summary.notes, list(summary.kept)) == (9, ["id", "surname"])


def test_resume_after_a_file_with_an_odd_name(nlp, tmp_path):
    notes, out = tmp_path / "notes", tmp_path / "out"
    notes.mkdir()
    (notes / "(file copy).txt").write_text("Maria")
    redact_files([notes], out, nlp)
    assert redact_files([notes], out, nlp, resume=True).notes == 1
