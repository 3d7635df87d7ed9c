"""Confidence thresholds: recall and precision at each of them, and calibration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from tqdm import tqdm

from ..annotation.candidates import DECIDED
from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import LabelSet
from ..merger import PHI_GROUP, PhiMerger, using_threshold
from ..tagger.pipe import PhiTagger
from .matching import span_tokens
from .scores import Scores, score_notes

THRESHOLDS = (
    *(0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45),
    *(0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99),
)
"""Thresholds of a sweep. 0.5 keeps the detectors' own decisions."""

_BINS = 10  # of a calibration


@dataclass(frozen=True)
class OperatingPoint:
    """The scores of a model at a threshold, with other thresholds for some types."""

    threshold: float
    by_type: Mapping[str, float]
    scores: Scores


@dataclass(frozen=True)
class Calibration:
    """Calibration of candidate tokens in bins of equal width: their mean confidence, the share that
    is PHI in the gold, and their number. *Shape:* `(_BINS,)`
    """

    confidence: np.ndarray
    phi_share: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> Calibration:
        """The calibration of candidates: confidence, is PHI. *Shape:* `(n_candidates, 2)`"""
        confidence, truth = rows.T
        bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
        counts = np.bincount(bins, minlength=_BINS)
        sums = (np.bincount(bins, values, _BINS) for values in (confidence, truth))
        means = [values / np.maximum(counts, 1) for values in sums]
        return cls(means[0], means[1], counts)

    @property
    def expected_error(self) -> float:
        """Expected calibration error (Naeini et al. 2015): mean gap, weighted by the counts."""
        gaps = np.abs(self.confidence - self.phi_share)
        return float((gaps * self.counts).sum() / max(self.counts.sum(), 1))


class Sweeper:
    """Runs a model's detectors once and merges their candidates at any threshold.

    nlp (Language): A pipeline whose last pipe is a `phi_merger`.
    gold (Sequence[Note]): Notes with the gold PHI; use a development set to choose a threshold.
    """

    def __init__(
        self,
        nlp: Language,
        gold: Sequence[Note],
        *,
        label_set: LabelSet | None = None,
        progress: bool = False,
    ) -> None:
        merger = final_merger(nlp)
        if merger is None:
            raise ValueError("a threshold needs a model whose last pipe is a phi_merger")
        self.nlp = nlp
        self.merger = merger
        self.gold = list(gold)
        self.label_set = label_set
        with nlp.select_pipes(disable=[nlp.pipe_names[-1]]), ExitStack() as stack:
            for _, pipe in nlp.pipeline:
                if isinstance(pipe, PhiTagger):  # report low-confidence candidates, too
                    stack.enter_context(_settings(pipe, min_score=min(THRESHOLDS)))
            docs = nlp.pipe(note.text for note in self.gold)
            bar = tqdm(docs, "detectors", len(self.gold), disable=None if progress else True)
            self.docs = list(bar)

    def point(self, threshold: float, by_type: Mapping[str, float] | None = None) -> OperatingPoint:
        """The scores at a threshold, with other thresholds for some types."""
        by_type = dict(by_type or {})
        with self._merging(threshold, by_type):
            pairs = zip(self.docs, self.gold, strict=True)
            system = [Note(note.id, note.text, _merged(self.merger(doc))) for doc, note in pairs]
        scores = score_notes(self.gold, system, label_set=self.label_set)
        return OperatingPoint(threshold, by_type, scores)

    def sweep(self, thresholds: Iterable[float] = THRESHOLDS) -> list[OperatingPoint]:
        """The scores at each threshold."""
        return [self.point(threshold) for threshold in thresholds]

    def point_by_type(
        self, points: Sequence[OperatingPoint], recall: float
    ) -> OperatingPoint | None:
        """The scores with thresholds by type, chosen from a sweep, if they reach the recall.

        The threshold of a label is that of each PHI type it covers.
        """
        lower: dict[str, float] = {}
        for name, threshold in thresholds_by_type(points, recall).items():
            for phi_type in self.label_set.types[name] if self.label_set else (name,):
                lower[phi_type] = min(threshold, lower.get(phi_type, DECIDED))
        lower = {name: threshold for name, threshold in lower.items() if threshold < DECIDED}
        return best_point([self.point(DECIDED, lower)], recall)

    def calibrate(self) -> Calibration:
        """Compare confidences with the gold, at the lowest threshold of a sweep."""
        with self._merging(min(THRESHOLDS), {}):
            pairs = zip(self.docs, self.gold, strict=True)
            rows = [row for doc, note in pairs for row in _token_truths(self.merger(doc), note)]
        return Calibration.of(np.asarray(rows, dtype=float).reshape(-1, 2))

    @contextmanager
    def _merging(self, threshold: float, by_type: Mapping[str, float]) -> Iterator[None]:
        with using_threshold(self.nlp, threshold), _settings(self.merger, type_thresholds=by_type):
            yield


def final_merger(nlp: Language) -> PhiMerger | None:
    """The `phi_merger` that is the last pipe, or None."""
    last = nlp.pipeline[-1][1] if nlp.pipeline else None
    return last if isinstance(last, PhiMerger) else None


def best_point(points: Iterable[OperatingPoint], recall: float) -> OperatingPoint | None:
    """The point of highest precision that reaches a token recall, or None."""

    def rank(point: OperatingPoint) -> tuple[float, float]:
        return point.scores.token.precision, point.threshold

    reaching = [point for point in points if point.scores.token.recall >= recall]
    return max(reaching, key=rank, default=None)


def thresholds_by_type(points: Sequence[OperatingPoint], recall: float) -> dict[str, float]:
    """For each type, the highest threshold at which its tokens reach this recall.

    A type that never reaches it gets the highest threshold with its best recall. No threshold is
    above `DECIDED`: a type with few mentions is no reason to trust the detectors less.
    """
    result = {}
    for name in points[0].scores.leaks:
        recalls = [(point.scores.leaks[name].recall, point.threshold) for point in points]
        reaching = [threshold for covered, threshold in recalls if covered >= recall]
        top = max(covered for covered, _ in recalls)
        threshold = max(reaching or (t for covered, t in recalls if covered == top))
        result[name] = min(threshold, DECIDED)
    return result


@contextmanager
def _settings(pipe: Pipe, **values: Any) -> Iterator[None]:
    """Set attributes of a pipe inside the block."""
    before = {name: getattr(pipe, name) for name in values}
    try:
        for name, value in values.items():
            setattr(pipe, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(pipe, name, value)


def _merged(doc: Doc) -> tuple[PhiSpan, ...]:
    """The merged PHI of a doc. Its entities may hold other PHI, as of another threshold."""
    group = doc.spans[PHI_GROUP]
    return tuple(PhiSpan(span.start_char, span.end_char, span.label_) for span in group)


def _token_truths(doc: Doc, note: Note) -> Iterator[tuple[float, bool]]:
    """The confidence of each token of the merged PHI, and whether it is PHI in the gold."""
    true = {token for span in note.spans for token in span_tokens(note.text, span)}
    for span, score in zip(_merged(doc), doc.spans[PHI_GROUP].attrs["scores"], strict=True):
        for token in span_tokens(note.text, span):
            yield score, token in true
