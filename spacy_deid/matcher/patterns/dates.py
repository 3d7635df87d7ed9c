"""Rules for dates: existing days, in digits or with the name of a month."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...annotation.candidates import CERTAIN, LIKELY, SURE
from ...text.english import MONTH_WORDS, RANGE
from ..rule import Rule
from .common import ALONE, any_of, left_of

_SLASHED = r"(?:0?[1-9]|[12][0-9]|3[01])/(?:0?[1-9]|[12][0-9]|3[01])(?![0-9/%]|\.[0-9]|-[0-9]{3})"
_FRACTION = re.compile(rf"{ALONE}(?P<phi>{_SLASHED})(?!\w)")
_LEFT_OF_FRACTION = re.compile(
    r"\b(?:bp|pain|power|scale|scores?|strength|vision|[a-z]{2,5}-[0-9]{1,2})[\s:=,(]{1,4}"
    r"(?:(?:is|was|of|at|a|an|to|as|out)\s){0,2}\Z|[0-9)] ?= ?\Z",
    re.IGNORECASE,
)
"""A pressure or a score: "PHQ-9 was 12/27"."""
_RIGHT_OF_FRACTION = re.compile(r"[ ]?[%>]|-?[a-z]{3}", re.IGNORECASE)
"""A ratio or a strength: "10/30 %", "5/325-mg"."""
_USUAL_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 7, 8, 10, 12))
"""Of scores, strengths, murmurs, ratios; 7 and 12 count days of a week and months of a year."""
_METRIC_ACUITY = frozenset((6, 9, 12, 18, 24))
"""Denominators of visual acuity at 6 metres."""

_LEFT_OF_BOTTLES = re.compile(rf"{any_of('bcx ucx cx culture cultures')}[ :(]{{1,3}}\Z")


def _day_exists(first: str, second: str) -> bool:
    """Whether two numbers are a valid month and day, in either order."""
    low, high = sorted((int(first), int(second)))
    return 1 <= low <= 12 and high <= 31


def _has_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the first two numbers of a date (the last two, after a year) are a valid day."""
    numbers = re.findall(r"[0-9]{1,4}", match["phi"])
    if len(numbers[0]) == 4:
        return _day_exists(numbers[1], numbers[2]) and int(numbers[1]) <= 12
    return _day_exists(numbers[0], numbers[1])


def _counts_up(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether days of one month count up: "4-9/3/67"."""
    first, last, month = map(int, re.findall("[0-9]{1,2}", match["phi"])[:3])
    return first < last <= 31 and 1 <= month <= 12


def _is_no_fraction(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "8/27" is a valid day and its context does not make it a fraction."""
    return (
        _has_day(match, vocab)
        and not _RIGHT_OF_FRACTION.match(match.string, match.end())
        and not _LEFT_OF_FRACTION.search(left_of(match, 32, "phi"))
    )


def _is_unusual_fraction(match: re.Match[str], vocab: Vocab) -> bool:
    """The same, and it is not a common fraction."""
    first, second = (int(number) for number in match["phi"].split("/"))
    if first == second or second in _USUAL_DENOMINATORS:
        return False
    return _is_no_fraction(match, vocab)


def _is_in_series(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether days of the same month are nearby: "1/6 Na 128, 1/7 Na 131, 1/8 Na 135".

    Scores share the second number instead. Two scores of equal value on different scales would look
    like two days, so a pair needs one day that is not a common denominator.
    """
    (start, end), month = match.span("phi"), int(match["phi"].split("/")[0])
    days = {
        int(other["phi"].split("/")[1])
        for other in _FRACTION.finditer(match.string, max(0, start - 100), end + 100)
        if int(other["phi"].split("/")[0]) == month and _may_be_listed(other)
    }
    if month == 6:
        days -= _METRIC_ACUITY
    return len(days) > 2 or (len(days) == 2 and not days <= _USUAL_DENOMINATORS)


def _may_be_listed(match: re.Match[str]) -> bool:
    """Whether "4/2" may be in a list of days: not "1/2", no ratio of culture bottles."""
    first, second = (int(number) for number in match["phi"].split("/"))
    return not first < second <= 4 and not _LEFT_OF_BOTTLES.search(left_of(match, 16))


_MONTHS = " ".join(MONTH_WORDS)
_MONTH = rf"{any_of(_MONTHS)}\.?"
_NUMERIC = (
    r"[0-9]{1,2}(?:/[0-9]{1,2}/|-[0-9]{1,2}-|\.[0-9]{1,2}\.)"
    r"(?:(?:19|20)[0-9]{2}|[0-9]{2}(?![0-9/-]|\.[0-9]))"
)
_ISO = r"(?:1[89]|20)[0-9]{2}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}(?![0-9/-])"
_YEAR = r"(?:1[89][0-9]{2}|20[0-9]{2}|2100)(?![0-9])"
_SHORT_YEAR = r"['\u2019][0-9]{2}(?![0-9\w])"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?![0-9:/%]|[.,][0-9])(?:[ ]?(?i:st|nd|rd|th)(?![a-z]))?"
_PLAIN_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])"

_OF_YEAR = rf"(?:,? (?:of )?|,|-|/)?[ \n]{{0,2}}(?:{_YEAR}|{_SHORT_YEAR})"


RULES: tuple[Rule, ...] = (
    Rule("date.mdy", "DATE", SURE, "DATED NUMBER[/.-]", rf"{ALONE}(?P<phi>{_NUMERIC})", _has_day),
    Rule(
        "date.days",
        "DATE",
        CERTAIN,
        "NUMBER[-\u2013]",
        rf"{ALONE}(?P<phi>{_PLAIN_DAY}[-\u2013](?![0-9]{{1,2}}-){_NUMERIC})",
        _counts_up,
    ),
    Rule("date.iso", "DATE", CERTAIN, "DATED", rf"{ALONE}(?P<phi>{_ISO})", _has_day),
    Rule(
        "date.month_year",
        "DATE",
        SURE,
        "SLASHED NUMBER[/-]",
        rf"{ALONE}(?P<phi>(?:0?[1-9]|1[0-2])[/-](?:19[2-9]|20[0-9])[0-9])(?![\w/]|-[0-9])",
    ),
    Rule(
        "date.slashed",
        "DATE",
        LIKELY,
        "SLASHED",
        rf"{ALONE}(?P<phi>{_SLASHED})(?!\w)",
        _is_unusual_fraction,
    ),
    Rule(
        "date.slashed_in_series",
        "DATE",
        LIKELY,
        "SLASHED",
        _FRACTION.pattern,
        _is_in_series,
    ),
    Rule(
        "date.service",
        "DATE",
        CERTAIN,
        "usmc usn usaf uscg army navy marines force guard",
        r"(?i:usmc|usn|usaf|uscg|army|navy|marines|force|guard),? "
        r"(?P<phi>['\u2019]?[0-9]{2}[-\u2013]['\u2019]?[0-9]{2})(?![\w/-])",
    ),
    Rule(
        "date.year_month_day",
        "DATE",
        CERTAIN,
        _MONTHS,
        rf"(?<![\w-])(?P<phi>{_YEAR}(?:[-/]{_MONTH}[-/]|[ ](?=[A-Z]){_MONTH}[ ]){_DAY})(?!\w)",
        reach=2,
    ),
    Rule(
        "date.month_days",
        "DATE",
        CERTAIN,
        _MONTHS,
        rf"(?P<phi>{_MONTH} ?{_DAY}){RANGE}(?P<phi2>{_DAY}(?:{_OF_YEAR})?)"
        r"(?!\w| ?(?:mg|mcg|ml|%|units))",
    ),
    Rule(
        "date.days_month",
        "DATE",
        CERTAIN,
        "NUMBER[-\u2013snrtSNRT]",
        rf"{ALONE}(?P<phi>{_PLAIN_DAY}(?i:st|nd|rd|th)?)"
        r"(?:[-\u2013]|(?<=[a-zA-Z])[ ]?[-\u2013][ ]?)"
        rf"(?P<phi2>{_PLAIN_DAY}(?i:st|nd|rd|th)? ?(?:of )?{_MONTH}(?:{_OF_YEAR})?)(?!\w)",
    ),
)
