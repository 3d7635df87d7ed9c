"""A proof: what reviewed notes show about the system that searched them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..annotation.notes import PhiSpan
from ..annotation.phi import CATEGORY, PHI_TYPES
from .bounds import PLANNED_DESIGN_EFFECT, Share, check_confidence, measure_share
from .readers import (
    Agreement,
    Recapture,
    Trials,
    agreements,
    corrected_recall,
    count_trials,
    recapture,
)
from .reviewed import ReviewedNote

ALL = "all"
"""The key of all categories together."""

_Counts = dict[str, tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What the reviewed notes of a random sample show."""

    confidence: float
    notes: int
    patients: int
    words: int
    seconds: int
    by_patient: bool  # whether all notes have a patient, so that clusters are patients
    recall: Mapping[str, Share]  # pieces of PHI marked to the last letter, by category
    precision: Mapping[str, Share]  # marked pieces that overlap PHI, by category
    leak_free_notes: Share  # notes without missed PHI
    elusion: Share  # missed pieces of PHI in the words that were not marked
    trials: Mapping[str, Trials]  # what readers caught without being shown it, by source
    # recall and bound, corrected for what readers miss; None if that was not measured
    corrected: tuple[float, float] | None
    # what two readers found of what the system missed; None if unknown
    recapture: Recapture | None
    agreement: Mapping[tuple[str, str], Agreement]  # agreement of each two readers

    @property
    def lower_bound(self) -> float:
        """The recall that is proven: the corrected bound where readers were measured."""
        bound = self.recall[ALL].clustered.low
        return min(bound, self.corrected[1]) if self.corrected else bound


def prove(
    notes: Sequence[ReviewedNote],
    *,
    confidence: float = 0.95,
    design_effect: float = PLANNED_DESIGN_EFFECT,
    agreement: Mapping[tuple[str, str], Agreement] | None = None,
) -> Proof:
    """Measure a system on a random sample of reviewed notes.

    confidence (float): Confidence of each bound.
    design_effect (float): The least design effect to assume where too few misses tell.
    agreement (Mapping | None): How far each two readers agree, also on notes that are left out as
        disputed; by default, how far on these notes.
    RAISES (ValueError): If there are no notes, or the confidence is out of range.
    """
    if not notes:
        raise ValueError("no note of the random sample is reviewed to the end")
    check_confidence(confidence)
    clusters = _numbers(note.cluster for note in notes)

    def measure(counts: Iterable[tuple[int, int]]) -> Share:
        hits, totals = np.zeros((2, clusters.max() + 1))
        for cluster, (hit, total) in zip(clusters, counts, strict=True):
            hits[cluster] += hit
            totals[cluster] += total
        return measure_share(
            hits,
            totals,
            confidence=confidence,
            planned=design_effect,
        )

    found = [_count(note.gold.spans, note.covered(note.found)) for note in notes]
    marked = [_count(n.found, [any(map(s.overlaps, n.gold.spans)) for s in n.found]) for n in notes]
    recall = {name: measure(_column(found, name)) for name in _categories(found)}
    missed = [total - hit for hit, total in _column(found, ALL)]
    words = [len(note.gold.text.split()) for note in notes]
    trials = count_trials(notes)
    return Proof(
        confidence=confidence,
        notes=len(notes),
        patients=len({note.patient_id for note in notes if note.patient_id}),
        words=sum(words),
        seconds=round(sum(reading.seconds for note in notes for reading in note.readings)),
        by_patient=all(note.patient_id for note in notes),
        recall=recall,
        precision={name: measure(_column(marked, name)) for name in _categories(marked)},
        leak_free_notes=measure((int(not misses), 1) for misses in missed),
        elusion=measure(zip(missed, map(_unmarked_words, notes), strict=True)),
        trials=trials,
        corrected=corrected_recall(recall[ALL], trials.values(), list(_readers(notes)), confidence),
        recapture=recapture(notes),
        agreement=agreements(notes) if agreement is None else agreement,
    )


def _count(spans: Sequence[PhiSpan], good: Sequence[bool]) -> _Counts:
    """Number of spans that are good, and of all, by category."""
    counts: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for span, hit in zip(spans, good, strict=True):
        for name in (ALL, CATEGORY[span.type]):
            hits, total = counts[name]
            counts[name] = hits + hit, total + 1
    return dict(counts)


def _column(counts: Iterable[_Counts], name: str) -> list[tuple[int, int]]:
    return [each.get(name, (0, 0)) for each in counts]


def _categories(counts: Iterable[_Counts]) -> list[str]:
    names = {name for each in counts for name in each}
    return [ALL, *(name for name in PHI_TYPES if name in names)]


def _unmarked_words(note: ReviewedNote) -> int:
    """Number of words outside of all marked pieces."""
    text = note.gold.text
    marked = sum(len(text[span.start : span.end].split()) for span in note.found)
    return max(len(text.split()) - marked, sum(not hit for hit in note.covered(note.found)))


def _readers(notes: Sequence[ReviewedNote]) -> Iterator[tuple[int, float]]:
    """Numbers of readers of a note, each with its share of the PHI."""
    pieces: Counter[int] = Counter()
    for note in notes:
        pieces[len(note.readings)] += len(note.gold.spans)
    for number, count in pieces.items():
        yield number, count / (pieces.total() or 1)


def _numbers(names: Iterable[str]) -> np.ndarray:
    """The number of each name, in order of appearance."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(name, len(seen)) for name in names])
