"""Dates and ages: a consistent calendar per note, and the many ways to write a date."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

from ..english import MONTHS, SEASONS, TENS, WEEKDAYS, number_words, ordinal
from .values import Values

_SHORT_WEEKDAYS = (
    ("Mon", "Mon."),
    ("Tue", "Tues", "Tues."),
    ("Wed", "Wed.", "Weds"),
    ("Thu", "Thurs", "Thur", "Thurs."),
    ("Fri", "Fri."),
    ("Sat", "Sat."),
    ("Sun", "Sun."),
)
_NUMERIC = (
    ("{m:02}/{d:02}/{y}", 6),
    ("{m}/{d}/{y}", 6),
    ("{m}/{d}/{yy:02}", 6),
    ("{m:02}/{d:02}/{yy:02}", 4),
    ("{m:02}-{d:02}-{y}", 2),
    ("{m}-{d}-{yy:02}", 2),
    ("{m:02}-{d:02}-{yy:02}", 1),
    ("{y}-{m:02}-{d:02}", 3),
    ("{m}.{d}.{yy:02}", 1),
    ("{m:02}.{d:02}.{y}", 1),
    ("{d:02}-{mon}-{y}", 2),
    ("{d:02}{MON}{yy:02}", 0.5),
    ("{d} {mon} {y}", 1),
    ("{d:02}/{m:02}/{y}", 1),
    ("{mon} {d}, {y}", 1.5),
    ("{month} {d}, {y}", 1.5),
    ("{y}/{m:02}/{d:02}", 0.5),
    ("{y}{m:02}{d:02}", 0.5),
)
_STYLES = tuple(style for style, _ in _NUMERIC)
_WEIGHTS = tuple(weight for _, weight in _NUMERIC)
_ODD_SHARE = 0.1


@dataclass(frozen=True)
class Calendar:
    """The consistent dates of one note.

    today (date): Day of the note.
    admit (date): Day of admission, before today.
    discharge (date): Day of discharge, today or later.
    dob (date): The patient's date of birth.
    style (str): Style of full dates in the note.
    """

    today: date
    admit: date
    discharge: date
    dob: date
    style: str

    @property
    def age(self) -> int:
        """The patient's age in years."""
        had_birthday = (self.today.month, self.today.day) >= (self.dob.month, self.dob.day)
        return self.today.year - self.dob.year - (not had_birthday)


def make_today(rng: random.Random) -> date:
    """The day of a first visit, from a wide range of years, as in corpora with shifted dates."""
    chance = rng.random()
    low, high = (2004, 2026) if chance < 0.45 else (1950, 2003) if chance < 0.55 else (2027, 2099)
    return date(rng.randint(low, high), 1, 1) + timedelta(days=rng.randrange(365))


def make_dob(age: int, today: date, rng: random.Random) -> date:
    """The date of birth of someone who is `age` years old today."""
    return today - timedelta(days=int(age * 365.25) + rng.randrange(2, 363))


def make_calendar(today: date, dob: date, rng: random.Random) -> Calendar:
    """The calendar of a note written on `today`."""
    stay = rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 9, 12, 18, 30))
    admit = max(today - timedelta(days=stay), dob)
    discharge = today + timedelta(days=rng.choice((0, 0, 0, 1, 2, 4)))
    return Calendar(today, admit, discharge, dob, rng.choices(_STYLES, _WEIGHTS)[0])


def pick_day(role: str, days: Calendar, rng: random.Random) -> date:
    """A day for a date role, consistent with the note's calendar."""
    after = {"transcribed": (0, 2), "signed": (0, 3), "followup": (5, 120), "future": (1, 200)}
    if role in ("today", "admit", "discharge", "dob"):
        day: date = getattr(days, role)
        return day
    if role == "dictated":
        return days.today
    if role in after:
        return days.today + timedelta(days=rng.randint(*after[role]))
    if role == "surgery":
        return days.admit + timedelta(days=rng.randint(0, (days.today - days.admit).days))
    if role == "onset":
        return max(days.admit - timedelta(days=rng.randint(1, 12)), days.dob)
    if role == "past":
        return _past(days, rng)
    return max(days.today - timedelta(days=rng.choice((0, 1, 1, 2, 3, 5, 8, 14, 30))), days.dob)


def _past(days: Calendar, rng: random.Random) -> date:
    """A day in the patient's life before admission; recent ones are more likely."""
    lived = max((days.admit - days.dob).days, 1)
    back = int(lived * rng.random() ** 2.5)
    return days.admit - timedelta(days=max(back, min(lived, rng.randrange(10, 400))))


def write_date(values: Values, day: date, form: str, style: str, rng: random.Random) -> str:
    """Write a day in one of the forms of the slot language (not `holiday`).

    style (str): The note's style, for the plain form.
    """
    if not form:
        shape = rng.choices(_STYLES, _WEIGHTS)[0] if rng.random() < _ODD_SHARE else style
    else:
        shape = rng.choice(values.shapes[f"date {form}"])
    season = SEASONS[day.month % 12 // 3]
    month = MONTHS[day.month - 1]
    mon = "Sept" if month == "September" and rng.random() < 0.5 else month[:3]
    return shape.format(
        y=day.year,
        yy=day.year % 100,
        m=day.month,
        d=day.day,
        dth=ordinal(day.day),
        month=month,
        mon=mon,
        MON=month[:3].upper(),
        weekday=WEEKDAYS[day.weekday()],
        wd=rng.choice(_SHORT_WEEKDAYS[day.weekday()]),
        season="autumn" if season == "fall" and rng.random() < 0.2 else season,
        dec=day.year // 10 * 10,
        de=f"{day.year % 100 // 10}0",
    )


def pick_age(values: Values, role: str, patient_age: int, rng: random.Random) -> int:
    """The age of someone or something, given the patient's.

    role (str): The role ("mother"); "onset" and unknown roles give ages the patient had.
    """
    if role == "baby":
        return rng.randint(2, 23)
    relative = values.relatives.get(role)
    if relative is None or relative.older is None:
        return rng.randint(1, max(1, patient_age))
    age = patient_age + rng.randint(*relative.older)
    return age if 0 < age < 105 else rng.randint(1, 17) if age <= 0 else rng.randint(60, 99)


def write_age(age: int, form: str, rng: random.Random) -> str:
    """Write an age in one of the forms of the slot language."""
    match form:
        case "words":
            return number_words(age)
        case "ordinal":
            return ordinal(age)
        case "decade":
            decade = max(10, age // 10 * 10)
            return rng.choice((f"{decade}s", f"{decade}s", f"{decade}'s", _decade_word(decade)))
    return str(age)


def _decade_word(decade: int) -> str:
    if not 20 <= decade < 100:
        return f"{decade}s"
    return f"{TENS[decade // 10 - 2][:-1]}ies"
