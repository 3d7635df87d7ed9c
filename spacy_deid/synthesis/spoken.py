"""Dates and numbers as spoken, for unedited dictations and transcripts."""

from __future__ import annotations

import random
import re
from datetime import date

from ..english import DAYS, DIGITS, MONTHS, WEEKDAYS, number_words
from .values import Values

_SAID_DIGITS = ("oh", *DIGITS[1:])
_SAID_ALIKE = {
    **dict.fromkeys(("long", "abbr", "dmy", "iso", "compact", "timestamp_date"), ""),
    **dict.fromkeys(("numeric_month_year", "mon_yr"), "month_year"),
}
_CODE = re.compile(r"(?=.*[0-9])[0-9A-Za-z().,:/ -]+")


def speak_date(values: Values, day: date, form: str, rng: random.Random) -> str | None:
    """A day as spoken ("june third twenty twenty one"), or None if it is as written.

    form (str): A form of the slot language.
    """
    shapes = values.shapes.get(f"said {_SAID_ALIKE.get(form, form)}".strip())
    if shapes is None:
        return None
    said = rng.choice(shapes).format(
        y=_year(day.year, rng),
        year=day.year,
        yy=_pair(day.year % 100),
        m=number_words(day.month),
        d=_spaced(number_words(day.day)),
        dth=_spaced(DAYS[day.day - 1]),
        month=MONTHS[day.month - 1],
        weekday=WEEKDAYS[day.weekday()],
    )
    return said.lower() if rng.random() < 0.7 else said


def speak_number(text: str, rng: random.Random) -> str:
    """Spell a number by digits ("2 0 8, 5 5 5, 0 1 1 4", "two oh eight dash ..."); words stay."""
    if re.search("[A-Za-z]{5}|[xX][0-9]|ext", text) or not _CODE.fullmatch(text):
        return text
    words, dash = rng.random() < 0.5, rng.choice((" dash ", ", ", " "))
    parts = []
    for part in re.split("[^0-9A-Za-z]+", text):
        parts.append(" ".join(_SAID_DIGITS[int(c)] if words and c.isdecimal() else c for c in part))
    return dash.join(filter(None, parts))


def _spaced(words: str) -> str:
    return words.replace("-", " ")


def _pair(number: int) -> str:
    """The last two digits of a year: "oh four", "twenty one"."""
    return f"oh {_SAID_DIGITS[number]}" if number < 10 else _spaced(number_words(number))


def _year(year: int, rng: random.Random) -> str:
    if 2000 <= year < 2010:
        rest = f" {rng.choice(('', 'and '))}{number_words(year % 10)}" if year % 10 else ""
        return f"two thousand{rest}"
    century = number_words(year // 100)
    return f"{century} {_pair(year % 100)}" if year % 100 else f"{century} hundred"
