"""What forms, mail and web pages put between the characters of a note.

Cells and blanks of forms ("|4|1|2|", "(_218_) _555_-_0146_"), letters that are spaced out ("P I N E
R I D G E"), the marks of quoted mail, line breaks at a fixed width, hyphens at line ends and HTML
tags break up names and numbers; the search leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate

Range = tuple[int, int]

_CELL = r"(?:\||\]\[|_{1,3})"
_CELLS = re.compile(rf"[A-Z0-9](?<![^\W_].)(?:(?:{_CELL}[A-Z0-9/-])|-){{2,40}}(?![^\W_])")
"""Characters in cells of their own. With blanks around the bars it would be a table."""
_BETWEEN_CELLS = re.compile(_CELL)
_SCALE = "0123456789"
_FEWEST_CELLS = 5
"""Cells in a row from which on a text is taken for a form; shorter rows are read there, too."""

_GAP = "[ _]{0,6}"
_BLANKS = re.compile(
    rf"\({_GAP}\d{{3}}{_GAP}\){_GAP}\d{{3}}{_GAP}-{_GAP}\d{{4}}"
    rf"|(?<!\d)\d{{1,2}}{_GAP}/{_GAP}\d{{1,2}}{_GAP}/{_GAP}\d{{2,4}}(?!\d)"
    rf"|(?<!\d)\d{{3}}{_GAP}-{_GAP}\d{{2}}{_GAP}-{_GAP}\d{{4}}(?!\d)"
)
"""Phone numbers, dates and US social security numbers, perhaps in the blanks of a form."""
_IN_BLANKS = re.compile(r"[ _]*_[ _]*|(?<=\() +| +(?=\))")

_SPACED_WORD = "(?:[A-Z](?: [A-Z])+|[A-Za-z](?: [a-z])+|[0-9](?:(?: [-/.])? [0-9])+)"
_DAY_AND_YEAR = r"[0-9](?: [0-9])? , {1,4}[0-9](?: [0-9]){3}"
"""What follows a month: the day may have one digit, and the comma one blank."""
_SPACED = re.compile(
    rf"(?<!\S)(?=\w )(?<!\b\w ){_SPACED_WORD}"
    rf"(?:[ ]{{2,4}}{_DAY_AND_YEAR}|(?: [,:])?[ ]{{2,4}}{_SPACED_WORD})*(?!\w)"
)
_IN_SPACED = re.compile(r"(?<=[^\s,]) (?=\S)|(?<= ) +")
"""The blank between two characters, and all but one between two words."""
_BETWEEN_WORDS = re.compile(" {2,4}")
_FEWEST_CAPITALS = 4
_FEWEST_LETTERS = 6
"""Characters of words with small letters, where "b y  v" may be a slip of the keyboard."""
_SPACED_NUMBER = re.compile("[0-9]{1,4}([-/.])[0-9]{1,3}\\1[0-9]{2,4}")
"""A date, phone or US social security number; rows of single digits are scores."""

_HYPHEN = re.compile(r"-(?<=[a-z].)[ \t]{0,2}\n[ \t]{0,8}(?=[a-z])")
_QUOTE = re.compile(r"^(?:> ?){1,5}", re.MULTILINE)
_FEWEST_LINES = 3
"""Lines with such marks, or at such a width, from which on these are no part of the text."""

_NARROWEST = 40
_NEAR = 10
_FULL = 0.7
"""Share of full lines among those that lack fewer than `_NEAR` characters: in lines that end at
blanks, one in six is full; at a fixed width, nearly all are."""
_CUT_WORDS = 0.25
"""Share of full lines that end in a word; where rows of a table end, a word seldom goes on."""
_FEWEST_CUT_WORDS = 2
_CUT_WORD = re.compile(r"(?:[a-z]\n[a-z]|[A-Z]\n[A-Z])")
_CUT = re.compile(r"\n(?<![\W_]{2}\n)(?<!\s\n)(?!\s|[\W_]{2}|\Z)")
"""A line break in a word or number, not beside a rule ("-----")."""

_ATTRIBUTE = "(?:class|color|dir|face|lang|size|style)"
_VALUE = "(?-i:\"[a-z0-9#:;,.% -]{0,60}\"|'[a-z0-9#:;,.% -]{0,60}')"
_TAG = re.compile(
    "</?(?:b|big|em|font|i|small|span|strong|sub|sup|tt|u|wbr)"
    f"(?:\\s{_ATTRIBUTE}={_VALUE}){{0,5}}\\s?/?>",
    re.IGNORECASE,
)
"""An HTML tag that may stand in a word; without attributes that may hold PHI."""


def in_tags(text: str) -> list[Range]:
    """HTML tags that do not part words: "M<b>\u00fc</b>ller"."""
    return [tag.span() for tag in _TAG.finditer(text)] if "<" in text else []


def in_cells(text: str) -> list[Range]:
    """What stands between characters in cells of their own: "|4|1|2|", "[1][E][G]", "_4_1_2_"."""
    if not any(cell in text for cell in ("|", "][", "_")):
        return []
    rows = [
        (len(value), row)
        for row in _CELLS.finditer(text)
        if (value := _BETWEEN_CELLS.sub("", row.group())) not in _SCALE
    ]
    if max((length for length, _ in rows), default=0) < _FEWEST_CELLS:
        return []
    return [found for _, row in rows for found in _within(row, _BETWEEN_CELLS)]


def in_blanks(text: str) -> list[Range]:
    """The lines of a form under parts of a number: "(_218_) _555_ - _0146_"."""
    if "_" not in text:
        return []
    return [
        found
        for number in _BLANKS.finditer(text)
        if "_" in number.group()
        for found in _within(number, _IN_BLANKS)
    ]


def in_spaced_words(text: str) -> list[Range]:
    """The blanks between the characters of words and numbers that are spaced out.

    "P I N E   R I D G E", "J a n e   Q u i s t", "0 3 / 0 4 / 2 0 6 7"; not a single word in small
    letters, which may be an abbreviation in a dictation ("q t c").
    """
    return [
        found
        for row in _SPACED.finditer(text)
        if _is_spaced(row.group())
        for found in _within(row, _IN_SPACED)
    ]


def _is_spaced(row: str) -> bool:
    length = sum(map(str.isalnum, row))
    if row.isupper():
        return length >= _FEWEST_CAPITALS
    if not any(map(str.isalpha, row)):
        return _SPACED_NUMBER.fullmatch(row.replace(" ", "")) is not None
    return length >= _FEWEST_LETTERS and _BETWEEN_WORDS.search(row) is not None


def in_quoted_mail(text: str) -> list[Range]:
    """The marks of quoted mail."""
    quotes = [mark.span() for mark in _QUOTE.finditer(text)] if ">" in text else []
    return quotes if len(quotes) >= _FEWEST_LINES else []


def at_fixed_width(text: str) -> list[Range]:
    """Line breaks after as many characters as fit, in the middle of words: "406.555.017\\n2"."""
    lines = text.split("\n")
    lengths = list(map(len, lines))
    width = max(lengths)
    full = lengths[:-1].count(width)
    if width < _NARROWEST or full < _FEWEST_LINES:
        return []
    if sum("  " in line.strip() for line in lines if len(line) == width) > full / 2:
        return []  # justified text
    if full < _FULL * sum(length > width - _NEAR for length in lengths):
        return []
    ends = accumulate(lengths[:-1], lambda end, length: end + 1 + length)
    breaks = [end for end, length in zip(ends, lengths, strict=False) if length == width]
    words = sum(_CUT_WORD.match(text, end - 1) is not None for end in breaks)
    if words < max(_FEWEST_CUT_WORDS, _CUT_WORDS * full):
        return []
    return [(end, end + 1) for end in breaks if _CUT.match(text, end)]


def at_line_ends(text: str) -> list[Range]:
    """Hyphens between the parts of a word on two lines, with the line break."""
    return [hyphen.span() for hyphen in _HYPHEN.finditer(text)]


def _within(match: re.Match[str], pattern: re.Pattern[str]) -> list[Range]:
    return [found.span() for found in pattern.finditer(match.string, *match.span())]


STRAY: tuple[Callable[[str], list[Range]], ...] = (
    at_fixed_width,
    in_tags,
    in_quoted_mail,
    at_line_ends,
    in_cells,
    in_blanks,
    in_spaced_words,
)
"""Find the ranges of a text that break up its words and numbers, in order."""
