from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Span

from spacy_deid.annotation.candidates import write_candidates
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import LabelSet
from spacy_deid.evaluation.thresholds import (
    Calibration,
    Sweeper,
    best_point,
    thresholds_by_type,
)

CONFIDENCE = {"Ann": ("PATIENT", 0.9), "Bo": ("PATIENT", 0.3), "Rye": ("CITY", 0.2)}
CONFIDENCE |= {"rye": ("CITY", 0.15), "May": ("DATE", 0.6)}


@Language.component("toy_sure")
def toy_sure(doc):
    found = [(token.i, *CONFIDENCE[token.text]) for token in doc if token.text in CONFIDENCE]
    spans = [(Span(doc, i, i + 1, label=label), score) for i, label, score in found]
    write_candidates(doc, "toy_sure", spans)
    return doc


@pytest.fixture
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("toy_sure")
    nlp.add_pipe("phi_merger", config={"detectors": ["toy_sure"], "propagate": False})
    return nlp


GOLD = [
    Note("1", "Ann and Bo ate", (PhiSpan(0, 3, "PATIENT"), PhiSpan(8, 10, "PATIENT"))),
    Note("2", "Rye bread or rye in May", (PhiSpan(0, 3, "CITY"),)),
]


@pytest.mark.parametrize(
    "threshold, recall, precision",
    [(0.1, 1, 3 / 5), (0.2, 1, 3 / 4), (0.3, 2 / 3, 2 / 3), (0.5, 1 / 3, 1 / 2), (0.95, 0, 0)],
)
def test_sweeper_point(nlp, threshold, recall, precision):
    token = Sweeper(nlp, GOLD).point(threshold).scores.token
    assert (token.recall, token.precision) == pytest.approx((recall, precision))


@pytest.mark.parametrize("ents", ["keep", "spans_only"])
def test_points_do_not_depend_on_what_becomes_of_entities(nlp, ents):
    replaced = Sweeper(nlp, GOLD)
    expected = [point.scores.token for point in replaced.sweep()]
    nlp.get_pipe("phi_merger").ents = ents
    other = Sweeper(nlp, GOLD)
    assert [point.scores.token for point in other.sweep()] == expected
    assert other.calibrate().counts.tolist() == replaced.calibrate().counts.tolist()


def test_sweeper_leaves_the_model_as_it_was(nlp):
    sweeper = Sweeper(nlp, GOLD)
    sweeper.sweep()
    sweeper.calibrate()
    assert nlp.get_pipe("phi_merger").threshold == 0.5
    assert nlp.pipe_names == ["toy_sure", "phi_merger"]


def test_sweep_recall_never_rises_with_the_threshold(nlp):
    recalls = [point.scores.token.recall for point in Sweeper(nlp, GOLD).sweep()]
    assert recalls == sorted(recalls, reverse=True)


def test_best_point_is_the_most_precise_that_reaches_the_recall(nlp):
    points = Sweeper(nlp, GOLD).sweep()
    assert best_point(points, 1.0).threshold == 0.2
    assert best_point(points, 0.3).threshold == 0.9
    assert best_point(points[-1:], 0.5) is None


def test_thresholds_by_type_lower_only_where_it_helps(nlp):
    sweeper = Sweeper(nlp, GOLD)
    chosen = thresholds_by_type(sweeper.sweep(), 1.0)
    assert chosen == {"CITY": 0.2, "PATIENT": 0.3}
    token = sweeper.point(0.7, chosen).scores.token
    assert (token.recall, token.precision) == (1, 1)


def test_the_threshold_of_a_label_is_that_of_the_types_it_covers(nlp):
    labels = LabelSet("x", {"NAME": ("DOCTOR", "PATIENT"), "PLACE": ("CITY", "STATE")})
    spans = {"PATIENT": "NAME", "CITY": "PLACE"}
    gold = [
        replace(note, spans=tuple(replace(s, type=spans[s.type]) for s in note.spans))
        for note in GOLD
    ]
    sweeper = Sweeper(nlp, gold, label_set=labels)
    point = sweeper.point_by_type(sweeper.sweep(), 1.0)
    assert point.by_type == {"DOCTOR": 0.3, "PATIENT": 0.3, "CITY": 0.2, "STATE": 0.2}
    assert point.scores.token.recall == 1


def test_thresholds_by_type_that_cannot_be_reached(nlp):
    gold = [Note("1", "nobody here", (PhiSpan(0, 6, "PATIENT"),))]
    assert thresholds_by_type(Sweeper(nlp, gold).sweep(), 1.0) == {"PATIENT": 0.5}


def test_calibration_by_hand(nlp, monkeypatch):
    monkeypatch.setattr("spacy_deid.evaluation.thresholds._BINS", 2)
    calibration = Sweeper(nlp, GOLD).calibrate()
    assert calibration.counts.tolist() == [3, 2]
    assert calibration.confidence.tolist() == pytest.approx([(0.3 + 0.2 + 0.15) / 3, 0.75])
    assert calibration.phi_share.tolist() == pytest.approx([2 / 3, 1 / 2])
    expected = (3 * (2 / 3 - 0.65 / 3) + 2 * 0.25) / 5
    assert calibration.expected_error == pytest.approx(expected)


def test_calibration_of_nothing():
    zeros = np.zeros(10)
    assert Calibration(zeros, zeros, zeros).expected_error == 0


@pytest.mark.parametrize("pipes", [[], ["toy_sure"]])
def test_sweeper_needs_a_merger(pipes):
    nlp = spacy.blank("en")
    for pipe in pipes:
        nlp.add_pipe(pipe)
    with pytest.raises(ValueError, match="last pipe is a phi_merger"):
        Sweeper(nlp, GOLD)
