"""Error analysis by the classes of Wellner et al. 2007 and Jiang et al. 2017."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import LabelSet
from .matching import Matcher
from .scores import pair_notes

Kind = Literal["type", "short", "long", "short-and-long", "type and extent", "spurious", "missing"]

KINDS: tuple[Kind, ...] = (
    "type",
    "short",
    "long",
    "short-and-long",
    "type and extent",
    "spurious",
    "missing",
)
"""Kinds of errors. "short", "long" and "short-and-long": wrong extent, but the right type."""

Pair = tuple[PhiSpan | None, PhiSpan | None]
"""A gold span and its matching system span; either may be missing."""

Bounds = Callable[[str], Iterable[tuple[int, int]]]
"""Splits a text into tokens, as first character and one past the last."""


@dataclass(frozen=True)
class PhiError:
    """An error in a span.

    note_id (str): The note.
    kind (Kind): Kind of the error.
    gold (PhiSpan | None): The gold span; None if spurious.
    system (PhiSpan | None): The detected span; None if missing.
    cause (str): Why a gold span was missed, if known from `TrainingData`; else empty.
    """

    note_id: str
    kind: Kind
    gold: PhiSpan | None
    system: PhiSpan | None
    cause: str = ""


@dataclass(frozen=True)
class ErrorAnalysis:
    """The errors of a system on notes.

    errors (tuple[PhiError, ...]): In the order of the notes and of their texts.
    pairs (Counter[tuple[str, str]]): Gold type and system type of all spans with equal boundaries.
    gold (Counter[str]): Number of gold spans of each type.
    """

    errors: tuple[PhiError, ...]
    pairs: Counter[tuple[str, str]]
    gold: Counter[str]

    def kinds(self) -> Counter[str]:
        """Number of errors of each kind."""
        return Counter(error.kind for error in self.errors)

    def kinds_by_type(self) -> dict[str, Counter[str]]:
        """Kinds of errors by type: the gold type, or the system's for spurious spans."""
        result: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for error in self.errors:
            span = error.gold or error.system
            if span is not None:
                result[span.type][error.kind] += 1
        return dict(sorted(result.items()))

    def causes(self) -> Counter[str]:
        """Number of missing spans by cause."""
        return Counter(error.cause for error in self.errors if error.cause)


@dataclass
class TrainingData:
    """A summary of a system's training data, to explain missed spans.

    types (Counter[str]): Number of spans of each type.
    surfaces (set[tuple[str, str]]): Type and lower-case text of each span.
    bounds (Bounds | None): The system's tokenizer, if known.
    """

    types: Counter[str] = field(default_factory=Counter)
    surfaces: set[tuple[str, str]] = field(default_factory=set)
    bounds: Bounds | None = None

    @classmethod
    def from_notes(cls, notes: Iterable[Note], bounds: Bounds | None = None) -> TrainingData:
        """Collect the types and surfaces of annotated notes."""
        data = cls(bounds=bounds)
        for note in notes:
            for span in note.spans:
                data.types[span.type] += 1
                data.surfaces.add((span.type, _surface(note.text, span)))
        return data

    def cause(self, text: str, span: PhiSpan) -> str:
        """Why a span was missed: the first cause that applies."""
        if self.bounds is not None and not _on_bounds(self.bounds(text), span):
            return "tokenization"
        if span.type not in self.types:
            return "type unseen in training"
        if (span.type, _surface(text, span)) not in self.surfaces:
            return "surface unseen in training"
        return "surface seen in training"


def analyze_errors(
    gold: Iterable[Note],
    system: Iterable[Note],
    *,
    label_set: LabelSet | None = None,
    training: TrainingData | None = None,
) -> ErrorAnalysis:
    """Classify the errors of a system.

    Each gold span is paired with at most one system span: first spans with equal boundaries, then
    overlapping ones, same type and largest overlap first. Each pair that does not agree, and each
    span without a partner, is one error.

    gold (Iterable[Note]): Notes with the gold PHI.
    system (Iterable[Note]): The same notes with the detected PHI.
    label_set (LabelSet | None): The label set of the gold types, if not the project's.
    training (TrainingData | None): The system's training data.
    RETURNS (ErrorAnalysis): The errors.
    RAISES (ValueError): If the two do not contain the same notes with the same texts.
    """
    agrees = Matcher(label_set).agrees
    errors: list[PhiError] = []
    pairs: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    for one, other in pair_notes(gold, system):
        golds, systems = _unique(one.spans), _unique(other.spans)
        matched = _pair_spans(golds, systems, agrees)
        totals.update(span.type for span in golds)
        pairs.update(
            (true.type, ours.type)
            for true, ours in matched
            if true and ours and _same_bounds(true, ours)
        )
        found = (_error(one, true, ours, agrees, training) for true, ours in matched)
        errors += sorted((error for error in found if error), key=_place)
    return ErrorAnalysis(tuple(errors), pairs, totals)


def _error(
    note: Note,
    gold: PhiSpan | None,
    system: PhiSpan | None,
    agrees: Callable[[str, str], bool],
    training: TrainingData | None,
) -> PhiError | None:
    """The error of a pair, or None if it is correct."""
    kind = _kind(gold, system, agrees)
    if kind is None:
        return None
    cause = ""
    if training and gold and kind == "missing":
        cause = training.cause(note.text, gold)
    return PhiError(note.id, kind, gold, system, cause)


def _pair_spans(
    gold: list[PhiSpan], system: list[PhiSpan], agrees: Callable[[str, str], bool]
) -> list[Pair]:
    """Pairs of spans, best first, then the unpaired ones of either side."""
    options = sorted(
        (
            (
                not _same_bounds(one, other),
                not agrees(one.type, other.type),
                max(one.start, other.start) - min(one.end, other.end),
                i,
                j,
            )
            for i, one in enumerate(gold)
            for j, other in enumerate(system)
            if one.start < other.end and other.start < one.end
        )
    )
    pairs: list[Pair] = []
    left, right = dict(enumerate(gold)), dict(enumerate(system))
    for *_, i, j in options:
        if i in left and j in right:
            pairs.append((left.pop(i), right.pop(j)))
    pairs += [(span, None) for span in left.values()]
    return pairs + [(None, span) for span in right.values()]


def _same_bounds(one: PhiSpan, other: PhiSpan) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def _kind(
    gold: PhiSpan | None, system: PhiSpan | None, agrees: Callable[[str, str], bool]
) -> Kind | None:
    """The kind of error of a pair, or None if it is correct."""
    if gold is None:
        return "spurious"
    if system is None:
        return "missing"
    right_type = agrees(gold.type, system.type)
    if _same_bounds(gold, system):
        return None if right_type else "type"
    if not right_type:
        return "type and extent"
    short = system.start > gold.start or system.end < gold.end
    long = system.start < gold.start or system.end > gold.end
    return "short-and-long" if short and long else "short" if short else "long"


def _place(error: PhiError) -> tuple[int, int]:
    span = error.gold or error.system
    return (span.start, span.end) if span else (0, 0)


def _unique(spans: Iterable[PhiSpan]) -> list[PhiSpan]:
    return sorted({PhiSpan(span.start, span.end, span.type) for span in spans})


def _surface(text: str, span: PhiSpan) -> str:
    return " ".join(text[span.start : span.end].lower().split())


def _on_bounds(tokens: Iterable[tuple[int, int]], span: PhiSpan) -> bool:
    starts, ends = zip(*tokens, strict=True)
    return span.start in starts and span.end in ends
