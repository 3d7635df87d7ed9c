from __future__ import annotations

import numpy as np
import pytest
from load_script import load_script
from scipy.stats import binomtest

from spacy_deid.prove import exact_bounds, measure_share, plan_sample


@pytest.mark.parametrize(("hits", "total"), [(0, 10), (7, 10), (10, 10), (958, 970)])
def test_exact_bounds_are_those_of_clopper_and_pearson(hits, total):
    interval = binomtest(hits, total).proportion_ci(0.9, method="exact")
    assert exact_bounds(hits, total, 0.95) == pytest.approx((interval.low, interval.high))


def test_no_items_tell_nothing():
    share = measure_share(np.zeros(3), np.zeros(3))
    assert share.estimate is None and share.clustered == (0, 1)


def test_misses_in_one_note_tell_less_than_misses_in_many():
    totals = np.full(50, 20)
    spread, heaped = totals.copy(), totals.copy()
    spread[:20] -= 1
    heaped[0] -= 20
    one, other = measure_share(spread, totals), measure_share(heaped, totals)
    assert one.exact == other.exact
    assert one.design_effect < 1.2 and other.design_effect > 10
    assert other.clustered.low < one.clustered.low < one.estimate < one.clustered.high
    assert one.clustered.low == pytest.approx(one.exact.low, abs=0.001)


def test_few_misses_are_taken_for_clustered_as_planned():
    totals = np.full(50, 20)
    share = measure_share(totals, totals, planned=2.0)
    assert share.design_effect > 2
    assert share.clustered.low < share.exact.low == pytest.approx(0.05 ** (1 / 1000))


def test_bounds_are_the_same_each_time():
    hits, totals = np.array([9, 8, 5]), np.array([9, 9, 9])
    assert measure_share(hits, totals) == measure_share(hits, totals)


def test_plan_of_the_smallest_sample():
    plan = plan_sample(0.98)
    assert (plan.independent, plan.misses) == (1271, 17)
    assert plan.power == pytest.approx(0.907, abs=0.0005)
    assert exact_bounds(plan.independent - plan.misses, plan.independent).low >= 0.98
    assert exact_bounds(plan.independent - 1 - plan.misses, plan.independent - 1).low < 0.98
    assert (plan.pieces, plan.allowed, plan.notes(25)) == (2542, 34, 102)
    assert plan_sample(0.95, expected=1).independent == 59


def test_a_plan_has_a_good_chance_where_misses_cluster_as_assumed():
    """Misses are beta-binomial, with the design effect of the plan."""
    plan, per_note, rng = plan_sample(0.98), 25, np.random.default_rng(1)
    spread = (per_note - 1) / (plan.design_effect - 1) - 1
    rates = spread * (1 - plan.expected), spread * plan.expected
    pieces = np.full(plan.notes(per_note), per_note)
    shown = 0
    for _ in range(400):
        missed = rng.binomial(pieces, rng.beta(*rates, len(pieces)))
        shown += measure_share(pieces - missed, pieces, resamples=0).clustered.low >= plan.claim
    assert 0.78 < shown / 400 < plan.power


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"claim": 1.2}, "the claim is 1.2"),
        ({"claim": 0.98, "confidence": 0.5}, "must lie between 0.5 and 1"),
        ({"claim": 0.98, "expected": 0.97}, "must be above the claim"),
        ({"claim": 0.98, "expected": 0.98001}, "too close to the claim"),
        ({"claim": 0.98, "design_effect": 0.5}, "at least 1"),
        ({"claim": 0.98, "design_effect": float("inf")}, "at least 1"),
    ],
)
def test_impossible_plans_are_refused(values, reason):
    with pytest.raises(ValueError, match=reason):
        plan_sample(**values)


@pytest.mark.parametrize("correlation", [0.0, 0.02])
def test_bounds_hold_as_often_as_they_say(correlation):
    script = load_script("benchmarks/bounds.py")
    scenario = script.Scenario(60, 0.96, correlation)
    coverage = script.simulate(scenario, 150, resamples=0)
    assert coverage["clustered"] >= 0.92 and coverage["corrected"] >= 0.92
    assert coverage["exact"] <= coverage["clustered"]
