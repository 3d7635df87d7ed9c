"""Dates and numbers as spoken, for unedited dictations and transcripts."""

from __future__ import annotations

import random
import re
from datetime import date

from ..text.english import DAYS, DIGITS, MONTHS, WEEKDAYS, number_words
from .values import Values

_DIGITS = ("oh", *DIGITS[1:])
_SPOKEN_ALIKE = {
    **dict.fromkeys(("long", "abbr", "dmy", "iso", "compact", "timestamp_date"), ""),
    **dict.fromkeys(("numeric_month_year", "mon_yr"), "month_year"),
}
_CODE = re.compile(r"(?=.*[0-9])[0-9A-Za-z().,:/ -]+")


def speak_date(values: Values, day: date, form: str, rng: random.Random) -> str:
    """A day as spoken ("june third twenty twenty one"); empty for forms that are spoken as written.

    form (str): A form of the slot language.
    """
    shapes = values.shapes.get(f"spoken {_SPOKEN_ALIKE.get(form, form)}".strip())
    if shapes is None:
        return ""
    text = rng.choice(shapes).format(
        y=_year(day.year, rng),
        year=day.year,
        yy=_two_digits(day.year % 100),
        m=number_words(day.month),
        d=number_words(day.day).replace("-", " "),
        dth=DAYS[day.day - 1].replace("-", " "),
        month=MONTHS[day.month - 1],
        weekday=WEEKDAYS[day.weekday()],
    )
    return text.lower() if rng.random() < 0.7 else text


def speak_number(text: str, rng: random.Random) -> str:
    """Spell a number by digits ("2 0 8, 5 5 5, 0 1 1 4", "two oh eight dash ..."); words stay."""
    if re.search("[A-Za-z]{5}|[xX][0-9]|ext", text) or not _CODE.fullmatch(text):
        return text
    words, dash = rng.random() < 0.5, rng.choice((" dash ", ", ", " "))
    parts = (
        " ".join(_DIGITS[int(char)] if words and char.isdecimal() else char for char in part)
        for part in re.findall("[0-9A-Za-z]+", text)
    )
    return dash.join(parts)


def _year(year: int, rng: random.Random) -> str:
    if 2000 <= year < 2010:
        rest = f" {rng.choice(('', 'and '))}{number_words(year % 10)}" if year % 10 else ""
        return f"two thousand{rest}"
    century = number_words(year // 100)
    return f"{century} {_two_digits(year % 100)}" if year % 100 else f"{century} hundred"


def _two_digits(number: int) -> str:
    """The last two digits of a year: "oh four", "twenty one"."""
    return f"oh {_DIGITS[number]}" if number < 10 else number_words(number).replace("-", " ")
