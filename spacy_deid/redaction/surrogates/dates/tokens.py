"""Tokens of a date mention: numbers, words and the gaps between them, each with a code.

A code is a letter for what the token can be. The codes of a mention are joined to a short string
that `forms` matches against patterns: "March 4, 2067" is "m i, y".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....text.dashes import DASHES
from ....text.english import DAYS, DIGITS, SEASONS
from .holidays import HOLIDAY
from .words import read_day, read_word

_PLAIN_LETTERS = str.maketrans("\u0130\u0131\u017f\u212a", "IisK")  # equal ignoring case
_DIGIT_LIKE = str.maketrans("OolI", "0011")
NUMBER = (
    r"(?-i:(?:(?<![^\W_])[OolI]{1,2}(?=[0-9]))?"
    r"[0-9](?:[0-9]|[OolI](?=[OolI]{0,2}(?:[0-9]|(?![^\W_])))){0,60})"
)
"""A number, also with letters misread for digits ("20O4")."""

_DAY_WORDS = "|".join(
    word.replace("-", r"[-\s]{1,3}") for word in sorted(DAYS, key=len, reverse=True)
)
_PLURALS = "|".join(f"{word}s" for word in ("day", "week", "month", "year", "quarter", *SEASONS))
_COUNT = (
    rf"(?:{NUMBER}\s?(?:st|nd|rd|th)|{_DAY_WORDS})"
    r"(?=\s{1,3}(?:weeks?|quarters?|half|trimester|semester)(?![^\W_]))|"
    rf"(?:{'|'.join(DIGITS)})(?=\s{{1,3}}(?:{_PLURALS})(?![^\W_]))"
)
"""A number that is no day: "2nd week", "three summers"."""
_TOKEN = re.compile(
    r"(?P<time>(?<![0-9])(?:[01]?[0-9]|2[0-4])(?::[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?"
    r"(?![0-9:])(?:\s?[ap]\.?m(?![a-z])\.?)?(?:Z(?![a-z])|[+-][0-9]{2}:?[0-9]{2}(?![0-9]))?|"
    r"\s?[ap]\.?m(?![a-z])\.?))"
    rf"|(?P<count>(?<![^\W_])(?:{_COUNT}))"
    r"|(?P<week>(?:(?<=[0-9]{4})|(?<=[0-9]{4}-))w(?:0[1-9]|[1-4][0-9]|5[0-3])(?:-[1-7])?(?![^\W_]))"
    r"|(?P<quarter>(?<![^\W\d_])q[1-4](?![^\W_]))"
    rf"|(?P<holiday>(?<![^\W_]){HOLIDAY})"
    r"|(?P<decade>(?:['\u2019]\s?)?(?<![0-9])(?:1[789]|2[012])?[0-9]0['\u2019]?s(?![^\W_]))"
    r"|(?P<quoted>['\u2019`]\s?[0-9]{2}(?![0-9]))"
    rf"|(?P<ordinal>{NUMBER}\s?(?:st|nd|rd|th)(?![^\W_]))"
    rf"|(?P<number>{NUMBER})"
    rf"|(?P<day>(?<![^\W_])(?:{_DAY_WORDS})(?![^\W_]))"
    r"|(?P<word>[^\W\d_]{1,60})"
    r"|(?P<other>\d)",
    re.IGNORECASE,
)
_COMPACT = re.compile(
    r"(?P<y>(?:1[789]|2[012])[0-9]{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12][0-9]|3[01])"
    r"(?P<t>(?:[01][0-9]|2[0-4])(?:[0-5][0-9]){0,2})?"
)
_COMPACT_US = re.compile(
    r"(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12][0-9]|3[01])(?P<y>(?:1[789]|2[012])?[0-9]{2})"
)
_COMPACT_MONTH = re.compile(r"(?P<y>(?:19|20)[0-9]{2})(?P<m>0[1-9]|1[0-2])")
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?")
_CODES = {
    **{"time": " ", "count": " ", "week": "w", "quarter": "g", "holiday": "h"},
    **{"decade": "t", "quoted": "a", "other": "x"},
}
_SIGNS = {
    **{sign: sign for sign in "/.,-"},
    **dict.fromkeys("\\|", "/"),
    **dict.fromkeys("_\u2010\u2011", "-"),
    **dict.fromkeys(f"\u2012{DASHES}&~;", "~"),
}
_YEARS = range(1700, 2300)
_LAST_MONTH = 12
_LAST_DAY = 31
_LAST_DAY_OF_YEAR = 366


class Token(NamedTuple):
    """A token of a mention.

    start (int): First character, in the mention.
    text (str): Its text.
    code (str): What it can be: a one-digit number (i), a two-digit number that can be a month (k),
        a day (d) or only a year (z), a year of four digits (y) or with an apostrophe (a), a day
        with an ordinal ending or in words (o), a decade (t), the name of a month (m), season (s),
        quarter (g) or holiday (h), a week or day of a year ("2067-W09-5", "2067-063"; w, j), a time
        of day if a date precedes it (q), something else (x); a blank or "~" if it is not part of a
        date: plain words, weekdays, times of day, the "2nd" of a week.
    value (int): The number, month, season or quarter, or the digits of a week.
    """

    start: int
    text: str
    code: str
    value: int = 0

    @property
    def end(self) -> int:
        """One past the last character."""
        return self.start + len(self.text)


def find_tokens(text: str) -> Iterator[Token]:
    """The tokens of a mention, in order."""
    for match in _TOKEN.finditer(text.translate(_PLAIN_LETTERS)):
        if match.lastgroup == "number":
            alone = not any(map(str.isdigit, text[: match.start()]))
            yield from _numbers(match[0], match.start(), alone)
        else:
            yield Token(match.start(), match[0], *_read(match.lastgroup or "", match[0]))


def code_of_gap(text: str) -> str:
    """The code of the gap between two tokens: a sign, "~" (to), a blank or nothing."""
    bare = text.strip()
    if not bare:
        return " " if text else ""
    sign = _SIGNS.get(bare[0], " ")
    return "~" if sign == "-" and text[0].isspace() and text[-1].isspace() else sign


def digits_of(text: str) -> str:
    """The digits of a number, with misread letters corrected ("20O4")."""
    return text.translate(_DIGIT_LIKE)


def _read(kind: str, text: str) -> tuple[str, int]:
    """Code and value of a token that is not a plain number."""
    match kind:
        case "ordinal":
            number = int(digits_of(text[:-2]))
            return ("o", number) if 1 <= number <= _LAST_DAY else ("x", 0)
        case "day":
            return "o", read_day(text)
        case "word":
            return read_word(text)
    return _CODES[kind], int(re.sub("[^0-9]", "", text) or 0)


def _numbers(text: str, start: int, alone: bool) -> Iterator[Token]:
    """The tokens of a run of digits: one, or the parts of a date without separators.

    alone (bool): Whether no number precedes it, after which "200912" would be a time.
    """
    digits = digits_of(text)
    forms = (_COMPACT, _COMPACT_US, *((_COMPACT_MONTH,) if alone else ()))
    match = next(filter(None, (form.fullmatch(digits) for form in forms)), None)
    if match is None:
        yield Token(start, text, _number_code(digits), int(digits))
        return
    for name in sorted(filter(match.group, match.groupdict()), key=match.start):
        first, end = match.span(name)
        code = " " if name == "t" else _number_code(match[name])
        yield Token(start + first, text[first:end], code, int(match[name]))


def _number_code(digits: str) -> str:
    value = int(digits)
    match len(digits):
        case 1:
            return "i" if value else "x"
        case 2:
            return "k" if 1 <= value <= _LAST_MONTH else "d" if 1 <= value <= _LAST_DAY else "z"
        case 3 if 1 <= value <= _LAST_DAY_OF_YEAR:
            return "j"
        case 4 if value in _YEARS:
            return "y"
    return "q" if _CLOCK.fullmatch(digits) else "x"
