"""Noise: upper case, wrapped lines, lost and added blanks, scanning errors.

Each kind of noise is a list of edits of the text; PHI offsets are adjusted exactly.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from ..annotation.notes import PhiSpan
from ..annotation.phi import PERSONS
from ..text.edits import Edit, splice

Spans = Sequence[PhiSpan]
Edits = Iterator[Edit]


@dataclass(frozen=True)
class NoiseConfig:
    """Probability of each kind of noise in a note."""

    upper: float = 0.07  # the whole note in upper case
    lower: float = 0.08  # the whole note in lower case
    wrap: float = 0.2  # lines wrapped at 60 to 80 columns, inside names too
    glue: float = 0.12  # lost blanks: "70yoM", "chest pain.Denies"
    join: float = 0.03  # lost blanks between two pieces of PHI or inside a name ("MARYSmith")
    double: float = 0.12  # doubled blanks after full stops or anywhere
    bare: float = 0.03  # lost full stops and commas, as in speech recognition
    scan: float = 0.1  # O for 0, l for 1: some or most occurrences of some characters
    space: float = 0.04  # blanks around signs between digits: "22 / 10 / 24"
    tabs: float = 0.06  # tabs for runs of blanks
    quotes: float = 0.08  # typographic quotes and dashes


_GLUED = re.compile(r"(?<=\d)[ -](?=y/?o\b)|(?<=\dyo)[ ](?=[MFmf]\b)|(?<=[a-z]\.)[ ](?=[A-Z][a-z])")
_STOP = re.compile(r"(?<=[.:]) (?=\S)")
_BLANK = re.compile(r"(?<=\S) (?=\S)")
_BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)")
_QUOTE = re.compile(r"(?<!\w)\"(?=\w)|\"|'|(?<= )--?(?= )")
_SIGN = re.compile(r"(?<=\d)[/.:-](?=\d)")
_MARK = re.compile(r"(?<=\w)[.,;:?!](?=\s|$)")
_TYPOGRAPHIC = {"-": "\u2013", "--": "\u2014", "'": "\u2019"}
_SLIPS = {"0": "O", "1": "l", "O": "0", "l": "1", "I": "l", "5": "S", "8": "B"}
_SCANNED = re.compile("[01OlI58]")


def add_noise(
    text: str, spans: Spans, config: NoiseConfig, rng: random.Random
) -> tuple[str, list[PhiSpan]]:
    """The text and the PHI of a note after noise is added."""
    chosen = [kind for kind in _KINDS if rng.random() < getattr(config, kind)]
    if {"upper", "lower"} <= set(chosen):
        chosen.remove("lower")
    for kind in chosen:
        text, spans = apply_edits(text, spans, sorted(_KINDS[kind](text, spans, rng)))
    return text, list(spans)


def apply_edits(text: str, spans: Spans, edits: Sequence[Edit]) -> tuple[str, list[PhiSpan]]:
    """Edit a text and adjust its PHI; text inserted at the edge of a span stays outside it.

    edits (Sequence[Edit]): Sorted, without overlap, none across the edge of a span.
    """
    shifts = [0, *accumulate(len(edit.new) - edit.end + edit.start for edit in edits)]
    starts, ends = [edit.start for edit in edits], [edit.end for edit in edits]
    moved = [
        replace(
            span,
            # edits that end at the span's start precede it; those that begin at its end follow it
            start=span.start + shifts[bisect_right(ends, span.start)],
            end=span.end + shifts[bisect_left(starts, span.end)],
        )
        for span in spans
    ]
    return splice(text, edits), moved


def _change_case(
    change: Callable[[str], str], text: str, spans: Spans, rng: random.Random
) -> Edits:
    """One edit for each letter whose other case is a single character."""
    for i, char in enumerate(text):
        other = change(char)
        if other != char and len(other) == 1:
            yield Edit(i, i + 1, other)


def _wrap(text: str, spans: Spans, rng: random.Random) -> Edits:
    """Replace the last blank before the margin by a line break."""
    width = rng.randint(60, 80)
    start = 0
    for line in text.split("\n"):
        begin, last = 0, -1
        for i, char in enumerate(line):
            if i - begin > width and last > begin:
                yield Edit(start + last, start + last + 1, "\n")
                begin, last = last + 1, -1
            if char == " " and line[:i].strip() and line[i - 1] != " ":
                last = i
        start += len(line) + 1


def _substitute(
    pattern: re.Pattern[str],
    by: str,
    rates: Sequence[float],
    text: str,
    spans: Spans,
    rng: random.Random,
) -> Edits:
    """Replace the matches of a pattern at one of the rates; without rates, all of them."""
    rate = rng.choice(rates) if rates else 1.0
    for match in pattern.finditer(text):
        if not rates or rng.random() < rate:
            yield Edit(*match.span(), match.expand(by))


def _join(text: str, spans: Spans, rng: random.Random) -> Edits:
    """Drop the blank between two pieces of PHI, or in a name ("MARYSmith")."""
    for i, span in enumerate(spans):
        if i and text[spans[i - 1].end : span.start] == " " and rng.random() < 0.5:
            yield Edit(span.start - 1, span.start, "")
        inner = text.find(" ", span.start, span.end)
        if span.type in PERSONS and inner > 0 and rng.random() < 0.15:
            first = text[span.start : inner]
            yield Edit(span.start, inner + 1, first.upper() if len(first.upper()) > 3 else first)


def _double(text: str, spans: Spans, rng: random.Random) -> Edits:
    stops = rng.random() < 0.7
    rate = 1.0 if stops else 0.03
    for match in (_STOP if stops else _BLANK).finditer(text):
        if rng.random() < rate:
            yield Edit(*match.span(), "  ")


def _scan(text: str, spans: Spans, rng: random.Random) -> Edits:
    """Misread the same few characters again and again, like a bad scan."""
    rate, slips = rng.choice(((0.01, _SLIPS), (0.1, rng.sample(sorted(_SLIPS), 4)), (0.5, "01")))
    for match in _SCANNED.finditer(text):
        if match.group() in slips and rng.random() < rate:
            yield Edit(*match.span(), _SLIPS[match.group()])


def _quotes(text: str, spans: Spans, rng: random.Random) -> Edits:
    for match in _QUOTE.finditer(text):
        mark = match.group()
        if mark == '"':
            opens = text[match.end() : match.end() + 1].isalnum()
            follows_word = text[: match.start()][-1:].isalnum()
            mark = "\u201c" if opens and not follows_word else "\u201d"
        yield Edit(*match.span(), _TYPOGRAPHIC.get(mark, mark))


_KINDS: dict[str, Callable[[str, Spans, random.Random], Edits]] = {
    "join": _join,
    "glue": partial(_substitute, _GLUED, "", (0.1, 0.4, 0.9)),
    "double": _double,
    "tabs": partial(_substitute, _BLANKS, "\t", ()),
    "quotes": _quotes,
    "bare": partial(_substitute, _MARK, "", (0.3, 0.7, 1.0)),
    "wrap": _wrap,
    "upper": partial(_change_case, str.upper),
    "lower": partial(_change_case, str.lower),
    "scan": _scan,
    "space": partial(_substitute, _SIGN, r" \g<0> ", (0.2, 0.6, 1.0)),
}  # in the order in which they are added
