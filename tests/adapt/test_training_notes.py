from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

pytest.importorskip("scipy")

from spacy_deid.adapt.training_notes import (
    Replay,
    exchange_names,
    read_replay,
    synthetic_replay,
    training_notes,
)
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import write_notes
from spacy_deid.prove import ReviewedNote

TEXT = "HASSELBLAD, Thora seen 3/4/2061 at Mercy. Thora Hasselblad is well."
SPANS = [(0, 17, "PATIENT"), (23, 31, "DATE"), (35, 40, "HOSPITAL"), (42, 58, "PATIENT")]
NOTE = ReviewedNote(Note("n", TEXT, tuple(PhiSpan(*span) for span in SPANS)), (), (), "p")


def pieces(note):
    return [(note.text[span.start : span.end], span.type) for span in note.spans]


def test_names_are_exchanged_in_the_same_form_and_nothing_else():
    other = exchange_names(NOTE, "1")
    (first, date, hospital, second), kinds = zip(*pieces(other), strict=True)
    assert kinds == tuple(kind for *_, kind in SPANS)
    assert (date, hospital) == ("3/4/2061", "Mercy")
    family, given = first.split(", ")
    assert family.isupper() and second == f"{given} {family.title()}"
    assert "hasselblad" not in other.text.lower() and other.text.endswith("is well.")
    assert exchange_names(NOTE, "1") == other != exchange_names(NOTE, "2")


def test_half_of_the_copies_have_other_names_and_half_of_the_words_are_replayed(local):
    replayed = [Note(f"r{number}", "one two three " * number) for number in range(1, 8)]
    seen = list(islice(training_notes(local, Replay(replayed, [])), 600))
    words: Counter[str] = Counter()
    for one in seen:
        words[one.id[0]] += len(one.text.split())
    assert abs(words["n"] - words["r"]) <= 21
    originals = {note.gold.text for note in local}
    ours = [one.text in originals for one in seen if one.id[0] == "n"]
    assert 0.45 < sum(ours) / len(ours) < 0.55


def test_reviewed_notes_are_not_replayed(tmp_path, local):
    others = [Note(f"r{number}", f"another {number}") for number in range(10)]
    ours = [replace(note.gold, id=f"x{note.gold.id}") for note in local]
    path = tmp_path / "notes.spacy"
    write_notes([*ours, *others], path)
    replay = read_replay(path, local)
    assert {note.text for note in (*replay.learn, *replay.test)} == {note.text for note in others}
    assert replay.reviewed == len(local)
    write_notes(ours, path, force=True)
    with pytest.raises(ValueError, match=f"has 0 annotated notes besides {len(local)} reviewed"):
        read_replay(path, local)


def test_replay_is_generated_or_read(tmp_path):
    with pytest.raises(ValueError, match="there is no folder .*--replay"):
        synthetic_replay(tmp_path / "assets")
    overlapping = PhiSpan(0, 4, "CITY"), PhiSpan(0, 2, "STATE")
    notes = [Note(f"{number}-1", "well", overlapping) for number in range(30)]
    write_notes(notes, tmp_path / "notes.spacy")
    replay = read_replay(tmp_path / "notes.spacy")
    assert (len(replay.learn), len(replay.test)) == (27, 3)
    assert {note.id for note in (*replay.learn, *replay.test)} == {note.id for note in notes}
    write_notes(notes[:9], tmp_path / "few.spacy")
    with pytest.raises(ValueError, match="9 annotated notes; a replay takes 10"):
        read_replay(tmp_path / "few.spacy")
