"""Ages: those over 89 become "90+", as Safe Harbor requires and the i2b2 corpora do."""

from __future__ import annotations

import math
import re

from ....annotation.notes import PhiSpan
from ....text.english import DIGITS, NTH, TEENS, TENS
from ...phi_text import PhiText
from .tokens import NUMBER, digits_of

TOP = "90+"
"""The replacement for ages over 89."""

UNKNOWN = "[AGE]"
"""The replacement for what cannot be read as an age."""

_TOP_AGE = 90
_BELOW_HUNDRED = "|".join((*DIGITS[1:], *TEENS, *TENS))
_JOINT = "[-\u2010-\u2014\\s_]"
_UNITS = rf"(?:{_JOINT}{{0,3}}(?:{'|'.join((*DIGITS[1:], *NTH))})(?![a-z]))?"
_OLD_PEOPLE = "(?:non[ao]gen|(?:super)?centen)arians?"
_OLD_WORDS = (
    rf"(?:(?:one|an?){_JOINT}{{1,3}})?hundred(?:th|(?:{_JOINT}{{1,3}}and)?{_JOINT}{{1,3}}"
    rf"(?:{_BELOW_HUNDRED})"
    rf"(?![a-z]){_UNITS})?|nine?ty{_UNITS}|ninet(?:ies|ys|y's|y\u2019s|ieth)|"
    rf"{_OLD_PEOPLE}"
)
_NUMBER = rf"(?:[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,2}}(?![0-9])|{NUMBER})"
_AGE = re.compile(
    rf"(?<![\w.])(?P<number>{_NUMBER})(?:\.[0-9]{{1,4}})?"
    r"(?:\s?(?:st|nd|rd|th)(?![a-z])|\s?['\u2019]?s(?![a-z])|\+)?"
    rf"|(?<![a-z])(?:{_OLD_WORDS})(?![a-z])",
    re.IGNORECASE,
)
_SHORT_UNIT = re.compile(
    r"[- \t]{0,2}(?:(?:months|mos|weeks|wks|days|hours|hrs|minutes|MONTHS|WEEKS)"
    r"(?![A-Za-z]|[ \t]{0,2}[0-9])|"
    r"(?i:(?:months?|mos?\.?|weeks?|wks?\.?|days?|hours?|hrs?\.?)[- \t]{1,2}(?:old|of[ \t]age)"
    r"(?![a-z])))"
)
"""Units shorter than a year, where they can mean nothing else: not "94 w/o fever", "95 Day 3"."""

_ANY_NUMBER = re.compile(_NUMBER)
_MOST = {"mo": 1_080, "we": 4_696, "wk": 4_696, "da": 32_872, "ho": 788_940, "hr": 788_940}
"""Number of units in 90 years, by how a unit begins; minutes have no such number."""

_YOUNG = re.compile(
    rf"(?<![a-z])(?:(?:{'|'.join(TENS)})?(?:{'|'.join((*DIGITS, *TEENS, *NTH))})|"
    rf"{'|'.join(TENS)}|(?:twent|thirt|fort|fift|sixt|sevent|eight)(?:ies|ieth)|teens?|"
    r"(?:oct[ao]|septua|sexa)genarians?|teenage[dr]?|adolescent|newborns?|neonates?|infants?|"
    r"toddlers?|child(?:ren)?|baby|babies|middle|elderly)(?![a-z])",
    re.IGNORECASE,
)
_UNREAD = re.compile(
    r"\d|(?<![a-z])(?:n+[iey]{1,2}n|hun|ty(?![a-z])|centur)",
    re.IGNORECASE,
)
"""What may be a part of an age over 89, in a text without the ages that can be read."""

_APART = re.compile(
    r"(?<![0-9/.])(?:9|1[-,|\s]{0,3}[0-2])[-,|\s]{1,3}[0-9](?![0-9/.])|"
    rf"(?<![a-z])(?:nine|one[-\s]{{1,3}}(?:oh?|zero|one|two))[-\s]{{1,3}}(?:{'|'.join(DIGITS)})"
    r"(?![a-z])|(?:ten|1[01])(?:th)?[-\s]{1,3}decade",
    re.IGNORECASE,
)
"""A number over 89 whose digits stand apart: "9 3", "nine three", but not "9 3/12"."""

_HYPHENATED = re.compile(r"-[ \t]*\r?\n\s*")
_JOINED = re.compile(r"(?:(?<=[A-HJ-NP-Za-hj-km-np-z])|(?<=[Yy][Oo]))(?=[0-9])")
"""Between a letter that is no misread digit and a number: "67y6m", "F72"."""

_OLD = rf"(?:9[0-9]|1[0-2][0-9]|(?<![a-z])(?:{_OLD_WORDS}))"
_OLD_PERSON = re.compile(
    rf"(?<![\w/.]){_OLD}(?:[-\s]{{0,2}}(?:(?:years?|yrs?|y)(?![a-z])|y[./]?o(?![a-z]))|"
    r"\s?[MF](?![\w/])|(?:st|nd|rd|th)?\s(?:birthday|year))"
    rf"|(?<![a-z])(?:aged?|turn(?:ed|ing|s))(?:\s(?:of|is|was)|\s?/\s?sex|\s?\((?:years?|yrs?)\))?"
    rf"[:=|\s-]{{1,4}}{_OLD}(?![\w%]|/(?!\s?[MF](?![a-z])))"
    r"|(?<![a-z])(?:his|her|their)\s(?:(?:early|mid|late)[-\s])?(?:90|100)['\u2019]?s(?![a-z])"
    rf"|(?<![a-z])(?:nineties|{_OLD_PEOPLE})(?![a-z])"
    r"|(?<![\w/.])1,?(?:0[89]|[1-5][0-9])[0-9][-\s]months?[-\s](?:old|of\sage)(?![a-z])",
    re.IGNORECASE,
)


def top_age(note: PhiText) -> list[str]:
    """Replace ages over 89 by "90+" ("ninety-three", "93rd" and "90s" too); others stay.

    Text around the number stays. Ages in months, weeks or days ("96 months old") are compared with
    90 years; in doubt, a number counts as years. What cannot be read as an age up to 89 becomes
    "[AGE]", as it may be one above ("nintey", "9 3"). Ages up to 89 identify no one (45 CFR
    164.514(b)(2)), and changing them would change what the note says of a patient's risk, doses
    and development; the i2b2 corpora keep them for that reason.
    """
    return [_top_age(note, span) for span in note.spans]


def _top_age(note: PhiText, span: PhiSpan) -> str:
    value = note.original(span)
    if unit := _SHORT_UNIT.match(note.text, span.end):
        *_, start = 0, *(match.start() for match in _ANY_NUMBER.finditer(value))
        before, last = value[:start], value[start:]
        is_young = _is_young(last, unit[0]) and (not before.strip() or _is_kept(before))
        return value if is_young else UNKNOWN
    return _kept(value)


def _kept(value: str) -> str:
    """What may stay of an age."""
    text = _JOINED.sub(" ", _HYPHENATED.sub("", value))
    rest, ages = _AGE.subn(" ", text)
    if not ages and not _YOUNG.search(text):
        return UNKNOWN
    if _UNREAD.search(_YOUNG.sub(" ", rest)) or _APART.search(text):
        return UNKNOWN
    top = _AGE.sub(_top, value)
    return top if (top == value) == (_AGE.sub(_top, text) == text) else TOP


def _is_kept(value: str) -> bool:
    """Whether all of an age may stay."""
    return _kept(value) == value


def _is_young(value: str, unit: str) -> bool:
    """Whether all numbers, of a unit shorter than a year, are less than 90 years."""
    most = _MOST.get(unit.strip(" \t-")[:2].lower(), math.inf)
    return all(_read(number) < most for number in _ANY_NUMBER.findall(value))


def _read(number: str) -> int:
    """The value of a number, also of one like "1,104"."""
    return int(digits_of(number.replace(",", "")))


def shows_old_age(text: str) -> bool:
    """Whether a text says that somebody is over 89."""
    return _OLD_PERSON.search(text) is not None


def _top(match: re.Match[str]) -> str:
    """The age, or "90+" if it is above 89; its unit may follow in the span."""
    if unit := _SHORT_UNIT.match(match.string, match.end()):
        return match[0] if _is_young(match[0], unit[0]) else UNKNOWN
    young = match["number"] and _read(match["number"]) < _TOP_AGE
    return match[0] if young else TOP
