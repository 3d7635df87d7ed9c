from __future__ import annotations

from dataclasses import replace

import pytest
from toy_notes import TEXT, note

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import LABEL_SETS
from spacy_deid.evaluation.errors import ERROR_KINDS, TrainingData, analyze_errors, error_lines

NAME = (0, 11, "PATIENT")


def kinds(gold, system, **settings):
    def make(spans):
        return [Note("1", TEXT, tuple(PhiSpan(*span) for span in spans))]

    analysis = analyze_errors(make(gold), make(system), **settings)
    return [error.kind for error in analysis.errors]


@pytest.mark.parametrize(
    "system, kind",
    [
        ((0, 11, "PATIENT"), None),
        ((0, 11, "DOCTOR"), "type"),
        ((0, 5, "PATIENT"), "short"),
        ((6, 11, "PATIENT"), "short"),
        ((6, 10, "PATIENT"), "short"),
        ((0, 18, "PATIENT"), "long"),
        ((6, 18, "PATIENT"), "short-and-long"),
        ((0, 5, "CITY"), "type and extent"),
    ],
)
def test_errors_of_a_pair(system, kind):
    assert kinds([NAME], [system]) == ([kind] if kind else [])


def test_errors_without_partner():
    assert kinds([NAME], []) == ["missing"]
    assert kinds([], [NAME]) == ["spurious"]
    assert kinds([NAME], [(11, 18, "PATIENT")]) == ["missing", "spurious"]  # they only touch


def test_errors_each_span_has_one_partner():
    """The larger half is the name's partner; the other is one too many."""
    assert kinds([NAME], [(0, 5, "PATIENT"), (6, 11, "PATIENT")]) == ["short", "spurious"]
    assert kinds([(0, 5, "PATIENT"), (6, 11, "PATIENT")], [NAME]) == ["long", "missing"]


def test_errors_equal_bounds_come_before_overlap():
    gold = [(0, 11, "PATIENT"), (0, 5, "CITY")]
    assert kinds(gold, [(0, 5, "PATIENT"), (0, 11, "CITY")]) == ["type", "type"]
    assert kinds(gold, gold) == []


def test_errors_duplicates_are_one_span():
    assert kinds([NAME, NAME], [NAME]) == []


def test_errors_of_another_label_set():
    settings = {"label_set": LABEL_SETS["presidio"]}
    assert kinds([(0, 11, "PERSON")], [(0, 11, "DOCTOR")], **settings) == []
    assert kinds([(0, 11, "PERSON")], [(0, 11, "CITY")], **settings) == ["type"]


def test_errors_of_the_same_label_set():
    settings = dict.fromkeys(("label_set", "system_label_set"), LABEL_SETS["presidio"])
    assert kinds([(0, 11, "DATE_TIME")], [(0, 11, "AGE")], **settings) == ["type"]
    assert kinds([(0, 11, "AGE")], [(0, 11, "DATE_TIME")], **settings) == ["type"]


def test_error_analysis_counts(gold, system):
    analysis = analyze_errors(gold, system)
    assert analysis.kinds() == {"short": 1, "type": 1, "spurious": 1, "missing": 1, "long": 1}
    assert set(analysis.kinds()) <= set(ERROR_KINDS)
    assert analysis.pairs == {("AGE", "AGE"): 1, ("DATE", "PHONE"): 1, ("PHONE", "PHONE"): 1}
    assert analysis.gold == dict.fromkeys(
        ["PATIENT", "AGE", "DATE", "HOSPITAL", "DOCTOR", "PHONE"], 1
    )
    assert analysis.kinds_by_type()["PATIENT"] == {"short": 1, "spurious": 1}
    assert analysis.causes() == {}


def test_errors_gold_spans_are_paired_or_missing(gold, system):
    """Every gold span is in the matrix, of another extent, or missing."""
    analysis = analyze_errors(gold, system)
    extent = sum(analysis.kinds()[kind] for kind in ERROR_KINDS[1:5])
    assert analysis.gold.total() == analysis.pairs.total() + extent + analysis.kinds()["missing"]


def words(text):
    at = 0
    for word in text.split(" "):
        yield at, at + len(word)
        at += len(word) + 1


@pytest.mark.parametrize(
    "span, cause",
    [
        (("53", "AGE"), "tokenization"),
        (("seen", "CITY"), "type unseen in training"),
        (("Mercy", "HOSPITAL"), "surface seen in training"),
        (("seen", "HOSPITAL"), "surface unseen in training"),
    ],
)
def test_errors_cause_of_a_miss(span, cause):
    training = TrainingData.from_notes([note("t", ("Mercy", "HOSPITAL"), ("53", "AGE"))], words)
    analysis = analyze_errors([note("1", span)], [note("1")], training=training)
    assert [error.cause for error in analysis.errors] == [cause]
    assert analysis.causes() == {cause: 1}


def test_errors_a_note_is_tokenized_once():
    texts = []

    def bounds(text):
        texts.append(text)
        return words(text)

    training = TrainingData.from_notes([], bounds)
    missed = [note("1", ("Mercy", "HOSPITAL"), ("seen", "CITY")), note("2", ("Mercy", "HOSPITAL"))]
    missed[1] = replace(missed[1], text=missed[1].text + " Late.")
    analysis = analyze_errors(missed, [replace(n, spans=()) for n in missed], training=training)
    assert len(analysis.errors) == 3 and texts == [n.text for n in missed]


def test_errors_surface_ignores_case_and_line_breaks():
    training = TrainingData.from_notes(
        [note("t", ("maria\nLOPEZ", "PATIENT"), text="maria\nLOPEZ")]
    )
    analysis = analyze_errors(
        [note("1", ("Maria Lopez", "PATIENT"))], [note("1")], training=training
    )
    assert analysis.causes() == {"surface seen in training": 1}


def test_error_lines_mark_both_sides(gold, system, monkeypatch):
    monkeypatch.setattr("spacy_deid.evaluation.errors._SHOWN", 6)
    analysis = analyze_errors(gold, system)
    lines = list(error_lines(analysis.errors, {note.id: note.text for note in gold}))
    assert lines[0] == "a:0  short  PATIENT / PATIENT  [{Maria} Lopez], 53RH..."
    assert lines[1] == "a:20  spurious  - / PATIENT  ...3RHM, {seen} 3/4/6..."
    assert lines[3] == "a:35  missing  HOSPITAL / -  ...67 at [Mercy] by Dr..."
    assert lines[4] == "b:44  long  DOCTOR / DOCTOR  ...cy by {Dr. [Chen]}. Mari..."
