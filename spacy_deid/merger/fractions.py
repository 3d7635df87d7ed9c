"""Fractions that may be dates ("3/7"), judged by the other dates and fractions of their note.

"3/7" is a day, three days, a score or a ratio, and often nothing beside it tells which. The rest of
the note does: its complete dates may be near that day, and show the order of day and month; another
fraction in the same month may be a date beyond doubt; and where weeks are written as "6/52", "3/7"
counts days.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from operator import mul
from typing import NamedTuple

from ..text.english import MONTH_FORMS

_FRACTION = re.compile(r"([0-9]{1,2})/([0-9]{1,2})")
_NAMES = tuple(forms[-1] for forms in MONTH_FORMS)
_NAME = "|".join(
    form if form != "may" else "(?-i:May|MAY)" for forms in MONTH_FORMS for form in forms
)
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_COMPLETE = re.compile(
    r"\b(?:"
    r"(?<![./-])(?P<first>[0-9]{1,2})(?P<sign>[/.-])(?P<second>[0-9]{1,2})(?P=sign)"
    r"(?:19|20)?[0-9]{2}(?![\d/-]|\.\d)"
    r"|(?:19|20)[0-9]{2}(?P<sign2>[-/.]?)(?P<month>0[1-9]|1[0-2])(?P=sign2)(?P<day>[0-3][0-9])(?!\d)"
    rf"|(?P<day2>{_DAY})(?:st|nd|rd|th)?[ .-]?(?P<name>{_NAME})(?![a-z])"
    rf"|(?P<name2>{_NAME})\.?[ -](?P<day3>{_DAY})(?![\d:]))",
    re.IGNORECASE,
)
"""A date with its year, or with the name of its month."""

_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_YEAR = 365
_FARTHEST = 200
"""Days from a complete date to a fraction that is no day at all."""
_UNKNOWN = 10
"""Days in a note without complete dates, which speak neither for a date nor against it."""
_MINUTES = frozenset((5, 10, 15, 30, 45))
"""Numerators of minutes ("15/60"); "20/60" and "6/60" are visual acuity."""
_PARTS_OF_TIME = frozenset((7, 12))
"""Denominators of days of a week and months of a year."""
_LEAST = 0.005
"""Log-odds are those of confidences from here to 1 less this."""

Numbers = tuple[int, int]
"""The numbers of a fraction, or the first two of a date."""


class Evidence(NamedTuple):
    """What speaks for a fraction being a date, and against it.

    detector (float): Log-odds of a detector's confidence in it.
    distance (float): Logarithm of 1 + days to the nearest complete date, whatever the years; 10
        days in a note without complete dates, 200 for a fraction that is no day.
    in_weeks (float): 1 if the note has weeks ("6/52") or minutes ("15/60"), else 0.
    is_part (float): 1 if it then has the denominator of a week or a year, else 0.
    order (float): 1 if it is a day only in the note's order of day and month, -1 if only in the
        other order, else 0.
    same_month (float): The highest log-odds of other fractions in its month; 0 if there are none.
    """

    detector: float
    distance: float
    in_weeks: float
    is_part: float
    order: float
    same_month: float


BIAS = 3.00
"""The log-odds of a date without any evidence."""
WEIGHTS = Evidence(0.71, -0.91, -0.86, -2.04, 1.16, 0.20)
"""Of the evidence in the log-odds of a date, as `scripts/fit_fractions.py` fits them."""


def judge_fractions(
    text: str, words: Sequence[str], confidences: Mapping[int, float]
) -> dict[int, float]:
    """The confidences that the fractions of a note are dates.

    Nothing is judged in a note without complete dates and without weeks ("6/52"), which has no
    evidence, nor in one where the detector suspects no fraction.

    text (str): The note.
    words (Sequence[str]): Its tokens.
    confidences (Mapping[int, float]): A detector's confidence in each token that may be a date.
    RETURNS (dict[int, float]): By token.
    """
    if not any("/" in words[i] for i in confidences):
        return {}
    return {i: _confidence(one) for i, one in read_evidence(text, words, confidences).items()}


def read_evidence(
    text: str, words: Sequence[str], confidences: Mapping[int, float]
) -> dict[int, Evidence]:
    """The evidence for the fractions of a note, by token; the arguments of `judge_fractions`."""
    fractions = {
        i: (int(match[1]), int(match[2]))
        for i, word in enumerate(words)
        if "/" in word and (match := _FRACTION.fullmatch(word))
    }
    in_weeks = any(b == 52 or (b == 60 and a in _MINUTES) for a, b in fractions.values())
    dates = _Dates.read(text) if fractions else None
    if not dates or not (dates.known or in_weeks):
        return {}
    odds = {i: _log_odds(confidences.get(i, 0)) for i in fractions}
    surest = _surest_by_month(dates, ((fractions[i], odds[i]) for i in fractions))
    shared = {
        numbers: Evidence(
            detector=0,
            distance=math.log1p(dates.distance(numbers)),
            in_weeks=in_weeks,
            is_part=in_weeks and numbers[1] in _PARTS_OF_TIME,
            order=dates.fits(numbers),
            same_month=_surest_other(numbers, dates, surest),
        )
        for numbers in set(fractions.values())
    }
    return {i: shared[numbers]._replace(detector=odds[i]) for i, numbers in fractions.items()}


def _confidence(evidence: Evidence) -> float:
    return 1 / (1 + math.exp(-BIAS - sum(map(mul, WEIGHTS, evidence))))


def _log_odds(confidence: float) -> float:
    bounded = min(max(confidence, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))


class _Dates(NamedTuple):
    """The complete dates of a note.

    order (int): Of their numbers: 1 if the day comes first, -1 if the month does, 0 if unknown.
    known (frozenset[int]): Their days of the year.
    """

    order: int
    known: frozenset[int]

    @classmethod
    def read(cls, text: str) -> _Dates:
        numeric: list[Numbers] = []
        days: list[tuple[int, int]] = []
        for match in _COMPLETE.finditer(text):
            if match["first"]:
                numeric.append((int(match["first"]), int(match["second"])))
                continue
            name = match["name"] or match["name2"]
            day = int(match["day"] or match["day2"] or match["day3"])
            month = _NAMES.index(name[:3].casefold()) + 1 if name else int(match["month"])
            days.append((month, day))
        votes = sum((first > 12 >= second) - (second > 12 >= first) for first, second in numeric)
        dates = cls((votes > 0) - (votes < 0), frozenset())
        days += [day for numbers in numeric for day in dates.days(numbers)]
        return dates._replace(known=frozenset(_DAYS_BEFORE[month - 1] + day for month, day in days))

    def days(self, numbers: Numbers) -> list[tuple[int, int]]:
        """The months and days that two numbers may be."""
        first, second = numbers
        days = [(second, first)] * (self.order >= 0) + [(first, second)] * (self.order <= 0)
        return [
            (month, day)
            for month, day in dict.fromkeys(days)
            if 1 <= month <= 12 and 1 <= day <= 31
        ]

    def distance(self, numbers: Numbers) -> int:
        """Days from what two numbers may be to the nearest known day, across the turn of a year."""
        if not self.known:
            return _UNKNOWN
        here = [_DAYS_BEFORE[month - 1] + day for month, day in self.days(numbers)]
        gaps = (abs(one - other) % _YEAR for one in here for other in self.known)
        return min((min(gap, _YEAR - gap) for gap in gaps), default=_FARTHEST)

    def fits(self, numbers: Numbers) -> int:
        """Whether two numbers are a day in this order only: 1; in the other one only: -1."""
        if not self.order:
            return 0
        return bool(self.days(numbers)) - bool(self._replace(order=-self.order).days(numbers))


def _surest_by_month(
    dates: _Dates, fractions: Iterable[tuple[Numbers, float]]
) -> dict[int, list[tuple[float, Numbers]]]:
    """The two different fractions of the highest log-odds that may be in each month."""
    odds: dict[Numbers, float] = {}
    for numbers, one in fractions:
        odds[numbers] = max(one, odds.get(numbers, one))
    by_month = defaultdict(list)
    for numbers, one in odds.items():
        for month, _ in dates.days(numbers):
            by_month[month].append((one, numbers))
    return {month: nlargest(2, found) for month, found in by_month.items()}


def _surest_other(
    numbers: Numbers, dates: _Dates, surest: Mapping[int, Sequence[tuple[float, Numbers]]]
) -> float:
    """The highest log-odds of other fractions in a month of these numbers; 0 if there are none."""
    others = (
        one for month, _ in dates.days(numbers) for one, other in surest[month] if other != numbers
    )
    return max(others, default=0.0)
