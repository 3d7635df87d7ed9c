"""Surrogates of dates: all dates of a patient move by one number of days.

The number is drawn with the key from 5 to 46 weeks, back or forth: whole weeks, so that weekdays
stay true, and never so near to a year that a month would come out as itself. Intervals and order
stay as they are, and so does the way a date is written ("Oct '08", "the 3rd of May", "05/2067").
What is too coarse to move may stay: a weekday alone, a decade, and a year alone where its middle
stays in the year. A holiday becomes the day that its own day moves to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from ..phi_text import PhiText
from .calendar import (
    MONTHS,
    SEASONS,
    ending,
    in_case,
    read_holiday,
    read_month,
    read_ordinal,
    read_season,
    season_middle,
    season_of,
    write_month,
    write_ordinal,
)

WEEKS = (5, 46)
"""The least and the most weeks that dates move, back or forth."""

_UNKNOWN_YEAR = 2020  # of dates whose note holds no year: a leap year, so that all of them exist
_GAP = r"[\s.,/-]{0,4}"
_SEP = r"\s{0,2}[-/.\u2013]\s{0,2}"
_WORD = r"[A-Za-z]{3,10}\.?"
_YEAR4 = r"(?:1[89]|20|21)\d\d"
_ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th|ST|ND|RD|TH)|(?:twenty|thirty)[- ][a-z]{5,7}|"
    r"[a-z]{3,9}(?:th|st|nd|rd))"
)


@dataclass(frozen=True)
class Reading:
    """How the dates of a note are to be read.

    shift (timedelta): How far they move.
    year (int): The year of dates without one.
    month (int): The month of days without one.
    day_first (bool): Whether "5/3" is the fifth of March.
    """

    shift: timedelta
    year: int
    month: int
    day_first: bool

    def moved(self, year: int, month: int, day: int) -> date:
        """The day that a day moves to; one that does not exist counts as the month's last."""
        while day > 28:
            try:
                return date(year, month, day) + self.shift
            except ValueError:
                day -= 1
        return date(year, month, max(day, 1)) + self.shift

    def full_year(self, digits: str) -> int:
        """A year from two or four digits; two stand for at most ten years after the note's own."""
        if len(digits) > 2:
            return int(digits)
        last = self.year + 10
        return last - (last - int(digits)) % 100


def days_shift(note: PhiText) -> timedelta:
    """How far the dates of a note's patient move."""
    least, most = WEEKS
    drawn = note.number(2 * (most - least + 1), "date")
    weeks = least + drawn // 2
    return timedelta(weeks=weeks if drawn % 2 else -weeks)


def dates(note: PhiText) -> list[str]:
    """Dates moved by the patient's number of days.

    note (PhiText): The note with its dates.
    RETURNS (list[str]): A date for each, written as the original is.
    """
    reading = _read_note(note)
    return [move_date(note.value(span), reading) for span in note.spans]


def _read_note(note: PhiText) -> Reading:
    values = [note.value(span) for span in note.spans]
    years = [int(year) for value in values for year in re.findall(rf"(?<!\d){_YEAR4}(?!\d)", value)]
    pairs = [
        (int(first), int(second))
        for value in values
        for first, second in re.findall(r"(?<![\d/.-])(\d{1,2})[-/.](\d{1,2})[-/.]\d{2,4}", value)
    ]
    months = [second if first > 12 else first for first, second in pairs]
    return Reading(
        shift=days_shift(note),
        year=max(years, default=_UNKNOWN_YEAR),
        month=min(12, max(1, months[0])) if months else 1,
        day_first=any(first > 12 >= second > 0 for first, second in pairs)
        and not any(second > 12 >= first for first, second in pairs),
    )


def move_date(text: str, reading: Reading) -> str:
    """A date, or several in one mention, moved.

    text (str): The date as written.
    reading (Reading): How to read it, and how far it moves.
    RETURNS (str): The same with other days, months and years; what is no part of a date and might
        tell something is blotted out.
    """
    pieces: list[str] = []
    done = 0
    while done < len(text):
        for pattern, move in _FORMS:
            match = pattern.match(text, done)
            if match and (moved := move(match, reading)) is not None:
                pieces.append(moved)
                done = match.end()
                break
        else:
            char = text[done]
            pieces.append("0" if char.isdigit() else "x" if char.isalpha() else char)
            done += 1
    return "".join(pieces)


def _put(match: re.Match[str], **values: str) -> str:
    """The match with other values in its groups."""
    pieces, done = [], match.start()
    places = sorted(
        (match.span(name), value) for name, value in values.items() if match.start(name) >= 0
    )
    for (start, end), value in places:
        pieces += [match.string[done:start], value]
        done = end
    return "".join(pieces) + match.string[done : match.end()]


def _digits(number: int, model: str) -> str:
    """A number with as many digits as a model; two for a year's four where the model has two."""
    if len(model) == 4:
        return f"{number:04}"
    if len(model) == 2:
        return f"{number % 100:02}"
    return str(number)


def _move_triple(match: re.Match[str], reading: Reading) -> str | None:
    """ "3/4/67", "2067-03-04", "04.03.2067"."""
    a, b, c = match["a"], match["b"], match["c"]
    if len(a) == 4:
        names, year, month, day = ("a", "b", "c"), int(a), int(b), int(c)
    else:
        first, second = int(a), int(b)
        swapped = first > 12 or (reading.day_first and second <= 12)
        month, day = (second, first) if swapped else (first, second)
        names = ("c", "b", "a") if swapped else ("c", "a", "b")
        year = reading.full_year(c)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    moved = reading.moved(year, month, day)
    numbers = (moved.year, moved.month, moved.day)
    return _put(
        match,
        **{
            name: _same_digits(number, match[name])
            for name, number in zip(names, numbers, strict=True)
        },
    )


def _same_digits(number: int, model: str) -> str:
    """A day, month or year written like a model: with its zero in front, or its two digits."""
    if len(model) == 4:
        return f"{number:04}"
    if len(model) == 2 and (model[0] == "0" or number > 99):
        return f"{number % 100:02}"
    return str(number)


def _move_pair(match: re.Match[str], reading: Reading) -> str | None:
    """ "3/4", "05/2067", "5/67"."""
    first, second = int(match["a"]), int(match["b"])
    if len(match["b"]) == 4 or second > 31:
        if not 1 <= first <= 12:
            return None
        moved = reading.moved(reading.full_year(match["b"]), first, 15)
        return _put(
            match, a=_same_digits(moved.month, match["a"]), b=_digits(moved.year, match["b"])
        )
    swapped = first > 12 or (reading.day_first and second <= 12)
    month, day = (second, first) if swapped else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    moved = reading.moved(reading.year, month, day)
    a, b = (moved.day, moved.month) if swapped else (moved.month, moved.day)
    return _put(match, a=_same_digits(a, match["a"]), b=_same_digits(b, match["b"]))


def _move_compact(match: re.Match[str], reading: Reading) -> str | None:
    """ "20670304", also with a time behind; "03042067", "030467"."""
    digits = match["a"]
    if re.match(_YEAR4, digits) and len(digits) >= 8:
        order = "ymd"
        year, month, day = int(digits[:4]), int(digits[4:6]), int(digits[6:8])
    else:
        order = "mdy"
        month, day, year = int(digits[:2]), int(digits[2:4]), reading.full_year(digits[4:])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    moved = reading.moved(year, month, day)
    written = f"{_digits(moved.year, '0000' if order == 'ymd' else digits[4:])}"
    days = f"{moved.month:02}{moved.day:02}"
    return written + days + digits[8:] if order == "ymd" else days + written


def _move_month(match: re.Match[str], reading: Reading) -> str | None:
    """ "March 4th, 2067", "the 4th of March", "4 Mar 67", "Oct '08", "MAY"."""
    groups = match.groupdict()
    month = read_month(groups["month"])
    if month is None:
        return None
    day, year = groups.get("day"), groups.get("year")
    number = _read_day(day) if day else 15
    if number is None or not 1 <= number <= 31:
        return None
    moved = reading.moved(reading.full_year(year) if year else reading.year, month, number)
    values = {"month": write_month(moved.month, groups["month"])}
    if day:
        values["day"] = _write_day(moved.day, day)
    if year:
        values["year"] = _digits(moved.year, year)
    return _put(match, **values)


def _read_day(text: str) -> int | None:
    digits = re.match(r"\d{1,2}", text)
    return int(digits.group()) if digits else read_ordinal(text)


def _write_day(day: int, model: str) -> str:
    digits = re.match(r"\d{1,2}", model)
    if digits is None:
        return write_ordinal(day, model)
    number = _same_digits(day, digits.group())
    return (
        number + in_case(model[digits.end() :], ending(day))
        if digits.end() < len(model)
        else number
    )


def _move_day(match: re.Match[str], reading: Reading) -> str | None:
    """ "4th", "third": a day of the month at hand."""
    day = _read_day(match["day"])
    if day is None or not 1 <= day <= 31:
        return None
    moved = reading.moved(reading.year, reading.month, day)
    step = 1 if moved.day == day else 0
    return _put(match, day=_write_day(moved.day % 28 + 1 if step else moved.day, match["day"]))


def _move_season(match: re.Match[str], reading: Reading) -> str | None:
    """ "summer 2068", "fall of '98", "winter"."""
    season, year = read_season(match["season"]), match["year"]
    if season is None:
        return None
    at = reading.full_year(year) if year else reading.year
    moved = season_middle(season, at) + reading.shift
    new = season_of(moved)
    if new == season and not year:
        new = (season + (1 if reading.shift.days > 0 else -1)) % 4
    values = {"season": in_case(match["season"], SEASONS[new])}
    if year:
        values["year"] = _digits(moved.year, year)
    return _put(match, **values)


def _move_holiday(match: re.Match[str], reading: Reading) -> str | None:
    """ "Christmas" becomes the day that Christmas Day moves to."""
    day = read_holiday(match["words"])
    if day is None:
        return None
    year = match["year"]
    moved = reading.moved(reading.full_year(year) if year else reading.year, *day)
    if re.search(r"(?i)\beve\b", match["words"]):
        moved -= timedelta(days=1)
    tail = match.string[match.end("words") : match.start("year")] if year else ""
    written = f"{MONTHS[moved.month - 1].capitalize()} {moved.day}"
    if match["words"].isupper():
        written = written.upper()
    return written + tail + (_digits(moved.year, year) if year else "")


def _move_year(match: re.Match[str], reading: Reading) -> str | None:
    """ "2067", "'67": where the middle of the year goes."""
    moved = reading.moved(reading.full_year(match["year"]), 7, 1)
    return _put(match, year=_digits(moved.year, match["year"]))


def _stay(match: re.Match[str], reading: Reading) -> str:
    return match.group()


_OF_YEAR = rf"(?:{_GAP}(?:of\s)?['\u2019`]?(?P<year>{_YEAR4}|(?<=[\s,'\u2019`/.-])\d\d)(?!\d))?"
_WEEKDAYS = (
    r"(?i:(?:mon|tues?|wednes|wed|thurs?|thu|fri|satur|sat|sun)(?:day)?s?|weds|m[-/]?w[-/]?f|mwfs|"
    r"t[-/]?th?[-/]?sa?|tuthsa?)(?![A-Za-z])\.?"
)
_LITERAL = (
    r"(?i:the|of|and|to|thru|through|until|or|at|on|in|by|between|from|early|late|mid|middle|end|"
    r"beginning|weekend|week|day|eve|night|morning|month|year|last|next|this|am|pm|a|m|d|t|z|utc|"
    r"est|edt|cst|hrs?|hours?|bank|holidays?)(?![A-Za-z])"
)

_Move = Callable[[re.Match[str], Reading], "str | None"]
_FORMS: tuple[tuple[re.Pattern[str], _Move], ...] = tuple(
    (re.compile(pattern), move)
    for pattern, move in (
        (r"(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?:\.\d{1,6})?(?!\d)", _stay),  # a time of day
        (
            r"(?<!\d)(?P<a>\d{4}|\d{1,2})\s{0,2}(?P<sep>[-/.\u2013])\s{0,2}(?P<b>\d{1,2})\s{0,2}"
            r"(?P=sep)\s{0,2}(?P<c>\d{4}|\d{1,2})(?!\d)",
            _move_triple,
        ),
        (r"(?<!\d)(?P<a>\d{14}|\d{12}|\d{8}|\d{6})(?!\d)", _move_compact),
        (rf"(?<!\d)(?P<a>\d{{1,2}}){_SEP}(?P<b>{_YEAR4}|\d{{1,2}})(?!\d)", _move_pair),
        (rf"(?<![A-Za-z])(?P<year>{_YEAR4}|\d\d)['\u2019]?[sS](?![A-Za-z])", _stay),  # a decade
        (
            rf"(?<![\dA-Za-z])(?P<day>{_ORDINAL}|\d{{1,2}})(?:{_GAP}|\s?day\s)(?:of\s(?:the\s)?)?"
            rf"(?P<month>{_WORD})(?![A-Za-z]){_OF_YEAR}",
            _move_month,
        ),
        (
            rf"(?<![A-Za-z])(?P<month>{_WORD}){_GAP}(?:the\s)?(?P<day>{_ORDINAL}|\d{{1,2}})"
            rf"(?!\d|[A-Za-z]){_OF_YEAR}",
            _move_month,
        ),
        (rf"(?<![A-Za-z])(?P<month>{_WORD})(?![A-Za-z]){_OF_YEAR}", _move_month),
        (rf"(?<![A-Za-z]){_WEEKDAYS}", _stay),
        (
            rf"(?<![A-Za-z])(?P<season>(?i:{'|'.join(SEASONS)}|autumn))(?:time)?(?![A-Za-z])"
            rf"{_OF_YEAR}",
            _move_season,
        ),
        (
            r"(?<![A-Za-z])(?P<words>[A-Za-z](?:[A-Za-z'\u2019.]|[ ](?=[A-Za-z])){1,30})"
            rf"(?:(?:{_GAP}|\sof\s)['\u2019`]?(?P<year>{_YEAR4}|\d\d))?(?=$|[^A-Za-z\d])",
            _move_holiday,
        ),
        (rf"(?<![A-Za-z\d])['\u2019`]?(?P<year>{_YEAR4}|(?<=['\u2019`])\d\d)(?!\d)", _move_year),
        (rf"(?<![A-Za-z\d])(?P<day>{_ORDINAL})(?![A-Za-z\d])", _move_day),
        (rf"(?<![A-Za-z]){_LITERAL}", _stay),
    )
)
"""How dates are written, each with what moves it; the first that fits counts."""
