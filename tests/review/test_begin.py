from __future__ import annotations

from collections import Counter

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import write_notes
from spacy_deid.merger import Origin
from spacy_deid.prove import plan_sample
from spacy_deid.review import Finding
from spacy_deid.review.begin import Draw, begin_review, expected_misses
from spacy_deid.review.results import sample_of
from spacy_deid.review.state import ReviewError
from spacy_deid.review.store import STORE


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02}.txt").write_text(f"Maria met Chen on Monday {number}")
    (folder / "blank.txt").write_text(" \n")
    return folder


def begin(tmp_path, notes, nlp, name="ours", **values):
    with begin_review(tmp_path / name, notes, Draw(**values), nlp, system="toy") as store:
        return list(store.notes())


def test_the_draw_is_fixed_by_the_seed_and_grows_in_the_same_order(tmp_path, notes, nlp):
    five = begin(tmp_path, notes, nlp, random=5)
    ten = begin(tmp_path, notes, nlp, "more", random=10)
    other = begin(tmp_path, notes, nlp, "other", random=5, seed=2)
    assert [n.id for n in five] == [n.id for n in ten][:5] != [n.id for n in other]
    assert len(begin(tmp_path, notes, nlp, "all", random=99)) == 20
    assert {found.mark.type for found in five[0].found} == {"PATIENT", "DOCTOR", "DATE"}
    assert five[0].found[0].score == 0.9


def test_each_folder_has_its_share(tmp_path, nlp):
    folder = tmp_path / "notes"
    for name, size in {"clinic": 40, "ward": 8, "icu": 16}.items():
        (folder / name).mkdir(parents=True)
        for number in range(size):
            (folder / name / f"{number:02}.txt").write_text(f"Maria met Chen on Monday {number}")
    drawn = begin(tmp_path, folder, nlp, random=16, doubtful=4, strata="folder")
    shares = Counter(note.id.split("/")[0] for note in drawn[:16])
    assert shares == {"clinic": 10, "icu": 4, "ward": 2}
    assert len({note.id for note in drawn}) == 20
    first = begin(tmp_path, folder, nlp, "first", random=8, strata="folder")
    assert [note.id for note in first] == [note.id for note in drawn[:8]]
    with pytest.raises(ValueError, match="no effect"):
        begin(tmp_path, folder / "ward", nlp, "one", strata="folder")


def test_tables_that_all_count_from_one_are_drawn_whole(tmp_path, nlp):
    folder = tmp_path / "notes"
    folder.mkdir()
    for month in ("feb", "jan"):
        (folder / f"{month}.csv").write_text(f"id,text\n1,Maria in {month}\n1,Chen in {month}\n")
    drawn = begin(tmp_path, folder, nlp, random=2, doubtful=2)
    assert {note.id for note in drawn} == {"1", "feb.csv#2", "jan.csv#1", "jan.csv#2"}
    assert len({note.text for note in drawn}) == 4


def test_a_share_is_blind_and_a_share_is_held_back(tmp_path, notes, nlp):
    drawn = begin(tmp_path, notes, nlp, random=20, blind=0.25, planted=0.3)
    assert sum(note.blind for note in drawn) == 5
    held = sum(found.held for note in drawn if not note.blind for found in note.found)
    assert 0 < held < 30
    drawn = begin(tmp_path, notes, nlp, "open", random=20, blind=0, planted=0)
    assert not any(found.held for note in drawn for found in note.found)


def test_a_plan_draws_as_many_notes_as_its_phi_takes(tmp_path, notes, nlp):
    plan = plan_sample(0.8, expected=1, design_effect=1)
    assert plan.pieces == 14
    assert len(begin(tmp_path, notes, nlp, plan=plan)) == 5


def test_doubtful_notes_are_others(tmp_path, notes, nlp):
    drawn = begin(tmp_path, notes, nlp, random=5, doubtful=3)
    assert [note.stratum for note in drawn] == ["random"] * 5 + ["doubtful"] * 3
    assert len({note.id for note in drawn}) == 8
    assert not any(found.held for note in drawn[5:] for found in note.found)


def test_expected_misses_are_those_below_the_threshold():
    origins = {0: Origin(("a",), "a", 0.9), 10: Origin(("a",), "a", 0.2)}
    spans = (PhiSpan(0, 5, "PATIENT"), PhiSpan(10, 14, "DOCTOR"))
    note = Finding(Note("n", "Maria met Chen today", spans), origins)
    longer = Finding(Note("n", "Maria met Chen today" + " x" * 400, spans), origins)
    assert expected_misses(note, 0.5) > expected_misses(longer, 0.5) > 0
    assert expected_misses(note, 0.1) == 0


def test_marks_of_a_corpus_are_reviewed_without_a_model(tmp_path):
    path = tmp_path / "gold.jsonl"
    write_notes([Note("a", "Maria", (PhiSpan(0, 5, "PATIENT"),))], path)
    (note,) = begin(tmp_path, path, None)
    assert note.found[0].mark.span == PhiSpan(0, 5, "PATIENT") and note.found[0].score is None
    with pytest.raises(ReviewError, match="model"):
        begin(tmp_path, path, None, "other", doubtful=1)


def test_patients_are_those_of_i2b2_ids(tmp_path):
    path = tmp_path / "gold.jsonl"
    ids = ["110-01", "110-02", "ward/110-03", "2023-0001", "a-b-03"]
    write_notes([Note(name, "Maria", (PhiSpan(0, 5, "PATIENT"),)) for name in ids], path)
    patients = {note.id: note.patient_id for note in begin(tmp_path, path, None)}
    assert patients == dict.fromkeys(ids, "") | dict.fromkeys(ids[:2], "110")


def test_a_corpus_without_marks_needs_a_model(tmp_path):
    path = tmp_path / "notes.jsonl"
    write_notes([Note("a", "Maria")], path)
    with pytest.raises(ReviewError, match="name a model to search them"):
        begin(tmp_path, path, None)


def test_notes_that_cannot_be_read_are_counted_once(tmp_path, notes, nlp):
    (notes / "bad.txt").write_bytes(b"Maria \xff")
    problems = []
    with begin_review(
        tmp_path / "p", notes, Draw(5, doubtful=2), nlp, on_problem=problems.append
    ) as store:
        sample, _ = sample_of(store)
    assert len(problems) == sample.set_aside == 1


def test_wrong_input_leaves_nothing(tmp_path, notes, nlp):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError):
        begin(tmp_path, tmp_path / "empty", nlp)
    assert not (tmp_path / "ours").exists()
    begin(tmp_path, notes, nlp)
    with pytest.raises(ReviewError, match="already"):
        begin(tmp_path, notes, nlp)
    assert [path.name for path in (tmp_path / "ours").iterdir() if path.name == STORE]
