from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from itertools import product

import pytest
from projects import CHEN, MARIA, MONDAY, ROSA, accept, act, drawn, edit, finish, project

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.prove import prove
from spacy_deid.review.results import disputes, gold_notes, reader_agreements, sample_of
from spacy_deid.review.state import Event, Mark, ReviewError
from spacy_deid.review.store import ADJUDICATE, DOUBTFUL, RANDOM, READ, STORE, Store


def test_a_project_is_private_and_comes_back_as_it_was(tmp_path):
    note = drawn(text="Zoë \U0001f600\r\nMaria", marks=[Mark(7, 12, "PATIENT")], held=[0])
    with project(tmp_path / "ours", note) as store:
        assert list(store.notes()) == [note] and note.blind
        assert store.settings["system"] == "toy"
    assert (tmp_path / "ours" / STORE).stat().st_mode & 0o777 == 0o600
    with pytest.raises(ReviewError, match="already"):
        project(tmp_path / "ours")


def test_nothing_is_changed_or_deleted(tmp_path):
    with project(tmp_path) as store:
        edit(store, [MONDAY])
    base = sqlite3.connect(tmp_path / STORE)
    for table in ("event", "note", "setting"):
        with pytest.raises(sqlite3.IntegrityError, match="nothing is changed"):
            base.execute(f"DELETE FROM {table}")
    with pytest.raises(sqlite3.IntegrityError, match="nothing is changed"):
        base.execute("UPDATE event SET reader = 'x'")


@pytest.mark.parametrize("content", [None, b"no database", b""])
def test_what_is_no_review_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / STORE).write_bytes(content)
    with pytest.raises(ReviewError):
        Store(tmp_path)


def test_a_reading_is_what_its_events_say(tmp_path):
    with project(tmp_path) as store:
        assert [m.decided for m in store.read(drawn(), "anna").marks.values()] == [False, False]
        with pytest.raises(ReviewError, match="2 detections are not decided"):
            act(store, "done")
        edit(store, [MARIA], [MARIA])
        edit(store, [MONDAY], [CHEN])
        act(store, "comment", text="odd")
        state = act(store, "done")
        assert state.spans == (MARIA.span, MONDAY.span) == state.first
        assert (state.stage, state.comment, state.seconds) == ("done", "odd", 8)
        with pytest.raises(ReviewError, match="done"):
            edit(store, [CHEN])
        act(store, "reopen")
        assert edit(store, [CHEN]).spans == (MARIA.span, CHEN.span, MONDAY.span)
    with Store(tmp_path) as store:
        assert store.read(drawn(), "anna").stage == "second"


@pytest.mark.parametrize(
    ("add", "remove", "reason"),
    [
        ([Mark(3, 8, "DATE")], [], "overlap"),
        ([Mark(20, 99, "DATE")], [], "outside"),
        ([Mark(20, 20, "DATE")], [], "outside"),
        ([Mark(20, 22, "NAME")], [], "unknown PHI type"),
        ([], [MONDAY], "no such mark"),
    ],
)
def test_edits_that_do_not_fit_are_refused_whole(tmp_path, add, remove, reason):
    with project(tmp_path) as store:
        with pytest.raises(ReviewError, match=reason):
            edit(store, [MONDAY, *add] if add else [], remove)
        assert store.events(1, "anna") == []


def test_detections_that_were_held_back_come_with_the_second_look(tmp_path):
    with project(tmp_path, drawn(held=[0, 1])) as store:
        edit(store, [MARIA])
        state = act(store, "done")
        assert state.stage == "second" and state.first == (MARIA.span,)
        assert [m for m in state.marks.values() if not m.decided] == [CHEN]
        assert finish(store).stage == "done"
        sample, notes = sample_of(store)
        (reading,) = notes[0].readings
        assert notes[0].blind and reading.first == (MARIA.span,)
        assert reading.spans == (MARIA.span, CHEN.span) == notes[0].gold.spans
        trials = prove(notes).trials
        assert trials["blind"] == (1, 2)


def test_two_windows_do_not_overwrite_each_other(tmp_path):
    with project(tmp_path) as store, Store(tmp_path) as other:
        store.append(1, "anna", READ, Event(0, "time", {}), 0)
        with pytest.raises(ReviewError, match="another window"):
            other.append(1, "anna", READ, Event(0, "time", {}), 0)


def test_readers_who_disagree_are_adjudicated(tmp_path):
    with project(tmp_path, drawn(), drawn(2), drawn(3)) as store:
        finish(store)
        edit(store, [ROSA], reader="ben")
        for number in (1, 2):
            finish(store, number, "ben")
        assert [note.id for note in gold_notes(store)] == ["n2"]
        (dispute,) = disputes(store)
        assert dispute.disputed and set(dispute.readings) == {"anna", "ben"}
        sample, notes = sample_of(store)
        assert (sample.drawn, sample.disputed, sample.skipped, len(notes)) == (3, 1, 0, 1)
        assert reader_agreements(store)["anna", "ben"].strict == pytest.approx(0.8)
        with pytest.raises(ReviewError, match="1 detections"):
            act(store, "done", reader="eve", role=ADJUDICATE)
        assert store.readers(1, ADJUDICATE) == []
        edit(store, [ROSA], [ROSA], reader="eve", role=ADJUDICATE)
        act(store, "done", reader="eve", role=ADJUDICATE)
        assert {n.id: n.spans for n in gold_notes(store)}["n1"][-1] == ROSA.span
        assert not next(disputes(store)).disputed


def test_the_latest_adjudication_holds(tmp_path):
    with project(tmp_path) as store:
        edit(store, [ROSA], reader="ben")
        for reader in ("anna", "ben"):
            finish(store, reader=reader)

        def is_phi():
            (note,) = gold_notes(store)
            return ROSA.span in note.spans

        finish(store, reader="eve", role=ADJUDICATE)
        assert is_phi()
        edit(store, [], [ROSA], reader="chief", role=ADJUDICATE)
        assert is_phi()
        finish(store, reader="chief", role=ADJUDICATE)
        assert not is_phi()
        act(store, "comment", reader="eve", role=ADJUDICATE, text="seen")
        assert not is_phi()
        act(store, "reopen", reader="chief", role=ADJUDICATE)
        assert is_phi()


def test_agreement_is_the_same_before_and_after_adjudication(tmp_path):
    notes = (drawn(), drawn(2), drawn(3, stratum=DOUBTFUL))
    with project(tmp_path, *notes) as store:
        edit(store, [ROSA], reader="ben")
        edit(store, [MONDAY], reader="ben", number=3)
        for number, reader in product((1, 2, 3), ("anna", "ben")):
            finish(store, number, reader)
        before = reader_agreements(store, [RANDOM])
        assert before["anna", "ben"].notes == 2 and before["anna", "ben"].strict < 1
        assert reader_agreements(store)["anna", "ben"].notes == 3
        finish(store, reader="eve", role=ADJUDICATE)
        assert reader_agreements(store, [RANDOM]) == before
        _, settled = sample_of(store)
        assert prove(settled, agreement=before).agreement == before


def test_passed_over_notes_are_counted(tmp_path):
    notes = [drawn(number) for number in (1, 2, 3)] + [drawn(4, stratum="doubtful")]
    with project(tmp_path, *notes) as store:
        finish(store, 2)
        finish(store, 4)
        sample, read = sample_of(store)
        assert (sample.drawn, sample.skipped) == (3, 1)
        assert [note.gold.id for note in read] == ["n2"]


@pytest.mark.slow
def test_what_was_confirmed_is_there_after_kill(tmp_path):
    project(tmp_path).close()
    code = f"""
import os, signal, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
from pathlib import Path
from projects import MONDAY, edit
from spacy_deid.review.store import Store
edit(Store(Path({str(tmp_path)!r})), [MONDAY])
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code])
    assert done.returncode == -signal.SIGKILL
    with Store(tmp_path) as store:
        assert MONDAY.span in store.read(drawn(), "anna").spans
        assert accept(store).spans == (MARIA.span, CHEN.span, PhiSpan(18, 24, "DATE"))
