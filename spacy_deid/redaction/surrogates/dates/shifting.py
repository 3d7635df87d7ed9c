"""Surrogates of dates: all dates of a patient are shifted by the same number of days.

Intervals and order stay exact, and weekdays too if the shift is in whole weeks, the default (see
`date_shift`). A date without a year is resolved to the one nearest to the note's latest date, so
that leap years count right; dates of birth in a text do not count as such, nor do bare years if
there are others. A note without any other year is dated to a common (non-leap) year, in which dates
move by the shift modulo whole years: a day may then fall one off the same day with its year, as the
leap days are unknown.

Bare years and decades move by their middle: the default moves every bare year, a shift under a year
few of them, one under five years few decades. Weekday names stay. A bare day of the month ("on the
4th") moves with the dates around it and may fall on the same number; any other surrogate differs
from its original.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from string import ascii_lowercase, digits

from ....text.english import RANGE
from ...date_shift import YEAR
from ...phi_text import PhiText
from .births import find_births, without_births
from .forms import find_order, read_mention
from .holidays import holiday_in
from .mentions import Mention, PartialDate
from .tokens import Token

_DEFAULT_DAY = date(2002, 7, 2)  # no leap year next to it
_OLD_SHORT_YEARS = range(51, 100)  # read as 19xx in a note with no other years
_SHORT = 99  # largest two-digit year
_HALF_DECADE = 5
_AHEAD = 10  # years that a note may look ahead
_MIDDLE = 15
_LEAP = 8  # at most so many years from one 29 February to the next


def date_shift(note: PhiText) -> timedelta:
    """The date shift of the note's patient."""
    return timedelta(days=note.choice(note.date_shift.days, "date shift"))


def dates(note: PhiText) -> list[str]:
    """Shift dates by the patient's number of days, each in its own form.

    A holiday becomes a month and a day. Ambiguous numbers are read in the order that the other
    dates of the text show, or else those in the fields of its note, or else as the policy says
    (`day_first`). In what cannot be parsed, letters and digits are replaced.
    """
    mentions = read_dates(note)
    visits = without_births(mentions, find_births(note))
    known = [day for day in (latest_day(visits), note.shared.latest) if day]
    latest = max(known, default=_DEFAULT_DAY)
    shift = date_shift(note)
    yearless_shift = shift if known else _within_year(shift)
    padding = {in_words: _is_padded(mentions, in_words) for in_words in (False, True)}
    anchor, surrogates = latest, []
    for number, mention in enumerate(mentions):
        days = []
        if _begins_range(note, number) and mentions[number + 1].dates:  # "7" of "7-9 June"
            end = mentions[number + 1].dates[0]
            anchor = resolve(end, latest, anchor) if end.month else anchor
        for part in mention.dates:
            day = resolve(part, latest, anchor)
            anchor = day if part.month else anchor
            has_year = part.year or "T" in part.parts
            days.append(_moved(part, day, shift if has_year else yearless_shift))
        rest = [_disguise(note, token.text) for token in mention.rest]
        surrogates.append(mention.write(days, padded=padding[mention.in_words], rest=rest))
    return surrogates


def _within_year(shift: timedelta) -> timedelta:
    """A shift modulo whole years, at most half a year either way."""
    return timedelta(days=round(math.remainder(shift.days, YEAR)))


def _begins_range(note: PhiText, number: int) -> bool:
    """Whether only "to" or a dash separates a mention from the next."""
    if number + 1 == len(note.spans):
        return False
    between = note.text[note.spans[number].end : note.spans[number + 1].start]
    return re.fullmatch(RANGE, between) is not None


def read_dates(note: PhiText) -> list[Mention]:
    """The parsed mentions of a text, all with the same order of day and month.

    If they do not show it, that of the dates in the fields of the note, else that of the policy.
    """
    texts = [note.original(span) for span in note.spans]
    day_first = find_order(texts)
    if day_first is None:
        day_first = note.shared.day_first
    if day_first is None:
        day_first = note.date_shift.day_first
    return [read_mention(text, day_first) for text in texts]


def latest_day(mentions: Iterable[Mention]) -> date | None:
    """The latest date with a year, preferably one with a month and a year of four digits."""
    parts = [part for mention in mentions for part in mention.dates if part.year]
    whole = [part for part in parts if part.month and part.year and part.year.code == "y"]
    days = [resolve(part, _DEFAULT_DAY, _DEFAULT_DAY) for part in whole or parts]
    return max(days, default=None)


def year_of(token: Token, latest: date) -> int:
    """A year with four digits, or the first of a decade; at most `_AHEAD` years after the latest
    date of the note if it has two."""
    if latest == _DEFAULT_DAY and token.value <= _SHORT:
        return token.value + (1900 if token.value in _OLD_SHORT_YEARS else 2000)
    return full_year(token, latest.year + _AHEAD)


def full_year(token: Token, last: int) -> int:
    """A year, or the first of a decade; of two digits, the latest one up to `last`."""
    return token.value if token.value > _SHORT else last - (last - token.value) % 100


def resolve(part: PartialDate, latest: date, anchor: date) -> date:
    """The day of a partial date; the middle of the period if it is incomplete.

    latest (date): The note's latest date; a date without a year is resolved near it.
    anchor (date): The previous date; a bare day of the month is resolved near it.
    """
    decade = part.parts.get("T")
    if decade:
        return date(year_of(decade, latest) + _HALF_DECADE, 1, 1)
    if part.year:
        year = year_of(part.year, latest) + part.later
        return _day_in(part, year) or _last_of_month(part, year)
    if part.day and not part.month:
        months = [anchor.replace(day=1) + timedelta(days=days) for days in (-1, 0, 31)]
        days = [_date(month.year, month.month, part.day.value) for month in months]
        return _nearest(days, anchor) or anchor
    years = range(latest.year - _LEAP, latest.year + _LEAP + 1)
    days = [_day_in(part, year) for year in years]
    return _nearest(days, latest) or _last_of_month(part, latest.year)


def _day_in(part: PartialDate, year: int) -> date | None:
    """The day of a partial date in a year, if it exists."""
    season, quarter, holiday, week, ordinal = map(part.parts.get, "SQHWJ")
    if season:
        return date(year, 1 + 3 * season.value, _MIDDLE)
    if quarter:
        return date(year, 3 * quarter.value - 1, _MIDDLE)
    if holiday:
        return holiday_in(holiday.text, year)
    if week:
        return _day_of_week(year, week)
    if ordinal:
        return date(year, 1, 1) + timedelta(days=ordinal.value - 1)
    if part.month is None:
        return date(year, _DEFAULT_DAY.month, part.day.value if part.day else _DEFAULT_DAY.day)
    return _date(year, part.month.value, part.day.value if part.day else _MIDDLE)


def _day_of_week(year: int, week: Token) -> date:
    """The day of an ISO week, its Thursday if there is none."""
    number, _, weekday = week.text[1:].partition("-")
    return date.fromisocalendar(year, 1, int(weekday or 4)) + timedelta(weeks=int(number) - 1)


def _date(year: int, month: int, day: int) -> date | None:
    return date(year, month, day) if day <= monthrange(year, month)[1] else None


def _last_of_month(part: PartialDate, year: int) -> date:
    """For "April 31", the last day of the month."""
    month = part.month.value if part.month else 1
    return date(year, month, monthrange(year, month)[1])


def _nearest(days: Iterable[date | None], anchor: date) -> date | None:
    return min(filter(None, days), key=lambda day: abs(day - anchor), default=None)


def _moved(part: PartialDate, day: date, shift: timedelta) -> date:
    """The day to write: for a winter, its January, which gives it its year."""
    day += shift
    return day + timedelta(days=31) if "S" in part.parts and day.month == 12 else day


def _is_padded(mentions: Iterable[Mention], in_words: bool) -> bool:
    """Whether a note writes "03": by default in numbers, and beside month names only if shown."""
    shown = {mention.padded for mention in mentions if mention.in_words == in_words}
    return False not in shown and (not in_words or True in shown)


def _disguise(note: PhiText, text: str) -> str:
    """Replace every letter and digit by another."""
    chars = list(text)
    for place, char in enumerate(text):
        if char.isalnum():
            options = (digits if char.isdigit() else ascii_lowercase).replace(char.lower(), "")
            drawn = note.choice(options, "date letter", text.lower(), str(place))
            chars[place] = drawn.upper() if char.isupper() else drawn
    return "".join(chars)
