"""Noise: upper case, wrapped lines, lost and doubled blanks, scanning errors.

Each kind of noise is a list of edits of the text; PHI offsets are adjusted exactly.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate

from ..annotation.notes import PhiSpan
from ..annotation.phi import PERSONS

Spans = Sequence[PhiSpan]
Edits = Iterator["Edit"]


@dataclass(frozen=True, order=True)
class Edit:
    """Replace characters `start` to `end` by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class NoiseConfig:
    """Probability of each kind of noise in a note.

    upper (float): The whole note in upper case.
    lower (float): The whole note in lower case.
    wrap (float): Lines wrapped at 60 to 80 columns, inside names too.
    glue (float): Lost blanks: "70yoM", "chest pain.Denies".
    join (float): Lost blanks between two pieces of PHI or inside a name ("MARYSmith").
    double (float): Doubled blanks after full stops or anywhere.
    bare (float): Lost full stops and commas, as in speech recognition.
    scan (float): Scanning errors (O for 0, l for 1): some or most occurrences of some characters.
    tabs (float): Tabs for runs of blanks.
    quotes (float): Typographic quotes and dashes.
    """

    upper: float = 0.07
    lower: float = 0.08
    wrap: float = 0.2
    glue: float = 0.12
    join: float = 0.03
    double: float = 0.12
    bare: float = 0.03
    scan: float = 0.06
    tabs: float = 0.06
    quotes: float = 0.08


NO_NOISE = NoiseConfig(*(0.0 for _ in fields(NoiseConfig)))
"""No noise."""

_GLUED = re.compile(r"(?<=\d)[ -](?=y/?o\b)|(?<=\dyo)[ ](?=[MFmf]\b)|(?<=[a-z]\.)[ ](?=[A-Z][a-z])")
_STOP = re.compile(r"(?<=[.:]) (?=\S)")
_BLANK = re.compile(r"(?<=\S) (?=\S)")
_BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)")
_QUOTE = re.compile(r"(?<!\w)\"(?=\w)|\"|'|(?<= )--?(?= )")
_MARK = re.compile(r"(?<=\w)[.,;:?!](?=\s|$)")
_SLIPS = {"0": "O", "1": "l", "O": "0", "l": "1", "I": "l", "5": "S", "8": "B"}
_SCANNED = re.compile("[01OlI58]")


def add_noise(
    text: str, spans: Spans, config: NoiseConfig, rng: random.Random
) -> tuple[str, list[PhiSpan]]:
    """Add noise to a note.

    text (str): The note's text.
    spans (Sequence[PhiSpan]): Its PHI.
    config (NoiseConfig): Probabilities.
    rng (random.Random): Random generator.
    RETURNS (tuple[str, list[PhiSpan]]): Text and PHI after the edits.
    """
    chosen = [kind for kind, _ in _KINDS if rng.random() < getattr(config, kind)]
    for kind, edits in _KINDS:
        if kind in chosen and not (kind == "lower" and "upper" in chosen):
            text, spans = apply_edits(text, spans, sorted(edits(text, spans, rng)))
    return text, list(spans)


def apply_edits(text: str, spans: Spans, edits: Sequence[Edit]) -> tuple[str, list[PhiSpan]]:
    """Edit a text and adjust its PHI; text inserted at the edge of a span stays outside it.

    edits (Sequence[Edit]): Sorted, without overlap, none across the edge of a span.
    """
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    pieces.append(text[at:])
    shifts = [0, *accumulate(len(edit.text) - edit.end + edit.start for edit in edits)]
    starts, ends = [edit.start for edit in edits], [edit.end for edit in edits]
    moved = [
        PhiSpan(
            # edits that end at the span's start precede it; those that begin at its end follow it
            span.start + shifts[bisect_right(ends, span.start)],
            span.end + shifts[bisect_left(starts, span.end)],
            span.type,
            span.id,
        )
        for span in spans
    ]
    return "".join(pieces), moved


def _upper(text: str, spans: Spans, rng: random.Random) -> Edits:
    return _change_case(text, str.upper)


def _lower(text: str, spans: Spans, rng: random.Random) -> Edits:
    return _change_case(text, str.lower)


def _change_case(text: str, change: Callable[[str], str]) -> Edits:
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


def _glue(text: str, spans: Spans, rng: random.Random) -> Edits:
    rate = rng.choice((0.1, 0.4, 0.9))
    yield from _drop(_GLUED, text, rate, rng)


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
            yield Edit(match.start(), match.end(), "  ")


def _bare(text: str, spans: Spans, rng: random.Random) -> Edits:
    yield from _drop(_MARK, text, rng.choice((0.3, 0.7, 1.0)), rng)


def _scan(text: str, spans: Spans, rng: random.Random) -> Edits:
    """Misread the same few characters again and again, like a bad scan."""
    rate, slips = rng.choice(((0.01, _SLIPS), (0.1, rng.sample(sorted(_SLIPS), 4)), (0.5, "01")))
    for match in _SCANNED.finditer(text):
        if match.group() in slips and rng.random() < rate:
            yield Edit(match.start(), match.end(), _SLIPS[match.group()])


def _tabs(text: str, spans: Spans, rng: random.Random) -> Edits:
    for match in _BLANKS.finditer(text):
        yield Edit(match.start(), match.end(), "\t")


def _quotes(text: str, spans: Spans, rng: random.Random) -> Edits:
    for match in _QUOTE.finditer(text):
        mark = match.group()
        opening = match.end() < len(text) and text[match.end()].isalnum()
        fresh = match.start() == 0 or not text[match.start() - 1].isalnum()
        if mark.startswith("-"):
            yield Edit(match.start(), match.end(), "\u2013" if len(mark) == 1 else "\u2014")
        elif mark == '"':
            yield Edit(match.start(), match.end(), "\u201c" if opening and fresh else "\u201d")
        else:
            yield Edit(match.start(), match.end(), "\u2019")


def _drop(pattern: re.Pattern[str], text: str, rate: float, rng: random.Random) -> Edits:
    for match in pattern.finditer(text):
        if rng.random() < rate:
            yield Edit(match.start(), match.end(), "")


_KINDS: tuple[tuple[str, Callable[[str, Spans, random.Random], Edits]], ...] = (
    ("join", _join),
    ("glue", _glue),
    ("double", _double),
    ("tabs", _tabs),
    ("quotes", _quotes),
    ("bare", _bare),
    ("wrap", _wrap),
    ("upper", _upper),
    ("lower", _lower),
    ("scan", _scan),
)
