"""Dates and ages: a consistent calendar per note, and the ways to write and speak a date."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

from ..text.english import DAYS, MONTHS, SEASONS, TENS, WEEKDAYS, number_words, ordinal, season_of
from .numbers import SPOKEN_DIGITS
from .values import NO_RELATIVE, Values

_ODD_SHARE = 0.1  # of the dates in the plain form: not in the note's usual shape
_SPOKEN_ALIKE = {
    **dict.fromkeys(("long", "abbr", "dmy", "iso", "compact", "timestamp_date"), ""),
    **dict.fromkeys(("numeric_month_year", "mon_yr"), "month_year"),
}
_DAYS_AFTER = {"transcribed": (0, 2), "signed": (0, 3), "followup": (5, 120), "future": (1, 200)}


@dataclass(frozen=True)
class Calendar:
    """The consistent dates of one note, which was written today."""

    today: date
    admit: date
    discharge: date
    dob: date
    shape: str  # usual shape of full dates in the note

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


def make_calendar(values: Values, today: date, dob: date, rng: random.Random) -> Calendar:
    """The calendar of a note written on `today`."""
    stay = rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 9, 12, 18, 30))
    discharge = today + timedelta(days=rng.choice((0, 0, 0, 1, 2, 4)))
    admit = max(today - timedelta(days=stay), dob)
    return Calendar(today, admit, discharge, dob, rng.choices(values.shapes["date"])[0])


def pick_day(role: str, days: Calendar, rng: random.Random) -> date:
    """A day for a date role, consistent with the note's calendar."""
    match role:
        case "today" | "dictated":
            return days.today
        case "admit":
            return days.admit
        case "discharge":
            return days.discharge
        case "dob":
            return days.dob
        case "surgery":
            return days.admit + timedelta(days=rng.randint(0, (days.today - days.admit).days))
        case "onset":
            return max(days.admit - timedelta(days=rng.randint(1, 12)), days.dob)
        case "past":
            lived = max((days.admit - days.dob).days, 1)
            back = int(lived * rng.random() ** 2.5)  # recent days are more likely
            return days.admit - timedelta(days=max(back, min(lived, rng.randrange(10, 400))))
        case "transcribed" | "signed" | "followup" | "future":
            return days.today + timedelta(days=rng.randint(*_DAYS_AFTER[role]))
    return max(days.today - timedelta(days=rng.choice((0, 1, 1, 2, 3, 5, 8, 14, 30))), days.dob)


def write_date(values: Values, day: date, form: str, usual: str, rng: random.Random) -> str:
    """Write a day in one of the forms of the slot language (not `holiday`).

    usual (str): Usual shape of full dates in the note, for the plain form.
    """
    if form:
        shape = rng.choice(values.shapes[f"date {form}"])
    else:
        shape = rng.choices(values.shapes["date"])[0] if rng.random() < _ODD_SHARE else usual
    season = SEASONS[season_of(day.month)]
    month = MONTHS[day.month - 1]
    weekday = WEEKDAYS[day.weekday()]
    return shape.format(
        y=day.year,
        yy=day.year % 100,
        m=day.month,
        d=day.day,
        dth=ordinal(day.day),
        month=month,
        mon="Sept" if month == "September" and rng.random() < 0.5 else month[:3],
        MON=month[:3].upper(),
        weekday=weekday,
        wd=rng.choice(values.shapes[f"weekday {weekday}"]),
        season="autumn" if season == "fall" and rng.random() < 0.2 else season,
        dec=day.year // 10 * 10,
        de=f"{day.year % 100 // 10}0",
    )


def speak_date(values: Values, day: date, form: str, rng: random.Random) -> str:
    """A day as spoken ("june third twenty twenty one"); empty for forms spoken as written."""
    shapes = values.shapes.get(f"spoken {_SPOKEN_ALIKE.get(form, form)}".strip())
    if shapes is None:
        return ""
    text = rng.choice(shapes).format(
        y=_spoken_year(day.year, rng),
        year=day.year,
        yy=_spoken_pair(day.year % 100),
        m=number_words(day.month),
        d=number_words(day.day).replace("-", " "),
        dth=DAYS[day.day - 1].replace("-", " "),
        month=MONTHS[day.month - 1],
        weekday=WEEKDAYS[day.weekday()],
    )
    return text.lower() if rng.random() < 0.7 else text


def _spoken_year(year: int, rng: random.Random) -> str:
    if 2000 <= year < 2010:
        rest = f" {rng.choice(('', 'and '))}{number_words(year % 10)}" if year % 10 else ""
        return f"two thousand{rest}"
    century = number_words(year // 100)
    return f"{century} {_spoken_pair(year % 100)}" if year % 100 else f"{century} hundred"


def _spoken_pair(number: int) -> str:
    """The last two digits of a year: "oh four", "twenty one"."""
    return f"oh {SPOKEN_DIGITS[number]}" if number < 10 else number_words(number).replace("-", " ")


def pick_age(values: Values, role: str, patient_age: int, rng: random.Random) -> int:
    """The age of someone or something, given the patient's.

    role (str): The role ("mother"); "onset" and unknown roles give ages the patient had.
    """
    if role == "baby":
        return rng.randint(2, 23)
    older = values.relatives.get(role, NO_RELATIVE).older
    if older is None:
        return rng.randint(1, max(1, patient_age))
    age = patient_age + rng.randint(*older)
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
            word = f"{TENS[decade // 10 - 2][:-1]}ies" if 20 <= decade < 100 else f"{decade}s"
            return rng.choice((f"{decade}s", f"{decade}s", f"{decade}'s", word))
    return str(age)
