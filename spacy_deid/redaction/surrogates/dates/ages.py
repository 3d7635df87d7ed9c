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
_OLD_WORDS = (
    rf"(?:(?:one|an?){_JOINT}{{1,3}})?hundred(?:th|(?:{_JOINT}{{1,3}}and)?{_JOINT}{{1,3}}"
    rf"(?:{_BELOW_HUNDRED})"
    rf"(?![a-z]){_UNITS})?|nine?ty{_UNITS}|ninet(?:ies|ys|y's|y\u2019s|ieth)|"
    r"nonagenarian|centenarian"
)
_AGE = re.compile(
    rf"(?<![\w.])(?P<number>{NUMBER})(?:\.[0-9]{{1,4}})?"
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

_MOST = {"mo": 1_080, "we": 4_696, "wk": 4_696, "da": 32_872, "ho": 788_940, "hr": 788_940}
"""Number of units in 90 years, by how a unit begins; minutes have no such number."""

_YOUNG = re.compile(
    rf"(?<![a-z])(?:{'|'.join((*DIGITS, *TEENS, *TENS, *NTH))}|teens?|twenties|thirties|"
    r"f(?:or|if)ties|sixties|seventies|eighties|teenage[dr]?|adolescent|newborn|neonate|infant|"
    r"toddler|child|middle|elderly)(?![a-z])",
    re.IGNORECASE,
)
_UNREAD = re.compile(r"\d|(?<![a-z])(?:n[iey]{1,2}n|hun)[a-z]*", re.I)
"""What may be a part of an age over 89, in a text without ages: "P93Y", "nintey"."""

_DIGITS_APART = re.compile(r"(?<![0-9/.])(?:9|1\s{0,3}[0-2])\s{1,3}[0-9](?![0-9/.])")
"""A number over 89 whose digits stand apart: "9 3", but not "9 3/12"."""

_OLD = rf"(?:9[0-9]|1[0-2][0-9]|(?<![a-z])(?:{_OLD_WORDS}))"
_OLD_PERSON = re.compile(
    rf"(?<![\w/.]){_OLD}(?:[-\s]{{0,2}}(?:(?:years?|yrs?|y)(?![a-z])|y[./]?o(?![a-z]))|"
    r"\s?[MF](?![\w/])|(?:st|nd|rd|th)?\s(?:birthday|year))"
    rf"|(?<![a-z])(?:aged?|turn(?:ed|ing|s))(?:\s(?:of|is|was)|\s?/\s?sex|\s?\((?:years?|yrs?)\))?"
    rf"[:=|\s-]{{1,4}}{_OLD}(?![\w%]|/(?!\s?[MF](?![a-z])))"
    r"|(?<![a-z])(?:his|her|their)\s(?:(?:early|mid|late)[-\s])?(?:90|100)['\u2019]?s(?![a-z])"
    r"|(?<![a-z])(?:nineties|nonagenarian|centenarian)(?![a-z])",
    re.IGNORECASE,
)


def top_age(note: PhiText) -> list[str]:
    """Replace ages over 89 by "90+" ("ninety-three", "93rd" and "90s" too); others stay.

    Text around the number stays. Ages in months, weeks or days ("96 months old") are compared with
    90 years; in doubt, a number counts as years. What cannot be read as an age up to 89 becomes
    "[AGE]", as it may be one above ("nintey", "P93Y"). Ages up to 89 identify no one (45 CFR
    164.514(b)(2)), and changing them would change what the note says of a patient's risk, doses
    and development; the i2b2 corpora keep them for that reason.
    """
    return [_top_age(note, span) for span in note.spans]


def _top_age(note: PhiText, span: PhiSpan) -> str:
    value = note.value(span)
    if unit := _SHORT_UNIT.match(note.text, span.end):
        return value if _is_young(value, unit[0]) else TOP
    rest, ages = _AGE.subn(" ", value)
    is_read = ages or _YOUNG.search(value)
    if not is_read or _UNREAD.search(_YOUNG.sub(" ", rest)) or _DIGITS_APART.search(value):
        return UNKNOWN
    return _AGE.sub(_top, value)


def _is_young(value: str, unit: str) -> bool:
    """Whether a number of a unit shorter than a year is less than 90 years."""
    most = _MOST.get(unit.strip(" \t-")[:2].lower(), math.inf)
    return all(int(digits_of(number)) < most for number in re.findall(NUMBER, value))


def shows_old_age(text: str) -> bool:
    """Whether a text says that somebody is over 89."""
    return _OLD_PERSON.search(text) is not None


def _top(match: re.Match[str]) -> str:
    """The age, or "90+" if it is above 89; its unit may follow in the span."""
    if unit := _SHORT_UNIT.match(match.string, match.end()):
        return match[0] if _is_young(match[0], unit[0]) else TOP
    young = match["number"] and int(digits_of(match["number"])) < _TOP_AGE
    return match[0] if young else TOP
