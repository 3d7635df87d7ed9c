"""Randomization and bootstrap, against enumeration of every exchange and the textbook."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from spacy_deid.evaluation import CRITERIA, Criterion, Scores
from spacy_deid.evaluation.significance import confidence_intervals, randomization_test

STRICT = Criterion("strict")


def make_scores(counts):
    """Scores of notes whose counts (tp, fp, fn) are the same by every criterion."""
    counts = np.repeat(np.asarray(counts)[:, None], len(CRITERIA), axis=1)
    ids = tuple(str(i) for i in range(len(counts)))
    none = np.zeros(len(ids), dtype=int)
    return Scores(
        ids=ids,
        counts=counts,
        types={},
        leaks={},
        leaked_tokens=none,
        leaked_mentions=none,
        false_alarms=none,
        words=none,
    )


def f1(counts):
    tp, fp, fn = np.sum(counts, axis=0)
    return 2 * tp / (2 * tp + fp + fn)


OURS = [(8, 1, 2), (5, 0, 1), (7, 2, 0), (3, 1, 1), (9, 0, 1), (4, 0, 0)]
THEIRS = [(6, 2, 4), (5, 1, 1), (4, 2, 3), (2, 0, 2), (8, 2, 2), (3, 2, 1)]


def test_randomization_equals_all_exchanges():
    """Six notes have 64 exchanges; many random ones come near the exact share."""
    observed = abs(f1(OURS) - f1(THEIRS))
    extreme = 0
    for exchange in product([False, True], repeat=len(OURS)):
        first = [b if swap else a for a, b, swap in zip(OURS, THEIRS, exchange, strict=True)]
        second = [a if swap else b for a, b, swap in zip(OURS, THEIRS, exchange, strict=True)]
        extreme += abs(f1(first) - f1(second)) >= observed - 1e-12
    chances = randomization_test(make_scores(OURS), make_scores(THEIRS), shuffles=40_000)
    assert chances[STRICT, "micro"].f1 == pytest.approx(extreme / 64, abs=0.01)


def test_randomization_macro_recall_equals_all_exchanges():
    def recall(rows):
        return np.mean([tp / (tp + fn) for tp, _, fn in rows])

    observed = abs(recall(OURS) - recall(THEIRS))
    pairs = list(zip(OURS, THEIRS, strict=True))
    extreme = sum(
        abs(
            recall([pair[i] for pair, i in zip(pairs, exchange, strict=True)])
            - recall([pair[1 - i] for pair, i in zip(pairs, exchange, strict=True)])
        )
        >= observed - 1e-12
        for exchange in product([0, 1], repeat=len(pairs))
    )
    chances = randomization_test(make_scores(OURS), make_scores(THEIRS), shuffles=40_000)
    assert chances[STRICT, "macro"].recall == pytest.approx(extreme / 64, abs=0.01)


def test_randomization_of_equal_systems_is_one():
    chances = randomization_test(make_scores(OURS), make_scores(OURS), shuffles=99)
    assert {p for figures in chances.values() for p in figures} == {1.0}


def test_randomization_smallest_p_is_one_in_shuffles_plus_one():
    """50 notes, one system always right and the other always wrong: no shuffle is as extreme."""
    right, wrong = make_scores([(1, 0, 0)] * 50), make_scores([(0, 1, 1)] * 50)
    assert randomization_test(right, wrong, shuffles=999)[STRICT, "micro"].f1 == 1 / 1000


def test_randomization_is_seeded_and_symmetric():
    settings = {"shuffles": 500, "seed": 7}
    ours, theirs = make_scores(OURS), make_scores(THEIRS)
    chances = randomization_test(ours, theirs, **settings)
    assert chances == randomization_test(ours, theirs, **settings)
    assert chances == randomization_test(theirs, ours, **settings)
    assert chances != randomization_test(ours, theirs, shuffles=500, seed=8)


def test_significance_refuses_what_cannot_be_compared():
    with pytest.raises(ValueError, match="not scored on the same notes"):
        randomization_test(make_scores(OURS), make_scores(THEIRS[:-1]))
    nothing = make_scores(np.zeros((0, 3), dtype=int))
    with pytest.raises(ValueError, match="no notes"):
        randomization_test(nothing, nothing)
    with pytest.raises(ValueError, match="no notes"):
        confidence_intervals(nothing)


def test_intervals_hold_the_figure():
    scores = make_scores(OURS)
    intervals = confidence_intervals(scores, resamples=2000)
    for average, figure in (("micro", f1(OURS)), ("macro", scores.macro("strict").f1)):
        interval = intervals[STRICT, average]
        assert interval.low.f1 < figure < interval.high.f1 <= 1


def test_intervals_agree_with_the_normal_approximation():
    """Macro recall is a mean of independent values: its standard error is known."""
    rng = np.random.default_rng(3)
    hits = rng.integers(0, 11, 400)
    scores = make_scores(np.stack([hits, np.zeros_like(hits), 10 - hits], axis=1))
    interval = confidence_intervals(scores)[STRICT, "macro"]
    error = scores.macro("strict").recall_sd / 400**0.5
    width = interval.high.recall - interval.low.recall
    assert width == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_intervals_of_one_note_are_a_point():
    interval = confidence_intervals(make_scores(OURS[:1]), resamples=50)[STRICT, "micro"]
    assert interval.low == interval.high
    assert interval.low.recall == 0.8


@pytest.mark.timeout(60)
def test_significance_of_many_notes_ends():
    """514 notes and 9,999 shuffles take well under a second; done one by one, minutes."""
    rng = np.random.default_rng(1)
    ours, theirs = (make_scores(rng.integers(0, 60, (514, 3))) for _ in range(2))
    p = randomization_test(ours, theirs)[STRICT, "micro"]
    assert 0 < p.f1 <= 1
