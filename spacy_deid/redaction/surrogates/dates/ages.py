"""Ages: those over 89 become "90+", as Safe Harbor requires and the i2b2 corpora do."""

from __future__ import annotations

import re

from ....text.english import DIGITS, NTH, TEENS, TENS
from ...phi_text import PhiText
from .tokens import NUMBER, digits_of

TOP = "90+"
"""The replacement for ages over 89."""

_TOP_AGE = 90
_BELOW_HUNDRED = "|".join((*DIGITS[1:], *TEENS, *TENS))
_JOINT = "[-\u2010-\u2014\\s]"
_UNITS = rf"(?:{_JOINT}{{1,3}}(?:{'|'.join((*DIGITS[1:], *NTH))})(?![a-z]))?"
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

    Text around the number stays; ages in months, weeks or days ("96 months old") do not count; in
    doubt, a number counts as years. Ages up to 89 identify no one (45 CFR 164.514(b)(2)), and
    changing them would change what the note says of a patient's risk, doses and development; the
    i2b2 corpora keep them for that reason.
    """
    return [
        value if _SHORT_UNIT.match(note.text, span.end) else _AGE.sub(_top, value)
        for span, value in ((span, note.value(span)) for span in note.spans)
    ]


def shows_old_age(text: str) -> bool:
    """Whether a text says that somebody is over 89."""
    return _OLD_PERSON.search(text) is not None


def _top(match: re.Match[str]) -> str:
    """The age, or "90+" if it is above 89; its unit may follow in the span."""
    young = match["number"] and int(digits_of(match["number"])) < _TOP_AGE
    return match[0] if young or _SHORT_UNIT.match(match.string, match.end()) else TOP
