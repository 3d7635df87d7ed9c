"""What readers miss themselves, and how it lowers the recall.

Readers are measured on PHI that is known, but was not shown to them: detections that were held
back in some notes (planted) or in all of a note (blind), and what another reader found where the
system found nothing (capture and recapture).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..annotation.notes import Note, PhiSpan
from ..evaluation.scores import score_notes
from .bounds import Share, exact_bounds
from .reviewed import ReviewedNote

SOURCES = ("planted", "blind", "other reader")
"""How it is known that there was something to find."""

_DRAWS = 20_000


class Trials(NamedTuple):
    """PHI that readers were not shown: how much of it they caught."""

    caught: int
    total: int


@dataclass(frozen=True)
class Recapture:
    """Pieces of PHI that two readers found of what the system missed (Chapman 1951)."""

    first: int
    second: int
    both: int

    @property
    def found(self) -> int:
        """Pieces that at least one of the two found."""
        return self.first + self.second - self.both

    @property
    def estimate(self) -> float:
        """Estimated number of pieces that there are."""
        return (self.first + 1) * (self.second + 1) / (self.both + 1) - 1


class Agreement(NamedTuple):
    """How far two readers agree before adjudication."""

    notes: int
    strict: float  # F1 of spans with type and exact bounds
    token: float  # F1 of tokens, whatever their type
    kappa: float  # Cohen's kappa of tokens, PHI or not


def count_trials(notes: Iterable[ReviewedNote]) -> dict[str, Trials]:
    """What readers caught without being shown it, by source."""
    caught: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for note in notes:
        firsts = [note.covered(reading.first) for reading in note.readings]
        for number, (reading, first) in enumerate(zip(note.readings, firsts, strict=True)):
            shown = note.covered(reading.shown)
            known = note.covered((*reading.shown, *reading.held))
            others = firsts[:number] + firsts[number + 1 :]
            for place, mine in enumerate(first):
                if known[place] and not shown[place]:
                    source = "blind" if note.blind else "planted"
                elif not known[place] and any(other[place] for other in others):
                    source = "other reader"
                else:
                    continue
                total[source] += 1
                caught[source] += mine
    return {source: Trials(caught[source], total[source]) for source in SOURCES}


def recapture(notes: Iterable[ReviewedNote]) -> Recapture | None:
    """Capture and recapture by the first two readers of each note.

    RETURNS (Recapture | None): None if no note has two, or they were shown what another system
        found: then what they both found does not tell what there is.
    """
    twice = [note for note in notes if len(note.readings) > 1]
    if not twice or any(_begun_with(note) != {*note.found} for note in twice):
        return None
    counts = np.zeros(3, dtype=int)
    for note in twice:
        one, other = (note.covered(reading.first) for reading in note.readings[:2])
        for found, first, second in zip(note.covered(note.found), one, other, strict=True):
            if not found:
                counts += (first, second, first and second)
    return Recapture(*counts.tolist())


def corrected_recall(
    recall: Share, trials: Iterable[Trials], readers: Sequence[tuple[int, float]], confidence: float
) -> tuple[float, float] | None:
    """Recall and its lower bound, if readers miss PHI that the system missed as they miss others.

    Of m true misses, readers find m S, where S is their sensitivity. Both the share of misses and
    the sensitivity are drawn from the beta distributions that Clopper-Pearson bounds belong to.

    readers (Sequence): Numbers of readers of a note, each with its share of the PHI.
    RETURNS (tuple[float, float] | None): Estimate and bound, 0 if readers caught nothing; None if
        readers were not measured.
    """
    caught, total = (sum(column) for column in zip(*trials, strict=True))
    if not total or recall.estimate is None:
        return None
    if not caught:
        return 0.0, 0.0

    def correct(share: np.ndarray | float, alone: np.ndarray | float) -> np.ndarray | float:
        together = sum(part * (1 - (1 - alone) ** number) for number, part in readers)
        return share / (share + (1 - share) / together)

    rng = np.random.default_rng(1)
    hits, pieces = recall.effective
    shares = _beta(rng, hits, pieces - hits + 1)
    alone = _beta(rng, caught, total - caught + 1)
    bound = np.quantile(correct(shares, alone), 1 - confidence)
    return float(correct(recall.estimate, caught / total)), float(bound)


def agreements(notes: Sequence[ReviewedNote]) -> dict[tuple[str, str], Agreement]:
    """How far each two readers agree on the notes that both have read."""
    names = sorted({reading.reader for note in notes for reading in note.readings})
    result = {}
    for one, other in combinations(names, 2):
        pairs = [
            (replace(note.gold, spans=mine[0].spans), replace(note.gold, spans=theirs[0].spans))
            for note in notes
            if (mine := [r for r in note.readings if r.reader == one])
            and (theirs := [r for r in note.readings if r.reader == other])
        ]
        if pairs:
            result[one, other] = _agreement(pairs)
    return result


def sensitivity(trials: Trials, confidence: float) -> tuple[float | None, float]:
    """Share of what readers caught, and its exact lower bound."""
    caught, total = trials
    return (caught / total if total else None), exact_bounds(caught, total, confidence).low


def _begun_with(note: ReviewedNote) -> set[PhiSpan]:
    """What the system had found that its readers began with."""
    begun = note.readings[0]
    return {*begun.shown, *begun.held}


def _agreement(pairs: Sequence[tuple[Note, Note]]) -> Agreement:
    scores = score_notes(*zip(*pairs, strict=True))
    token = scores.token
    words = max(int(scores.words.sum()), token.total + token.fp)
    observed = 1 - (token.fp + token.fn) / (words or 1)
    one, other = (token.tp + token.fn) / (words or 1), (token.tp + token.fp) / (words or 1)
    expected = one * other + (1 - one) * (1 - other)
    kappa = (observed - expected) / (1 - expected) if expected < 1 else 1.0
    both_empty = not token.total and not token.fp
    strict = 1.0 if both_empty else scores.micro("strict").f1
    return Agreement(len(pairs), strict, 1.0 if both_empty else token.f1, kappa)


def _beta(rng: np.random.Generator, a: float, b: float) -> np.ndarray:
    return rng.beta(a, b, _DRAWS) if a > 0 else np.zeros(_DRAWS)
