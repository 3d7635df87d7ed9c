from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry

from spacy_deid.evaluation.scorer import SCORE_WEIGHTS, make_phi_scorer

WORDS = ["Ann", "Lee", "came", "on", "Monday"]


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("en").vocab


def make_doc(vocab, ents, words=WORDS):
    doc = Doc(vocab, words=words)
    doc.set_ents([Span(doc, *ent[:2], label=ent[2]) for ent in ents])
    return doc


def test_scorer_counts(vocab):
    gold = make_doc(vocab, [(0, 2, "PATIENT"), (4, 5, "DATE")])
    system = make_doc(vocab, [(0, 1, "PATIENT"), (2, 3, "AGE"), (4, 5, "DATE")])
    scores = make_phi_scorer()([Example(system, gold)], nlp=None)
    assert scores["phi_token_p"] == scores["phi_token_r"] == pytest.approx(2 / 3)
    assert scores["phi_token_f2"] == pytest.approx(2 / 3)
    assert scores["phi_strict_p"] == pytest.approx(1 / 3)
    assert scores["phi_strict_r"] == 0.5
    assert scores["phi_strict_per_type"]["DATE"] == {"p": 1, "r": 1, "f": 1}
    assert list(scores["phi_strict_per_type"]) == ["AGE", "DATE", "PATIENT"]
    assert set(scores) == set(SCORE_WEIGHTS)


def test_scorer_compares_characters_not_tokens(vocab):
    gold = make_doc(vocab, [(0, 2, "PATIENT")])
    system = Doc(vocab, words=["An", "n", *WORDS[1:]], spaces=[False, True, True, True, True, True])
    system.set_ents([Span(system, 0, 3, label="PATIENT")])
    assert make_phi_scorer()([Example(system, gold)])["phi_strict_f"] == 1


def test_scorer_nothing_to_score(vocab):
    bare = Doc(vocab, words=WORDS)
    for examples in ([], [Example(bare, bare)]):
        scores = make_phi_scorer()(examples)
        assert set(scores) == set(SCORE_WEIGHTS)
        assert set(scores.values()) == {None}


def test_scorer_zero_predictions_and_zero_gold(vocab):
    gold, empty = make_doc(vocab, [(4, 5, "DATE")]), make_doc(vocab, [])
    scores = make_phi_scorer()([Example(empty, gold), Example(empty, empty)])
    assert scores["phi_token_f2"] == scores["phi_strict_f"] == 0
    assert make_phi_scorer()([Example(empty, empty)])["phi_token_r"] == 0


def test_scorer_is_registered():
    assert registry.scorers.get("spacy_deid.phi_scorer.v1") is make_phi_scorer
