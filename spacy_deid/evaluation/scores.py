"""Scores of a system on notes: counts, micro and macro averages, and leaks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import LabelSet
from .matching import CRITERIA, Criterion, Matcher, Outcome, span_tokens

_TOKEN_BINARY = Criterion("token", view="binary")
_NAMED_AT_ONCE = 5


@dataclass(frozen=True)
class Counts:
    """True positives, false positives and false negatives; counts can be added.

    An undefined measure (no PHI detected, or none in the gold) is 0, as in the published script.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Share of the detections that are PHI."""
        return self.tp / ((self.tp + self.fp) or 1)

    @property
    def recall(self) -> float:
        """Share of the PHI that was detected."""
        return self.tp / ((self.tp + self.fn) or 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return self.f_measure(1.0)

    @property
    def f2(self) -> float:
        """F-measure that weighs recall higher, since leaks are worse than false positives."""
        return self.f_measure(2.0)

    def f_measure(self, beta: float) -> float:
        """F-measure in which recall counts `beta` times as much as precision."""
        weight = beta * beta
        bottom = (1 + weight) * self.tp + weight * self.fn + self.fp
        return (1 + weight) * self.tp / (bottom or 1)


@dataclass(frozen=True)
class MacroAverage:
    """Mean precision and recall over notes, with population standard deviations."""

    precision: float
    recall: float
    precision_sd: float
    recall_sd: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two means, as in the published script."""
        return 2 * self.precision * self.recall / ((self.precision + self.recall) or 1)


TypeCounts = dict[str, Counts]
"""Counts of each type; a binary view has the single type ''."""


@dataclass(frozen=True)
class Scores:
    """Scores of a system on notes.

    ids (tuple[str, ...]): The notes, in the order of the gold.
    counts (np.ndarray): tp, fp and fn of each note by each criterion.
        *Shape:* `(n_notes, len(CRITERIA), 3)`
    types (Mapping[Criterion, TypeCounts]): Counts of each gold type, summed over the notes.
    leaks (TypeCounts): Detected (tp) and leaked (fn) tokens of each gold type, whatever type the
        system assigned.
    leaked_mentions (np.ndarray): Gold spans of each note with at least one leaked token.
        *Shape:* `(n_notes,)`
    """

    ids: tuple[str, ...]
    counts: np.ndarray
    types: Mapping[Criterion, TypeCounts]
    leaks: TypeCounts
    leaked_mentions: np.ndarray

    def micro(self, measure: str, scheme: str = "i2b2", view: str = "typed") -> Counts:
        """Counts of a criterion, summed over the notes."""
        place = CRITERIA.index(Criterion(measure, scheme, view))
        return Counts(*self.counts[:, place].sum(axis=0).tolist())

    def macro(self, measure: str, scheme: str = "i2b2", view: str = "typed") -> MacroAverage:
        """Averages over the notes of a criterion."""
        place = CRITERIA.index(Criterion(measure, scheme, view))
        precision, recall = note_measures(self.counts[:, place]).T
        if not len(precision):
            return MacroAverage(0.0, 0.0, 0.0, 0.0)
        means = float(precision.mean()), float(recall.mean())
        return MacroAverage(*means, float(precision.std()), float(recall.std()))

    def per_type(self, measure: str, scheme: str = "i2b2", view: str = "typed") -> TypeCounts:
        """Counts of each gold type, in alphabetical order."""
        return self.types[Criterion(measure, scheme, view)]

    @property
    def leaked_tokens(self) -> np.ndarray:
        """Number of leaked PHI tokens in each note. *Shape:* `(n_notes,)`"""
        return self.counts[:, CRITERIA.index(_TOKEN_BINARY), 2]

    @property
    def clean_notes(self) -> float:
        """Share of notes without leaked tokens."""
        return float((self.leaked_tokens == 0).mean()) if len(self.ids) else 0.0


def score_notes(
    gold: Iterable[Note], system: Iterable[Note], *, label_set: LabelSet | None = None
) -> Scores:
    """Score a system's notes against the gold notes of the same ids.

    gold (Iterable[Note]): Notes with the gold PHI; spans may overlap and occur twice.
    system (Iterable[Note]): The same notes, in any order, with the detected PHI.
    label_set (LabelSet | None): The label set of the gold types, if not the project's.
    RETURNS (Scores): The scores.
    RAISES (ValueError): If the two do not contain the same notes with the same texts.
    """
    matcher = Matcher(label_set)
    types: dict[Criterion, defaultdict[str, Counts]]
    types = {criterion: defaultdict(Counts) for criterion in CRITERIA}
    leaks: defaultdict[str, Counts] = defaultdict(Counts)
    ids, counts, mentions = [], [], []
    for one, other in pair_notes(gold, system):
        outcomes = matcher.compare(one.text, one.spans, other.spans)
        ids.append(one.id)
        counts.append([[len(items) for items in outcomes[criterion]] for criterion in CRITERIA])
        for criterion, outcome in outcomes.items():
            _add_types(types[criterion], outcome, matcher)
        mentions.append(_add_leaks(leaks, one, outcomes[_TOKEN_BINARY]))
    return Scores(
        tuple(ids),
        np.asarray(counts, dtype=np.int64).reshape(len(ids), len(CRITERIA), 3),
        {criterion: dict(sorted(per_type.items())) for criterion, per_type in types.items()},
        dict(sorted(leaks.items())),
        np.asarray(mentions, dtype=np.int64),
    )


def note_measures(counts: np.ndarray) -> np.ndarray:
    """Precision and recall from counts, 0 where undefined.

    counts (np.ndarray): tp, fp, fn. *Shape:* `(..., 3)`
    RETURNS (np.ndarray): *Shape:* `(..., 2)`
    """
    tp = counts[..., :1]
    found = tp + counts[..., 1:]
    return tp / np.maximum(found, 1)


def pair_notes(gold: Iterable[Note], system: Iterable[Note]) -> Iterator[tuple[Note, Note]]:
    """Pair gold and system notes by id, in the order of the gold.

    RAISES (ValueError): If notes are missing or duplicated on one side, or their texts differ.
    """
    golds, systems = list(gold), list(system)
    by_id = {note.id: note for note in systems}
    known = {note.id for note in golds}
    _complain("the gold has twice", _doubles(golds))
    _complain("the system has twice", _doubles(systems))
    _complain("the system lacks", [note.id for note in golds if note.id not in by_id])
    _complain("the gold lacks", [note.id for note in systems if note.id not in known])
    other_text = [note.id for note in golds if note.text != by_id[note.id].text]
    _complain("gold and system do not have the same text for", other_text)
    for note in golds:
        yield note, by_id[note.id]


def _doubles(notes: list[Note]) -> list[str]:
    return [note_id for note_id, n in Counter(note.id for note in notes).items() if n > 1]


def _complain(what: str, ids: list[str]) -> None:
    if ids:
        named = ", ".join(f"'{note_id}'" for note_id in ids[:_NAMED_AT_ONCE])
        rest = f" and {len(ids) - _NAMED_AT_ONCE} more" if len(ids) > _NAMED_AT_ONCE else ""
        raise ValueError(f"{what} {'note' if len(ids) == 1 else 'notes'} {named}{rest}")


def _add_types(total: defaultdict[str, Counts], outcome: Outcome, matcher: Matcher) -> None:
    """Add a note's counts by type; false positives count under the gold label."""
    hits, false, missed = outcome
    for _, _, phi_type in hits:
        total[phi_type] += Counts(tp=1)
    for _, _, phi_type in false:
        total[matcher.gold_name(phi_type) if phi_type else ""] += Counts(fp=1)
    for _, _, phi_type in missed:
        total[phi_type] += Counts(fn=1)


def _add_leaks(leaks: defaultdict[str, Counts], gold: Note, outcome: Outcome) -> int:
    """Add a note's detected and leaked tokens by gold type; returns its leaked mentions."""
    missed = {(start, end) for start, end, _ in outcome[2]}
    leaking = 0
    for start, end, phi_type in {(span.start, span.end, span.type) for span in gold.spans}:
        tokens = span_tokens(gold.text, PhiSpan(start, end, phi_type))
        lost = sum(token in missed for token in tokens)
        leaks[phi_type] += Counts(tp=len(tokens) - lost, fn=lost)
        leaking += lost > 0
    return leaking
