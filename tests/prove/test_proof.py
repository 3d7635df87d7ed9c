from __future__ import annotations

import json
from dataclasses import replace

import pytest
from reviews import reviewed, spans

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.prove import ReviewedNote, prove
from spacy_deid.prove.bounds import Bounds
from spacy_deid.prove.proof import ALL
from spacy_deid.prove.readers import Trials, agreements, corrected_recall, count_trials, recapture
from spacy_deid.prove.report import (
    Sample,
    caveats,
    disclaimer,
    low_percent,
    proof_tables,
    proof_to_json,
    verdict,
    write_proof,
)
from spacy_deid.tables import as_text

NOTES = [
    reviewed("Ann saw Bo and Cy", "Ann Bo saw", note_id="1", patient="p"),
    reviewed("Dee is well", "Dee", note_id="2", patient="p"),
    reviewed("nothing here", "", note_id="3", patient="q"),
]


def test_a_proof_counts_pieces_marks_notes_and_words():
    proof = prove(NOTES)
    recall, precision = proof.recall[ALL], proof.precision[ALL]
    assert (recall.hits, recall.total, recall.clusters) == (3, 4, 1)
    assert (precision.hits, precision.total) == (3, 4)
    assert set(proof.recall) == {ALL, "NAME"}
    assert (proof.leak_free_notes.hits, proof.leak_free_notes.total) == (2, 3)
    assert (proof.elusion.hits, proof.elusion.total) == (1, 6)
    assert (proof.patients, proof.words, proof.seconds, proof.by_patient) == (2, 10, 180, True)
    assert proof.corrected is None
    assert proof.lower_bound == recall.clustered.low < recall.estimate


def test_half_a_name_is_missed():
    note = reviewed("Ann-Marie came", "Ann")
    gold = spans("Ann-Marie came", "Ann-Marie")
    half = type(note)(type(note.gold)("n", note.gold.text, gold), note.found, note.readings)
    assert prove([half]).recall[ALL].hits == 0


@pytest.mark.parametrize(
    ("found", "covered"),
    [
        ("Smith", False),
        ("张伟", False),
        ("张伟 Smith", True),
        ("张伟, Smith.", True),
        ("Smi", False),
    ],
)
def test_letters_of_every_script_have_to_be_marked(found, covered):
    text = "saw 张伟, Smith. today"
    gold = PhiSpan(4, 13, "PATIENT")
    note = ReviewedNote(Note("n", text, (gold,)), (), ())
    marks = [PhiSpan(text.index(w), text.index(w) + len(w), "DOCTOR") for w in found.split()]
    assert note.covered(marks) == [covered]
    assert ReviewedNote(Note("n", "***", (PhiSpan(0, 3, "IDNUM"),)), (), ()).covered([]) == [False]


def test_readers_are_measured_on_what_they_were_not_shown():
    notes = [
        reviewed("Ann saw Bo", "Ann Bo", held="Bo", first="Ann"),
        reviewed("Cy saw Dee", "Cy Dee", held="Cy Dee", first="Cy", blind=True),
        reviewed("Eve saw Flo", "Eve", first="Eve", others=["Eve Flo"]),
        reviewed("Gus saw Hal", "Gus", first="Gus Hal", others=["Gus Hal"]),
    ]
    trials = count_trials(notes)
    assert trials["planted"] == (0, 1) and trials["blind"] == (1, 2)
    assert trials["other reader"] == (2, 3)
    found = recapture(notes)
    assert (found.first, found.second, found.both, found.found) == (1, 2, 1, 2)
    assert found.estimate == 2
    assert recapture(notes[:2]) is None
    assert recapture([replace(note, found=note.gold.spans) for note in notes]) is None


def test_what_readers_miss_lowers_the_recall():
    recall = prove(NOTES * 40).recall[ALL]
    perfect = corrected_recall(recall, [Trials(10_000, 10_000)], [(1, 1.0)], 0.95)
    good = corrected_recall(recall, [Trials(90, 100)], [(1, 1.0)], 0.95)
    twice = corrected_recall(recall, [Trials(90, 100)], [(2, 1.0)], 0.95)
    assert perfect[0] == recall.estimate == 0.75
    assert perfect[1] == pytest.approx(recall.clustered.low, abs=0.01)
    assert good[0] == pytest.approx(0.75 / (0.75 + 0.25 / 0.9))
    assert good[0] < twice[0] < perfect[0] and good[1] < twice[1] < perfect[1]
    assert corrected_recall(recall, [Trials(0, 0)], [(1, 1.0)], 0.95) is None


def test_readers_who_catch_nothing_prove_nothing():
    notes = [
        reviewed("Ann saw Bo", "Ann Bo", held="Bo", first="Ann", note_id=str(number))
        for number in range(30)
    ]
    proof = prove(notes)
    assert proof.trials["planted"] == (0, 30)
    assert proof.corrected == (0, 0) and proof.lower_bound == 0
    (caveat,) = (c for c in caveats(proof, Sample("m", 30)) if "readers" in c)
    assert "caught none of the 30 pieces" in caveat


def test_bounds_are_rounded_down_and_confidence_is_not_rounded():
    assert [low_percent(bound) for bound in (0.97996, 0.98, 1.0, 0.0)] == [
        *("97.99%", "98.00%", "100.00%", "0.00%")
    ]
    assert low_percent(0.9999, 1) == "99.9%"
    sure = prove(NOTES, confidence=0.995)
    assert "With 99.5% confidence" in verdict(sure, Sample("m", 3))
    assert "holds in 99.5% of" in disclaimer(sure)
    missed = replace(prove(NOTES).recall[ALL], clustered=Bounds(0.97996, 1))
    near = replace(prove(NOTES), recall={ALL: missed})
    assert "at least 97.99%, not 0.98" in verdict(near, Sample("m", 3, claim=0.98))


def test_agreement_of_two_readers():
    same = [reviewed("Ann saw Bo", "Ann Bo", first="", others=[""])]
    assert agreements(same)["a", "b"] == (1, 1, 1, 1)
    note = same[0]
    readings = (note.readings[0], type(note.readings[0])("b", spans("Ann saw Bo", "Ann"), ()))
    apart = type(note)(note.gold, note.found, readings)
    notes, strict, token, kappa = agreements([apart])["a", "b"]
    assert (notes, strict, token) == (1, pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert kappa == pytest.approx(0.4)
    assert agreements(NOTES) == {}


def test_an_empty_review_proves_nothing():
    with pytest.raises(ValueError, match="no note of the random sample"):
        prove([])
    with pytest.raises(ValueError, match="confidence"):
        prove(NOTES, confidence=0.4)


def test_nothing_is_shown_while_readers_disagree(tmp_path):
    wide = prove([reviewed("Ann saw Bo", "Ann Bo", note_id=str(number)) for number in range(99)])
    page = tmp_path / "proof.html"
    for claim in (None, 0.5):
        settled = Sample("m", 100, claim=claim)
        disputed = replace(settled, disputed=1)
        assert verdict(wide, disputed).startswith("Nothing is shown yet: the readers of 1 notes")
        (caveat,) = set(caveats(wide, disputed)) - set(caveats(wide, settled))
        assert "adjudicate them" in caveat
        write_proof(wide, disputed, page)
        assert 'class="verdict open"' in page.read_text("utf-8")


def test_the_report_says_what_is_shown_and_what_is_not(tmp_path):
    sample = Sample("<en_deid>", 9, disputed=2, skipped=1, claim=0.98)
    proof = prove(NOTES)
    assert verdict(proof, replace(sample, disputed=0)).startswith("Not shown:")
    wide = prove([reviewed("Ann saw Bo", "Ann Bo", note_id=str(number)) for number in range(99)])
    assert verdict(wide, Sample("m", 99, claim=0.96)).startswith("Shown:")
    assert len(caveats(proof, sample)) == 4
    write_proof(proof, sample, tmp_path / "proof.html")
    html = (tmp_path / "proof.html").read_text("utf-8")
    assert "&lt;en_deid&gt;" in html and "not an expert determination" in html
    assert disclaimer(proof) in html.replace("&#39;", "'")
    assert html.count("<table") == len(proof_tables(proof, sample))
    written = json.dumps(proof_to_json(proof, sample), allow_nan=False)
    assert '"lower_bound"' in written and "Dee" not in written + html
    assert all(as_text(table) for table in proof_tables(proof, sample))
