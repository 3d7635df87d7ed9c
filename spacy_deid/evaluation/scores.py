"""Scores of a system on notes: counts, micro and macro averages, and leaks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import CATEGORY, PHI_TYPES, LabelSet
from .matching import CRITERIA, Criterion, Outcome, covered_types, match_note, span_tokens

TOKEN_BINARY = Criterion("token", view="binary")
_MOST_NAMED = 5


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
    def total(self) -> int:
        """Number of gold items."""
        return self.tp + self.fn

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

_Tally = Counter[tuple[str, str]]
"""Number of items by type and "tp", "fp" or "fn"."""


@dataclass(frozen=True)
class Scores:
    """Scores of a system on notes, in the order of the gold.

    counts (np.ndarray): tp, fp and fn of each note by each criterion.
        *Shape:* `(n_notes, len(CRITERIA), 3)`
    types (Mapping[Criterion, TypeCounts]): Counts of each gold type, summed over the notes.
    leaks (TypeCounts): Detected (tp) and leaked (fn) tokens of each gold type, whatever type the
        system assigned.
    leaked_tokens (np.ndarray): Number of leaked tokens in each note; one also for a gold span with
        letters or digits outside of ASCII that no detection covers.
    leaked_mentions (np.ndarray): Number of gold spans in each note with leaked tokens.
    false_alarms (np.ndarray): Number of detections in each note that overlap no PHI.
    words (np.ndarray): Number of words, as separated by white space, of each note.
    label_set (LabelSet | None): The label set of the gold types, if not the project's.
    """

    ids: tuple[str, ...]
    counts: np.ndarray
    types: Mapping[Criterion, TypeCounts]
    leaks: TypeCounts
    leaked_tokens: np.ndarray
    leaked_mentions: np.ndarray
    false_alarms: np.ndarray
    words: np.ndarray
    label_set: LabelSet | None = None

    @property
    def criteria(self) -> Sequence[Criterion]:
        """The criteria that can be told: not those of HIPAA, if a gold label covers other types."""
        tells_hipaa = self.label_set is None or self.label_set.tells_hipaa
        return [each for each in CRITERIA if tells_hipaa or each.scheme != "hipaa"]

    def micro(self, measure: str, scheme: str = "i2b2", view: str = "typed") -> Counts:
        """Counts of a criterion, summed over the notes."""
        place = CRITERIA.index(Criterion(measure, scheme, view))
        return Counts(*self.counts[:, place].sum(axis=0).tolist())

    def macro(self, measure: str, scheme: str = "i2b2", view: str = "typed") -> MacroAverage:
        """Averages over the notes of a criterion."""
        if not self.ids:
            return MacroAverage(0.0, 0.0, 0.0, 0.0)
        place = CRITERIA.index(Criterion(measure, scheme, view))
        columns = note_measures(self.counts[:, place]).T
        means, deviations = ([float(f(column)) for column in columns] for f in (np.mean, np.std))
        return MacroAverage(*means, *deviations)

    def per_type(self, measure: str, view: str = "typed") -> TypeCounts:
        """Counts of each gold type, in alphabetical order."""
        return self.types[Criterion(measure, "i2b2", view)]

    def per_category(self, measure: str) -> TypeCounts:
        """Typed counts of each category, in the project's order."""
        found = sum_groups(self.per_type(measure), self.category_of)
        return {category: found[category] for category in PHI_TYPES if category in found}

    def category_of(self, name: str) -> str:
        """The category of a type, or of the most common type of a gold label."""
        label_set = self.label_set
        phi_type = label_set.to_phi(name) if label_set and name not in CATEGORY else name
        return CATEGORY.get(phi_type or "", "OTHER")

    @property
    def token(self) -> Counts:
        """Counts of tokens, whatever their type."""
        return self.micro(*TOKEN_BINARY)

    def per_1000_words(self, counts: np.ndarray) -> float:
        """A count of each note, such as its false alarms, as a rate over all notes."""
        return 1000 * float(counts.sum()) / (float(self.words.sum()) or 1)

    @property
    def token_counts(self) -> np.ndarray:
        """The counts of `token` in each note. *Shape:* `(n_notes, 3)`"""
        return self.counts[:, CRITERIA.index(TOKEN_BINARY)]

    @property
    def leak_free_notes(self) -> float:
        """Share of notes without leaked mentions."""
        return float((self.leaked_mentions == 0).mean()) if self.ids else 0.0


def score_notes(
    gold: Iterable[Note],
    system: Iterable[Note],
    *,
    label_set: LabelSet | None = None,
    system_label_set: LabelSet | None = None,
) -> Scores:
    """Score a system's notes against the gold notes of the same ids.

    Labels of the same set have to be equal to agree, those of two sets to share a PHI type.

    gold (Iterable[Note]): Notes with the gold PHI; spans may overlap and occur twice.
    system (Iterable[Note]): The same notes, in any order, with the detected PHI.
    label_set (LabelSet | None): The label set of the types in gold, if not the project's.
    system_label_set (LabelSet | None): The same for the system.
    RAISES (ValueError): If the two do not contain the same notes with the same texts.
    """
    label_sets = label_set, system_label_set
    types = {criterion: _Tally() for criterion in CRITERIA}
    leaks = _Tally()
    ids, counts, leaked, alarms, words = [], [], [], [], []
    for one, other in pair_notes(gold, system):
        outcomes = match_note(one.text, one.spans, other.spans, *label_sets)
        ids.append(one.id)
        counts.append([[len(items) for items in outcomes[criterion]] for criterion in CRITERIA])
        for criterion, outcome in outcomes.items():
            _add_types(types[criterion], outcome, *label_sets)
        leaked.append(_add_leaks(leaks, one, other, outcomes[TOKEN_BINARY]))
        alarms.append(_count_alarms(one, other))
        words.append(len(one.text.split()))
    return Scores(
        ids=tuple(ids),
        counts=np.asarray(counts, dtype=np.int64).reshape(len(ids), len(CRITERIA), 3),
        types={criterion: _type_counts(tally) for criterion, tally in types.items()},
        leaks=_type_counts(leaks),
        leaked_tokens=np.asarray([tokens for tokens, _ in leaked], dtype=np.int64),
        leaked_mentions=np.asarray([mentions for _, mentions in leaked], dtype=np.int64),
        false_alarms=np.asarray(alarms, dtype=np.int64),
        words=np.asarray(words, dtype=np.int64),
        label_set=label_set,
    )


def sum_groups(counts: TypeCounts, group_of: Callable[[str], str]) -> defaultdict[str, Counts]:
    """Counts of types summed by group."""
    result: defaultdict[str, Counts] = defaultdict(Counts)
    for name, value in counts.items():
        result[group_of(name)] += value
    return result


def note_measures(counts: np.ndarray) -> np.ndarray:
    """Precision and recall, `(..., 2)`, from tp, fp and fn, `(..., 3)`; 0 where undefined."""
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
    _refuse("the gold has twice", _duplicates(golds))
    _refuse("the system has twice", _duplicates(systems))
    _refuse("the system lacks", [note.id for note in golds if note.id not in by_id])
    _refuse("the gold lacks", [note.id for note in systems if note.id not in known])
    other_text = [note.id for note in golds if note.text != by_id[note.id].text]
    _refuse("gold and system do not have the same text for", other_text)
    for note in golds:
        yield note, by_id[note.id]


def _duplicates(notes: list[Note]) -> list[str]:
    return [note_id for note_id, n in Counter(note.id for note in notes).items() if n > 1]


def _refuse(reason: str, ids: list[str]) -> None:
    """Raise an error that names the notes, if there are any."""
    if ids:
        named = ", ".join(f"'{note_id}'" for note_id in ids[:_MOST_NAMED])
        rest = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
        raise ValueError(f"{reason} {'note' if len(ids) == 1 else 'notes'} {named}{rest}")


def _add_types(
    tally: _Tally, outcome: Outcome, gold: LabelSet | None, system: LabelSet | None
) -> None:
    """Count a note's items by type, those of the system under the gold label nearest to theirs."""
    hits, false, missed = outcome
    tally.update((label, "tp") for _, _, label in hits)
    tally.update((_gold_label(label, gold, system), "fp") for _, _, label in false)
    tally.update((label, "fn") for _, _, label in missed)


def _gold_label(label: str, gold: LabelSet | None, system: LabelSet | None) -> str:
    """The gold label, or else the PHI type, under which a label of the system counts."""
    if gold == system:
        return label
    phi_type = next(iter(covered_types(system, label)), label)
    return (gold.nearest(phi_type) if gold else None) or phi_type


def _add_leaks(tally: _Tally, gold: Note, system: Note, outcome: Outcome) -> tuple[int, int]:
    """Count a note's detected and leaked tokens by gold type; returns its leaked tokens and
    mentions.

    Tokens are of ASCII, as in the published script. Where a span shows other letters, one leaks.
    """
    missed = {(start, end) for start, end, _ in outcome[2]}
    covered = {at for span in system.spans for at in range(span.start, span.end)}
    tokens, mentions = len(missed), 0
    for span in {PhiSpan(span.start, span.end, span.type) for span in gold.spans}:
        leaks = [token in missed for token in span_tokens(gold.text, span)]
        if not any(leaks):
            leaks[-1] = _shows_letters(gold.text, span, covered)
            tokens += leaks[-1]
        tally.update((span.type, "fn" if leak else "tp") for leak in leaks)
        mentions += any(leaks)
    return tokens, mentions


def _shows_letters(text: str, span: PhiSpan, covered: Container[int]) -> bool:
    """Whether letters or digits of a span that are not ASCII are not covered."""
    return any(
        text[at].isalnum() and not text[at].isascii() and at not in covered
        for at in range(span.start, span.end)
    )


def _count_alarms(gold: Note, system: Note) -> int:
    """The number of detections that overlap no PHI, whatever their types."""
    alarms = (span for span in system.spans if not any(map(span.overlaps, gold.spans)))
    return len({(span.start, span.end) for span in alarms})


def _type_counts(tally: _Tally) -> TypeCounts:
    names = sorted({name for name, _ in tally})
    return {name: Counts(*(tally[name, key] for key in ("tp", "fp", "fn"))) for name in names}
