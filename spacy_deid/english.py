"""English words of the calendar and of counting, whatever the locale of the process."""

from __future__ import annotations

MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
DIGITS = tuple("zero one two three four five six seven eight nine".split())
_FIRST_DAYS = "first second third fourth fifth sixth seventh eighth ninth".split()
DAYS = (
    *_FIRST_DAYS,
    *"tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth".split(),
    *"seventeenth eighteenth nineteenth twentieth".split(),
    *(f"twenty-{word}" for word in _FIRST_DAYS),
    "thirtieth",
    "thirty-first",
)
"""The days of a month in words, from the first."""

RANGE = r"[ ]?(?:-|\u2013|\u2014|to|thru|through|until|and)[ ]?"
"""A regular expression of what stands between the two ends of a range of dates."""


def ordinal(number: int) -> str:
    """A number with its ending: "1st", "12th", "23rd"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
