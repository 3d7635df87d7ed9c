"""The input of a style: the text of a note, its PHI, and the draws of its patient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..annotation.notes import PhiSpan
from ..text.folding import QUOTES, Folded, fold, plain
from ..text.layout import in_spaced_words
from .date_shift import DateShift
from .key import Key, Option


class Shared(NamedTuple):
    """What all texts of a note tell each of them."""

    day_first: bool | None = None  # whether days precede months in its fields, if known
    latest: date | None = None  # the latest date with a year, if known
    names: tuple[str, ...] = ()  # names of people in its structured fields


ALONE = Shared()
"""Of a note with a single text."""


@dataclass(frozen=True)
class PhiText:
    """A note's text and its PHI."""

    text: str
    spans: tuple[PhiSpan, ...]  # its PHI, sorted, without overlap
    key: Key  # the secret for all draws
    patient: str  # the patient; notes of one patient share their draws
    date_shift: DateShift = DateShift()  # how its dates are shifted
    shared: Shared = ALONE  # what all texts of the note tell

    def original(self, span: PhiSpan) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def value(self, span: PhiSpan) -> str:
        """The text of a span in plain ASCII where possible, unless only quotes would change.

        Line breaks stay. Words and numbers whose characters are spaced out are joined.
        """
        text = self.original(span)
        if in_spaced_words(text):
            return self.searched(span)
        folded = plain(text).replace("\n", "\r\n" if "\r\n" in text else "\n")
        return folded if folded.isascii() and folded != text.translate(QUOTES) else text

    def searched(self, span: PhiSpan) -> str:
        """The text of a span as a pipeline searches it, without what breaks it up; see `fold`."""
        folded = _fold(self.text)
        if folded is None:
            return self.original(span)
        start = np.searchsorted(folded.starts, span.start)
        end = np.searchsorted(folded.ends, span.end, side="right")
        return folded.text[start:end]

    def number(self, below: int, *parts: str) -> int:
        """An integer from 0 to `below` - 1, drawn for the patient; see `Key.number`."""
        return self.key.number(below, self.patient, *parts)

    def choice(self, options: Sequence[Option], *parts: str) -> Option:
        """One of the options, drawn for the patient; see `Key.choice`."""
        return self.key.choice(options, self.patient, *parts)


@lru_cache(maxsize=1)
def _fold(text: str) -> Folded | None:
    return fold(text)


Style = Callable[[PhiText], list[str]]
"""A function from a note to one replacement for each of its spans."""

_DRAWS = "draws"


def draws(style: Style) -> Style:
    """Mark a style that draws with the key: only with the same key, it repeats its replacements."""
    setattr(style, _DRAWS, True)
    return style


def does_draw(style: Style) -> bool:
    """Whether a style is marked as one that draws with the key."""
    return getattr(style, _DRAWS, False)


def apply_styles(note: PhiText, style_of: Callable[[PhiSpan], Style]) -> list[str]:
    """One replacement for each span; the style of several spans gets all of them at once."""
    spans_of: dict[Style, list[PhiSpan]] = {}
    for span in note.spans:
        spans_of.setdefault(style_of(span), []).append(span)
    values = {
        span: value
        for style, spans in spans_of.items()
        for span, value in zip(spans, style(replace(note, spans=tuple(spans))), strict=True)
    }
    return [values[span] for span in note.spans]
