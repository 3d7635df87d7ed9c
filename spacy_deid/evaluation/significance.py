"""Statistical significance: randomization test and bootstrap intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from .matching import CRITERIA, Criterion
from .scores import Scores, note_measures

AVERAGES = ("micro", "macro")
_MOST_DRAWS = 2_000_000  # random draws held at a time, to bound memory


class Figures(NamedTuple):
    """Values for precision, recall and F1."""

    precision: float
    recall: float
    f1: float


class Interval(NamedTuple):
    """A bootstrap confidence interval."""

    low: Figures
    high: Figures


def randomization_test(
    first: Scores, second: Scores, *, shuffles: int = 9_999, seed: int = 1
) -> Mapping[tuple[Criterion, str], Figures]:
    """The p-values of the differences between two systems.

    Approximate randomization (Noreen 1989; Chinchor 1992): each shuffle swaps the outputs of the
    two systems for each note with probability 0.5; p = (m + 1) / (shuffles + 1), where m is the
    number of shuffles with a difference at least as large as the observed one.

    RETURNS (Mapping): The p-values, by criterion and average ("micro" or "macro").
    RAISES (ValueError): If the scores are not for the same notes, or there are no notes.
    """
    if first.ids != second.ids:
        raise ValueError("the two systems were not scored on the same notes")
    if not first.ids:
        raise ValueError("there are no notes to compare the systems on")
    ours, theirs = _additive(first.counts), _additive(second.counts)
    total, difference = ours.sum(axis=0) + theirs.sum(axis=0), ours - theirs
    observed = np.abs(_figures(ours.sum(axis=0)) - _figures(theirs.sum(axis=0)))
    as_large = np.zeros(observed.shape)
    rng = np.random.default_rng(seed)
    for size in _portions(shuffles, len(difference)):
        signs = rng.integers(0, 2, (size, len(difference)), dtype=np.int8) * 2.0 - 1.0
        shuffled = signs @ difference
        found = np.abs(_figures((total + shuffled) / 2) - _figures((total - shuffled) / 2))
        as_large += (found >= observed - 1e-12).sum(axis=0)
    return _by_criterion((as_large + 1) / (shuffles + 1))


def confidence_intervals(
    scores: Scores, *, resamples: int = 9_999, seed: int = 1
) -> Mapping[tuple[Criterion, str], Interval]:
    """Percentile bootstrap intervals of 95% (Efron 1979), resampling notes with replacement.

    RETURNS (Mapping): The intervals, by criterion and average ("micro" or "macro").
    RAISES (ValueError): If there are no notes.
    """
    if not scores.ids:
        raise ValueError("there are no notes to draw from")
    values, n = _additive(scores.counts), len(scores.ids)
    rng = np.random.default_rng(seed)
    drawn = [
        _figures(rng.multinomial(n, np.full(n, 1 / n), size) @ values)
        for size in _portions(resamples, n)
    ]
    low, high = np.percentile(np.concatenate(drawn), [2.5, 97.5], axis=0)
    lows, highs = _by_criterion(low), _by_criterion(high)
    return {key: Interval(lows[key], highs[key]) for key in lows}


def _additive(counts: np.ndarray) -> np.ndarray:
    """Values per note whose sums give both averages.

    RETURNS (np.ndarray): For each criterion tp, fp, fn, and the note's share of mean precision and
        recall, flattened. *Shape:* `(n_notes, n_criteria * 5)`
    """
    values = np.concatenate([counts, note_measures(counts) / len(counts)], axis=2)
    return values.reshape(len(counts), -1)


def _figures(sums: np.ndarray) -> np.ndarray:
    """Micro and macro precision, recall and F1 from sums of `_additive` values.

    RETURNS (np.ndarray): *Shape:* `(..., n_criteria, 2, 3)`
    """
    sums = sums.reshape(*sums.shape[:-1], -1, 5)
    both = np.stack([note_measures(sums[..., :3]), sums[..., 3:]], axis=-2)
    precision, recall = both[..., 0], both[..., 1]
    bottom = precision + recall
    f1 = 2 * precision * recall / np.where(bottom == 0, 1, bottom)
    return np.concatenate([both, f1[..., None]], axis=-1)


def _by_criterion(figures: np.ndarray) -> dict[tuple[Criterion, str], Figures]:
    return {
        (criterion, average): Figures(*figures[i, j].tolist())
        for i, criterion in enumerate(CRITERIA)
        for j, average in enumerate(AVERAGES)
    }


def _portions(total: int, width: int) -> Iterator[int]:
    """Sizes of batches that add up to `total`, each within the memory bound."""
    most = max(1, _MOST_DRAWS // width)
    while total > 0:
        yield min(most, total)
        total -= most
