"""English calendar and number words, independent of the process's locale."""

from __future__ import annotations

MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
MONTH_FORMS = tuple(
    tuple(forms.split())
    for forms in (
        *("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul"),
        *("august aug", "september sept sep", "october oct", "november nov", "december dec"),
    )
)
"""Each month's name and short forms, in lower case, that of three letters last."""

MONTH_WORDS = tuple(form for forms in MONTH_FORMS for form in forms)
"""The names and short forms of all months."""

MONTH = "|".join(MONTH_WORDS)
"""Regular expression for them."""

WEEKDAY_FORMS = (
    *map(str.lower, WEEKDAYS),
    *"mon tue tues wed thu thur thurs fri sat sun".split(),
)
"""The names of weekdays and their short forms, in lower case."""

SEASONS = ("winter", "spring", "summer", "fall")
"""Quarters from December on; the middle of a season is the 15th of its second month."""

DIGITS = tuple("zero one two three four five six seven eight nine".split())
TEENS = tuple(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())
NTH = "first second third fourth fifth sixth seventh eighth ninth".split()
"""Ordinals from 1 to 9."""

DAYS = (
    *NTH,
    *"tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth".split(),
    *"seventeenth eighteenth nineteenth twentieth".split(),
    *(f"twenty-{word}" for word in NTH),
    "thirtieth",
    "thirty-first",
)
"""The days of a month in words, from the 1st to the 31st."""

RANGE = r"[ ]?(?:-|\u2013|\u2014|to|thru|through|until|and)[ ]?"
"""Regular expression for the separator in a date range."""


def season_of(month: int) -> int:
    """The index in `SEASONS` of the season of a month."""
    return month % 12 // 3


def quarter_of(month: int) -> int:
    """The quarter of the year, from 1 to 4, of a month."""
    return (month + 2) // 3


def ordinal(number: int) -> str:
    """A number with its ordinal suffix: "1st", "12th", "23rd"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def number_words(number: int) -> str:
    """A number up to 199 in words ("sixty-seven", "one hundred and four")."""
    if number >= 100:
        rest = f" and {number_words(number % 100)}" if number % 100 else ""
        return f"one hundred{rest}"
    if number < 20:
        return (*DIGITS, *TEENS)[number]
    return TENS[number // 10 - 2] + (f"-{DIGITS[number % 10]}" if number % 10 else "")
