"""The input of a style: the text of a note, its PHI, and the draws of its patient."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..annotation.notes import PhiSpan
from ..text.edits import Edit, splice
from ..text.folding import QUOTES, Folded, fold, plain
from ..text.layout import in_spaced_words
from ..text.rtf import is_rtf, unseen_controls
from .date_shift import DateShift
from .key import Key, Option


class Shared(NamedTuple):
    """What all texts of a note tell each of them."""

    day_first: bool | None = None  # whether days precede months in its fields, if known
    latest: date | None = None  # the latest date with a year, if known
    names: tuple[str, ...] = ()  # names of people in its structured fields


ALONE = Shared()
"""Of a note with a single text."""

_BREAK = re.compile("</?[a-z][^<>]*>|[-=\u2010]?[ \t]{0,8}(?:\r\n?|\n)[> \t]{0,40}", re.IGNORECASE)
"""A tag or a line break in a word."""


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
        """The text of a span in its plain form if one of both is ASCII and more than quotes change.

        Line breaks stay. Words and numbers whose characters are spaced out are joined.
        """
        text = self.original(span)
        if in_spaced_words(text):
            return self.searched(span)
        line_end = next((end for end in ("\r\n", "\r") if end in text), "\n")
        folded = plain(text).replace("\n", line_end)
        is_plainer = folded.isascii() or text.isascii()
        return folded if is_plainer and folded != text.translate(QUOTES) else text

    def searched(self, span: PhiSpan) -> str:
        """The text of a span as a pipeline searches it, without what breaks it up; see `fold`."""
        return self._searched(span).text

    def rewrite(self, span: PhiSpan, edits: Iterable[Edit | tuple[int, int, str]]) -> str:
        """The text of a span after edits of its searched text.

        What stands between the edits stays as it is written: escapes, tags and line breaks. So do
        tags and line breaks in the words that are replaced, and braces and control words in RTF.
        """
        text, searched = self.original(span), self._searched(span)
        breaks = _breaks_of(self.text)
        places = ((*searched.original(start, end), new) for start, end, new in edits)
        return splice(text, ((s, e, _broken_like(breaks(text[s:e]), new)) for s, e, new in places))

    def _searched(self, span: PhiSpan) -> Folded:
        """The searched text of a span, with places in the text of the span."""
        folded = _fold(self.text)
        if folded is None:
            places = np.arange(span.end - span.start)
            return Folded(self.original(span), places, places + 1)
        start = np.searchsorted(folded.ends, span.start, side="right")
        end = np.searchsorted(folded.starts, span.end)
        starts, ends = folded.starts[start:end], folded.ends[start:end]
        length = span.end - span.start
        return Folded(
            folded.text[start:end],
            np.maximum(starts - span.start, 0),
            np.minimum(ends - span.start, length),
        )

    def number(self, below: int, *parts: str) -> int:
        """An integer from 0 to `below` - 1, drawn for the patient; see `Key.number`."""
        return self.key.number(below, self.patient, *parts)

    def choice(self, options: Sequence[Option], *parts: str) -> Option:
        """One of the options, drawn for the patient; see `Key.choice`."""
        return self.key.choice(options, self.patient, *parts)


@lru_cache(maxsize=1)
def _fold(text: str) -> Folded | None:
    return fold(text)


@lru_cache(maxsize=1)
def _breaks_of(text: str) -> Callable[[str], Iterable[re.Match[str]]]:
    """What finds the breaks in the words of a text."""
    return unseen_controls if is_rtf(text) else _BREAK.finditer


def _broken_like(found: Iterable[re.Match[str]], word: str) -> str:
    """A word with the breaks that were found in another."""
    breaks = list(found)
    if not breaks:
        return word
    place = min(breaks[0].start(), len(word) - 1)
    marks = "".join(each[0] for each in breaks)
    end = " " * marks[-1].isalnum()  # a control word must not go on in the word
    return word[:place] + marks + end + word[place:]


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
