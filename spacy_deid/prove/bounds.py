"""Confidence bounds of a share: exact, by cluster bootstrap, and exact for clustered events.

Misses come in clusters: a note in an unusual form has many. Bounds that take them for independent
are then too narrow. The clustered bounds follow Korn & Graubard (1998): Clopper-Pearson with the
effective sample size, which is the sample size divided by the design effect. `benchmarks/bounds.py`
measures how often each kind of bound holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import beta, norm, t

PLANNED_DESIGN_EFFECT = 2.0
"""Design effect that is assumed as long as it cannot be measured.

On the notes in `benchmarks/`, that of the recall of `en_deid` is 1.5 to 3.8.
"""

_FEW = 10  # clusters with an event, below which their design effect is too uncertain


class Bounds(NamedTuple):
    """One-sided confidence bounds; each holds with the confidence on its own."""

    low: float
    high: float


@dataclass(frozen=True)
class Share:
    """A share of items that were drawn in clusters, such as the pieces of PHI of patients.

    Claims rest on the clustered bounds.
    """

    hits: int  # items that count
    total: int
    clusters: int  # number of clusters with items
    design_effect: float  # how many times the variance is that of independent items, at least 1
    exact: Bounds  # Clopper-Pearson, as if items were independent
    bootstrap: Bounds  # percentiles of resampled clusters; too narrow where events are few
    clustered: Bounds  # Clopper-Pearson with the effective sample size

    @property
    def estimate(self) -> float | None:
        """The share itself; None without items."""
        return self.hits / self.total if self.total else None

    @property
    def effective(self) -> tuple[float, float]:
        """Hits and total of as many independent items as tell the same."""
        ratio = 1 / self.design_effect
        return self.hits * ratio, self.total * ratio


def check_confidence(confidence: float) -> None:
    """Raise a ValueError if the confidence of a bound is out of range."""
    if not 0.5 < confidence < 1:
        raise ValueError(f"the confidence is {confidence:g}; it must lie between 0.5 and 1")


def exact_bounds(hits: float, total: float, confidence: float = 0.95) -> Bounds:
    """Clopper-Pearson bounds of a binomial share.

    hits, total (float): Numbers of items; fractions are those of an effective sample size.
    confidence (float): Confidence of each of the two bounds.
    """
    low = beta.ppf(1 - confidence, hits, total - hits + 1) if hits > 0 else 0.0
    high = beta.ppf(confidence, hits + 1, total - hits) if hits < total else 1.0
    return Bounds(float(low), float(high))


def measure_share(
    hits: np.ndarray,
    totals: np.ndarray,
    *,
    confidence: float = 0.95,
    planned: float = PLANNED_DESIGN_EFFECT,
    resamples: int = 2_000,
    seed: int = 1,
) -> Share:
    """Measure a share with all its bounds.

    hits, totals (np.ndarray): Items that count and all items of each cluster. *Shape:* `(n,)`
    planned (float): Design effect to assume at least, if fewer than ten clusters hold an event.
    resamples (int): Resamples of the bootstrap; 0 for none.
    """
    hits, totals = (np.asarray(x, dtype=float)[np.asarray(totals) > 0] for x in (hits, totals))
    k, n, clusters = int(hits.sum()), int(totals.sum()), len(totals)
    if not n:
        unknown = Bounds(0.0, 1.0)
        return Share(0, 0, 0, planned, unknown, unknown, unknown)
    effect = _design_effect(hits, totals, planned, confidence)
    return Share(
        k,
        n,
        clusters,
        effect,
        exact_bounds(k, n, confidence),
        _bootstrap(hits, totals, confidence, resamples, seed),
        exact_bounds(k / effect, n / effect, confidence),
    )


def _design_effect(
    hits: np.ndarray, totals: np.ndarray, planned: float, confidence: float
) -> float:
    """The design effect, with a correction for the number of clusters it is measured from."""
    events = hits if 2 * hits.sum() <= totals.sum() else totals - hits  # the rarer kind
    # Counting the worst cluster twice keeps few clusters from hiding that they vary.
    worst = int(events.argmax())
    variance = _variance_ratio(np.append(events, events[worst]), np.append(totals, totals[worst]))
    if (events > 0).sum() < _FEW:
        variance = max(variance, planned)
    freedom = max(len(totals) - 1, 1)
    wider = (t.ppf(confidence, freedom) / norm.ppf(confidence)) ** 2 if confidence > 0.5 else 1.0
    return float(max(variance, 1.0) * wider)


def _variance_ratio(events: np.ndarray, totals: np.ndarray) -> float:
    """Variance of a ratio over clusters, by linearization, over that of independent items."""
    n, clusters = totals.sum(), len(totals)
    share = events.sum() / n
    independent = share * (1 - share) / n
    if independent == 0:
        return 1.0
    residuals = events - share * totals
    return float(clusters / (clusters - 1) * (residuals**2).sum() / n**2 / independent)


def _bootstrap(
    hits: np.ndarray, totals: np.ndarray, confidence: float, resamples: int, seed: int
) -> Bounds:
    if not resamples:
        return Bounds(0.0, 1.0)
    n = len(totals)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), resamples)
    shares = (drawn @ hits) / np.maximum(drawn @ totals, 1)
    low, high = np.quantile(shares, [1 - confidence, confidence])
    return Bounds(float(low), float(high))
