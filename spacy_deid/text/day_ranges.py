"""Ranges of days of one month that end in the year: "3/4-9/67"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RANGE = re.compile(
    r"(?<![\w/.-])(?:0?[1-9]|1[0-2])/(?P<first>[0-9]{1,2})\s?[-\u2013]\s?(?P<last>[0-9]{1,2})/"
    r"(?P<year>[0-9]{4}|[0-9]{2})(?![\w/-]|\.[0-9])"
)


def find_day_ranges(text: str) -> Iterator[re.Match[str]]:
    """The ranges of days in a text, with the groups "first", "last" and "year".

    Not "3/4-9/12", which ends on 12 September, nor "3/12-9/67", which does not count up.
    """
    return filter(_ends_in_year, filter(_counts_up, _RANGE.finditer(text)))


def _counts_up(match: re.Match[str]) -> bool:
    return 1 <= int(match["first"]) < int(match["last"]) <= 31


def _ends_in_year(match: re.Match[str]) -> bool:
    """Whether the last number can be no day of another month."""
    first, last, year = (int(match[name]) for name in ("first", "last", "year"))
    return year not in range(1, 32) or (last > 12 and (first > 12 or year > 12))
