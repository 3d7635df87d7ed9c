from __future__ import annotations

from collections import Counter

from spacy_deid.annotation.notes import Note
from spacy_deid.review import Finding
from spacy_deid.review.findings import draw_sample

NOTES = [Finding(Note(f"{'icu' if i % 20 else 'er'}/{i:03}", "x")) for i in range(200)]


def ids(findings):
    return [finding.note.id for finding in findings]


def test_a_sample_is_the_same_for_a_seed_in_any_order():
    drawn = ids(draw_sample(NOTES, 10, seed=1))
    assert len(set(drawn)) == 10 and drawn == [name for name in ids(NOTES) if name in drawn]
    assert sorted(ids(draw_sample(NOTES[::-1], 10, seed=1))) == sorted(drawn)
    assert ids(draw_sample(NOTES, 10, seed=2)) != drawn
    assert ids(draw_sample(NOTES, 500)) == ids(NOTES)


def test_a_sample_is_even_by_folder():
    folders = [name.split("/")[0] for name in ids(draw_sample(NOTES, 10, by="folder"))]
    assert Counter(folders) == {"icu": 5, "er": 5}
    folders = [name.split("/")[0] for name in ids(draw_sample(NOTES, 40, by="folder"))]
    assert Counter(folders) == {"icu": 30, "er": 10}


def test_a_sample_is_even_by_patient():
    notes = [Finding(Note(str(i), "x"), patient_id="1" if i < 90 else "2") for i in range(100)]
    drawn = draw_sample(notes, 6, by="patient")
    assert Counter(finding.patient_id for finding in drawn) == {"1": 3, "2": 3}
