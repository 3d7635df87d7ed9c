"""The input of a style: the text of a note, its PHI, and the draws of its patient."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ..annotation.notes import PhiSpan
from ..text.edits import Edit, splice
from ..text.folding import Folded, fold, resize
from .date_shift import DateShift
from .key import Key, Option


class Shared(NamedTuple):
    """What all texts of a note tell each of them."""

    day_first: bool | None = None  # whether days precede months in its fields, if known
    latest: date | None = None  # the latest date with a year, if known
    names: tuple[str, ...] = ()  # names of people in its structured fields


ALONE = Shared()
"""Of a note with a single text."""

_SIGNS = re.compile(r"[=%\\&<]")
"""The first character of an escape of mail, web addresses, JSON, RTF or HTML, or of a tag."""
_LONGEST_ESCAPE = 24
_WORD = re.compile(r"[^\W_]+|[\W_]+")
_LETTERS = re.compile(r"[^\W_]+")
_CELLS = " _|[]"
"""What stands between characters in forms, and blanks: surrogates are written without it."""
_QUOTE = _CELLS + ">"  # likewise, with the marks of quoted mail, if they stand within a word
_CONTROL_WORD = re.compile(r"\\(?![nrt]\Z|u[0-9a-f]{4}\Z|u[0-9])[a-z]+-?[0-9]*\Z")
"""A control word of RTF, no escape of JSON."""
_BLOCK = re.compile(r"</?(?:br|p|div|td|th|tr|li|ul|ol|hr|h[1-6])\s?/?>", re.IGNORECASE)
"""HTML tags that part words."""


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
        """The text of a span; for surrogates, in its plain form (`in_plain_form`)."""
        return self.text[span.start : span.end]

    def number(self, below: int, *parts: str) -> int:
        """An integer from 0 to `below` - 1, drawn for the patient; see `Key.number`."""
        return self.key.number(below, self.patient, *parts)

    def choice(self, options: Sequence[Option], *parts: str) -> Option:
        """One of the options, drawn for the patient; see `Key.choice`."""
        return self.key.choice(options, self.patient, *parts)


@lru_cache(maxsize=1)
def _fold(text: str) -> Folded | None:
    """The plain form of a text, in which tags that part words are line breaks."""
    folded = fold(text)
    if not _BLOCK.search(folded.text if folded else text):
        return folded
    new, *places = folded or (text, np.arange(len(text)), np.arange(1, len(text) + 1))
    new, (starts, ends) = resize(new, places, _BLOCK, lambda _: "\n")
    return Folded(new, starts, ends)


def whole_characters(text: str, span: PhiSpan) -> PhiSpan:
    """A span that begins or ends within an escape, without it or with all of it.

    Tokens may end there: "2003" of "%2003/04/2067". A letter or digit belongs to the span.
    """
    ends = (text[max(0, end - _LONGEST_ESCAPE) : end] for end in (span.start, span.end))
    if not any(map(_SIGNS.search, ends)) or (folded := _fold(text)) is None:
        return span
    first, last = _range_in(folded, span)
    if first >= last:
        return span
    start, end = folded.original(first, last)
    if _SIGNS.match(text, start) and start < span.start:
        is_part = folded.text[first].isalnum() or first + 1 == last
        span = replace(span, start=start if is_part else int(folded.ends[first]))
    if end > span.end and _SIGNS.match(text, int(folded.starts[last - 1])):
        span = replace(span, end=end)
    return span


def _range_in(folded: Folded, span: PhiSpan) -> tuple[int, int]:
    """The first character of a plain form that is in a span, and one past the last."""
    first = np.searchsorted(folded.ends, span.start, side="right")
    return int(first), int(np.searchsorted(folded.starts, span.end))


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


def in_plain_form(style: Style) -> Style:
    """A style that reads notes in their plain form (`fold`), however their PHI is written.

    What the style does not change stays as it is written, and so do tags and line breaks within
    what it does. Signs are written as in the span: in JSON, a line break is an escape.
    """

    def apply(note: PhiText) -> list[str]:
        folded = _fold(note.text)
        if folded is None:
            return style(note)
        ranges = [_range_in(folded, span) for span in note.spans]
        plain = [
            replace(span, start=first, end=last)
            for span, (first, last) in zip(note.spans, ranges, strict=True)
            if first < last
        ]
        values = iter(style(replace(note, text=folded.text, spans=tuple(plain))))
        tags = [f"[{span.type}]" for span in note.spans]
        new = [
            next(values) if first < last else tag
            for tag, (first, last) in zip(tags, ranges, strict=True)
        ]
        return [
            tag if value == tag else _write(span, note.original(span), folded, place, value)
            for span, tag, place, value in zip(note.spans, tags, ranges, new, strict=True)
        ]

    return draws(apply) if does_draw(style) else apply


def _write(span: PhiSpan, value: str, folded: Folded, place: tuple[int, int], new: str) -> str:
    """The text of a span, `value`, with another plain form, otherwise as it is written."""
    at = slice(*place)
    old = folded.text[at]
    starts = np.maximum(folded.starts[at] - span.start, 0).tolist()
    ends = (folded.ends[at] - span.start).tolist()
    written: dict[str, str] = {}
    for char, start, end in zip(old, starts, ends, strict=True):
        written.setdefault(char, _ended(value[start:end]))
    unseen = [""] + [value[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    in_cells = any(each and not each.strip(_CELLS) for each in unseen)
    edits = [Edit(0, len(old), new)] if in_cells else _changes(old, new)
    return splice(
        value,
        (
            (starts[start], ends[end - 1], _broken_like(unseen[start + 1 : end], word, written))
            for start, end, word in edits
        ),
    )


def _changes(old: str, new: str) -> list[Edit]:
    """The words that differ, or all if not the same signs stand between them."""
    pieces, others = _WORD.findall(old), _WORD.findall(new)
    if [_LETTERS.sub("", each) for each in pieces] != [_LETTERS.sub("", each) for each in others]:
        return [Edit(0, len(old), new)]
    ends = accumulate(map(len, pieces))
    return [
        Edit(end - len(before), end, after)
        for before, after, end in zip(pieces, others, ends, strict=True)
        if before != after
    ]


def _ended(text: str) -> str:
    """A text with a blank after a control word of RTF, which must not go on in what follows."""
    return _CONTROL_WORD.sub(r"\g<0> ", text)


def _broken_like(unseen: Sequence[str], word: str, written: Mapping[str, str]) -> str:
    """A word in its written form, with what is not seen in the one that it replaces.

    unseen (Sequence[str]): What stands before each of its characters but the first.
    written (Mapping[str, str]): How characters are written.
    """
    pieces = [char if char.isalnum() else written.get(char, char) for char in word] or [""]
    before: list[list[str]] = [[] for _ in pieces]
    for place, each in enumerate(unseen, 1):
        last = min(place, len(pieces) - 1)
        if each.startswith("-") and not word[last - 1 : last + 1].isalpha():
            continue  # a hyphen at a line end stands between letters
        if each.strip(_QUOTE):
            before[last].append(_ended(each))
    return "".join("".join((*marks, piece)) for marks, piece in zip(before, pieces, strict=True))


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
