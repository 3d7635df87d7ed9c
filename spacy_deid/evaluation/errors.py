"""Error analysis by the classes of Wellner et al. 2007 and Jiang et al. 2017."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import LabelSet
from .matching import Agrees, agreement
from .scores import pair_notes

ERROR_KINDS = ("type", "short", "long", "short-and-long", "type and extent", "spurious", "missing")
"""Kinds of errors. "short", "long" and "short-and-long": wrong extent, but the right type."""

_SHOWN = 40  # characters on each side of an error

Pair = tuple[PhiSpan | None, PhiSpan | None]
"""A gold span and its matching system span; either may be missing."""

Bounds = Callable[[str], Iterable[tuple[int, int]]]
"""Splits a text into tokens, as first character and one past the last."""


class PhiError(NamedTuple):
    """An error in a span: its kind, and why a gold span was missed, if known."""

    note_id: str
    kind: str
    gold: PhiSpan | None
    system: PhiSpan | None
    cause: str = ""

    @property
    def span(self) -> PhiSpan:
        """The gold span, or the system's if it is spurious."""
        span = self.gold or self.system
        assert span is not None
        return span


@dataclass(frozen=True)
class ErrorAnalysis:
    """The errors of a system, in the order of the texts, and the numbers of gold spans by type.

    pairs (Counter[tuple[str, str]]): Gold type and system type of all spans with equal boundaries.
    """

    errors: list[PhiError] = field(default_factory=list)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)

    def kinds(self) -> Counter[str]:
        """Number of errors of each kind."""
        return Counter(error.kind for error in self.errors)

    def kinds_by_type(self) -> dict[str, Counter[str]]:
        """Kinds of errors by type: the gold type, or the system's for spurious spans."""
        result: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for error in self.errors:
            result[error.span.type][error.kind] += 1
        return dict(sorted(result.items()))

    def causes(self) -> Counter[str]:
        """Number of missing spans by cause."""
        return Counter(error.cause for error in self.errors if error.cause)


@dataclass
class TrainingData:
    """The number of spans of each type in a system's training data, type and lower-case text of
    each span, and its tokenizer if known, to explain missed spans."""

    types: Counter[str] = field(default_factory=Counter)
    surfaces: set[tuple[str, str]] = field(default_factory=set)
    bounds: Bounds | None = None

    @classmethod
    def from_notes(cls, notes: Iterable[Note], bounds: Bounds | None = None) -> TrainingData:
        """Collect the types and surfaces of annotated notes."""
        data = cls(bounds=bounds)
        for note in notes:
            data.types.update(span.type for span in note.spans)
            data.surfaces.update(_surface(note.text, span) for span in note.spans)
        return data

    def cause(self, text: str, span: PhiSpan) -> str:
        """Why a span was missed: the first cause that applies."""
        if self.bounds is not None:
            starts, ends = _token_edges(self.bounds, text)
            if span.start not in starts or span.end not in ends:
                return "tokenization"
        if span.type not in self.types:
            return "type unseen in training"
        seen = _surface(text, span) in self.surfaces
        return f"surface {'seen' if seen else 'unseen'} in training"


def analyze_errors(
    gold: Iterable[Note],
    system: Iterable[Note],
    *,
    label_set: LabelSet | None = None,
    system_label_set: LabelSet | None = None,
    training: TrainingData | None = None,
) -> ErrorAnalysis:
    """Classify the errors of a system; notes and label sets as for `score_notes`.

    Each gold span is paired with at most one system span: first spans with equal boundaries, then
    overlapping ones, same type and largest overlap first. Each pair that does not agree, and each
    span without a partner, is one error.
    """
    agrees = agreement(label_set, system_label_set)
    analysis = ErrorAnalysis()
    for note, other in pair_notes(gold, system):
        golds, systems = _unique(note.spans), _unique(other.spans)
        analysis.gold.update(span.type for span in golds)
        errors = []
        for true, found in _pair_spans(golds, systems, agrees):
            if true and found and _bounds(true) == _bounds(found):
                analysis.pairs[true.type, found.type] += 1
            if kind := _kind(true, found, agrees):
                cause = training.cause(note.text, true) if training and true and not found else ""
                errors.append(PhiError(note.id, kind, true, found, cause))
        analysis.errors.extend(sorted(errors, key=lambda error: _bounds(error.span)))
    return analysis


def error_lines(errors: Iterable[PhiError], texts: Mapping[str, str]) -> Iterator[str]:
    """One line per error: its location, its kind, and the text around it, which is PHI.

    Gold spans are in [brackets], the system's in {braces}.
    """
    for error in errors:
        spans = (error.gold, error.system)
        start = min(span.start for span in spans if span)
        types = " / ".join(span.type if span else "-" for span in spans)
        cause = f" ({error.cause})" if error.cause else ""
        context = _context(texts[error.note_id], spans)
        yield f"{error.note_id}:{start}  {error.kind}{cause}  {types}  {context}"


@lru_cache(maxsize=1)  # a note has several errors
def _token_edges(bounds: Bounds, text: str) -> tuple[frozenset[int], frozenset[int]]:
    starts, ends = zip(*bounds(text), strict=True)
    return frozenset(starts), frozenset(ends)


def _pair_spans(gold: list[PhiSpan], system: list[PhiSpan], agrees: Agrees) -> list[Pair]:
    """Pairs of spans, best first, then the unpaired ones of either side."""
    overlaps = sorted(
        (
            _bounds(one) != _bounds(other),
            not agrees(one.type, other.type),
            max(one.start, other.start) - min(one.end, other.end),
            i,
            j,
        )
        for i, one in enumerate(gold)
        for j, other in enumerate(system)
        if one.overlaps(other)
    )
    pairs: list[Pair] = []
    left, right = dict(enumerate(gold)), dict(enumerate(system))
    for *_, i, j in overlaps:
        if i in left and j in right:
            pairs.append((left.pop(i), right.pop(j)))
    pairs += [(span, None) for span in left.values()]
    return pairs + [(None, span) for span in right.values()]


def _kind(gold: PhiSpan | None, system: PhiSpan | None, agrees: Agrees) -> str | None:
    """The kind of error of a pair, or None if it is correct."""
    if gold is None or system is None:
        return "missing" if gold else "spurious"
    right_type = agrees(gold.type, system.type)
    if _bounds(gold) == _bounds(system):
        return None if right_type else "type"
    if not right_type:
        return "type and extent"
    short = system.start > gold.start or system.end < gold.end
    long = system.start < gold.start or system.end > gold.end
    return "short-and-long" if short and long else "short" if short else "long"


def _bounds(span: PhiSpan) -> tuple[int, int]:
    return span.start, span.end


def _unique(spans: Iterable[PhiSpan]) -> list[PhiSpan]:
    return sorted({PhiSpan(span.start, span.end, span.type) for span in spans})


def _surface(text: str, span: PhiSpan) -> tuple[str, str]:
    return span.type, " ".join(text[span.start : span.end].lower().split())


def _context(text: str, spans: Pair) -> str:
    marks = []
    for span, opening, closing in zip(spans, "[{", "]}", strict=True):
        if span:
            marks += [(span.start, 1, opening), (span.end, 0, closing)]
    first, last = min(mark[0] for mark in marks), max(mark[0] for mark in marks)
    start, end = max(0, first - _SHOWN), min(len(text), last + _SHOWN)
    pieces, at = [], start
    for offset, _, sign in sorted(marks):
        pieces += [text[at:offset], sign]
        at = offset
    line = " ".join("".join([*pieces, text[at:end]]).split())
    return f"{'...' if start else ''}{line}{'...' if end < len(text) else ''}"
