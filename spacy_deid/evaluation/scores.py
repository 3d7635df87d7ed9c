"""How well PHI was found: the counts and measures of the i2b2 2014 evaluation.

The definitions follow the evaluation of Stubbs, Kotfila & Uzuner 2015 as its published script
computes it. Every level compares two sets of stretches of one note, so duplicates count once.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..notes import Note, PhiSpan
from ..phi import LabelSet, is_hipaa

_TOKEN = re.compile("[A-Za-z0-9]+")

Item = tuple[int, int, str]
"""First character, one past the last, and the type; the type is empty where it does not count."""


@dataclass(frozen=True)
class Counts:
    """True positives, false positives and false negatives; counts of notes add up.

    An undefined measure (no PHI found, or none to find) is 0, as in the published script.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Share of what was found that is PHI."""
        return self.tp / ((self.tp + self.fp) or 1)

    @property
    def recall(self) -> float:
        """Share of the PHI that was found."""
        return self.tp / ((self.tp + self.fn) or 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return self.f_measure(1.0)

    @property
    def f2(self) -> float:
        """F-measure that weighs recall higher: what leaks hurts more than what is lost."""
        return self.f_measure(2.0)

    def f_measure(self, beta: float) -> float:
        """F-measure in which recall counts `beta` times as much as precision."""
        weight = beta * beta
        bottom = (1 + weight) * self.tp + weight * self.fn + self.fp
        return (1 + weight) * self.tp / (bottom or 1)


@dataclass(frozen=True)
class Level:
    """One way to compare gold with system.

    tokens (bool): Whether the spans are cut into tokens, the runs of letters and digits in them.
    typed (bool): Whether the type has to agree.
    slack (int): How many characters the ends may differ by.
    """

    tokens: bool = False
    typed: bool = True
    slack: int = 0


LEVELS: Mapping[str, Level] = {
    "token": Level(tokens=True),
    "token_binary": Level(tokens=True, typed=False),
    "strict": Level(),
    "strict_binary": Level(typed=False),
    "relaxed": Level(slack=2),
    "relaxed_binary": Level(typed=False, slack=2),
}
"""The levels of the official evaluation, by name."""

TypeCounts = dict[str, Counts]
"""Counts of each type; a binary level has the single type ''."""


@dataclass(frozen=True)
class Scores:
    """Scores over notes, micro-averaged: the counts of all notes are summed.

    notes (int): Number of notes.
    per_type (Mapping[str, TypeCounts]): For each level, the counts of each gold type.
    """

    notes: int
    per_type: Mapping[str, TypeCounts]

    def __getitem__(self, level: str) -> Counts:
        """The counts of a level, over all types."""
        return sum(self.per_type[level].values(), Counts())


def score_notes(
    gold: Iterable[Note],
    system: Iterable[Note],
    *,
    hipaa: bool = False,
    label_set: LabelSet | None = None,
) -> Scores:
    """Score a system's notes against the gold notes of the same ids.

    gold (Iterable[Note]): Notes with the true PHI.
    system (Iterable[Note]): The same notes, in any order, with the PHI that was found.
    hipaa (bool): Count the types of the HIPAA subset alone, on each side by its own type.
    label_set (LabelSet | None): The set that the gold types are labels of, if not the project's.
    RETURNS (Scores): The scores of every level.
    RAISES (ValueError): If the two do not hold the same notes with the same texts.
    """
    results = [
        score_note(one.text, one.spans, other.spans, hipaa=hipaa, label_set=label_set)
        for one, other in _pairs(gold, system)
    ]
    return Scores(
        len(results), {level: add_counts(result[level] for result in results) for level in LEVELS}
    )


def score_note(
    text: str,
    gold: Iterable[PhiSpan],
    system: Iterable[PhiSpan],
    *,
    hipaa: bool = False,
    label_set: LabelSet | None = None,
) -> dict[str, TypeCounts]:
    """Counts of every level for one note; see `score_notes` for the settings."""
    gold, system = list(gold), list(system)
    if hipaa:
        to_phi = label_set.to_phi if label_set else str
        gold = [span for span in gold if is_hipaa(to_phi(span.type) or "")]
        system = [span for span in system if is_hipaa(span.type)]
    agrees = label_set.agrees if label_set else operator.eq
    name = label_set.from_phi if label_set else str
    return {
        level: _count(
            _items(text, gold, way),
            _items(text, system, way),
            way.slack,
            agrees if way.typed else operator.eq,
            name if way.typed else str,
        )
        for level, way in LEVELS.items()
    }


def add_counts(results: Iterable[TypeCounts]) -> TypeCounts:
    """The sum of several notes' counts, type by type, types in alphabetical order."""
    total: defaultdict[str, Counts] = defaultdict(Counts)
    for result in results:
        for phi_type, counts in result.items():
            total[phi_type] += counts
    return dict(sorted(total.items()))


def _pairs(gold: Iterable[Note], system: Iterable[Note]) -> Iterator[tuple[Note, Note]]:
    """Gold and system notes of the same id, in the order of the gold."""
    others: dict[str, Note] = {}
    for note in system:
        if note.id in others:
            raise ValueError(f"the system has two notes named '{note.id}'")
        others[note.id] = note
    for note in gold:
        other = others.pop(note.id, None)
        if other is None:
            raise ValueError(f"note '{note.id}' is missing from the system, or twice in the gold")
        if note.text != other.text:
            raise ValueError(f"note '{note.id}' has not the same text in gold and system")
        yield note, other
    if others:
        raise ValueError(f"note '{next(iter(others))}' of the system is not in the gold")


def _items(text: str, spans: Iterable[PhiSpan], level: Level) -> list[Item]:
    """What a level compares: spans or tokens, each once, in order."""
    items: Iterable[Item] = ((span.start, span.end, span.type) for span in spans)
    if level.tokens:
        items = (
            (match.start(), match.end(), phi_type)
            for start, end, phi_type in items
            for match in _TOKEN.finditer(text, start, end)
        )
    if not level.typed:
        items = ((start, end, "") for start, end, _ in items)
    unique = sorted(set(items))
    return _collapse(unique, level.slack) if level.slack else unique


def _collapse(items: list[Item], slack: int) -> list[Item]:
    """`items` less those that the slack makes equal to an earlier one of the same side."""
    kept: list[Item] = []
    last_end: dict[tuple[int, str], int] = {}
    for start, end, phi_type in items:
        if end - last_end.get((start, phi_type), -slack - 1) > slack:
            last_end[start, phi_type] = end
            kept.append((start, end, phi_type))
    return kept


def _count(
    gold: list[Item],
    system: list[Item],
    slack: int,
    agrees: Callable[[str, str], bool],
    name: Callable[[str], str | None],
) -> TypeCounts:
    """Match gold and system items by position and type.

    Slack may match one item with two of the other side: they are one true positive, and none of
    them is an error. `name` gives the gold type that a false positive is counted under.
    """
    starting: defaultdict[int, list[Item]] = defaultdict(list)
    for found in system:
        starting[found[0]].append(found)
    counts: defaultdict[str, Counts] = defaultdict(Counts)
    matched: set[Item] = set()
    for start, end, phi_type in gold:
        partners = [
            found
            for found in starting.get(start, ())
            if abs(end - found[1]) <= slack and agrees(phi_type, found[2])
        ]
        if not partners:
            counts[phi_type] += Counts(fn=1)
        elif not matched.issuperset(partners):
            counts[phi_type] += Counts(tp=1)
        matched.update(partners)
    for found in system:
        if found not in matched:
            counts[name(found[2]) or found[2]] += Counts(fp=1)
    return dict(counts)
