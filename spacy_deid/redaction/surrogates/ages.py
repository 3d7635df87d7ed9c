"""Ages: up to 89 they may be told, above all of them are "90+" (45 CFR 164.514(b)(2))."""

from __future__ import annotations

import re

from ..phi_text import PhiText
from .years import OLDEST

_DIGITS = re.compile(r"(?P<number>\d{1,3})(?:st|nd|rd|th|'?s)?(?!\d)")
_WORDS = re.compile(
    r"(?i)ninet(?:y|ies|ieth)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine|first|second|"
    r"third|fourth|fifth|sixth|seventh|eighth|ninth))?|(?:one |a )?hundred(?:th)?"
    r"(?:(?: and)?[- ][a-z]{3,9})?"
)
_NO_YEARS = re.compile(r"[\s-]{0,2}(?:mos?|months?|wks?|weeks?|days?|hrs?|hours?)(?![A-Za-z])")


def top_age(note: PhiText) -> list[str]:
    """Ages over 89 as "90+", all others as they are.

    So the surrogates of ages, too: a shifted age would be wrong in medicine, and the i2b2 corpora
    keep it.

    note (PhiText): The note with its ages.
    RETURNS (list[str]): An age for each.
    """
    return [_top(note.value(span), note.text[span.end : span.end + 12]) for span in note.spans]


def _top(value: str, after: str) -> str:
    if _NO_YEARS.match(after):
        return value
    return _WORDS.sub("90+", _DIGITS.sub(_top_digits, value))


def _top_digits(match: re.Match[str]) -> str:
    return "90+" if int(match["number"]) > OLDEST else match.group()
