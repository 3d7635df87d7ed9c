"""Date mentions, parsed by `forms`, which can be rewritten with other dates.

Numbers keep their width and signs, words their length and case, and the text between stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from ....text.edits import splice
from ....text.english import MONTHS, ordinal, quarter_of, season_of
from .tokens import Token
from .words import capitalised_like, write_day, write_month, write_season

_BESIDE_SHORT = re.compile(r"[-./'\u2019\d]")
_YEAR_AHEAD = re.compile(r"\s{1,9}[0-9]")

Parts = Mapping[str, Token]
"""Parts written: year (Y), month (M), day (D), season (S), quarter (Q), holiday (H),
decade (T), ISO week (W), day of the year (J)."""


class PartialDate(NamedTuple):
    """A date as far as a mention gives it."""

    parts: Parts  # the parts it writes itself
    year: Token | None = None  # its year, or that of its neighbour in the mention ("3/4-3/7/67")
    month: Token | None = None  # its month, or that of its neighbour ("March 4-7")
    month_from: int | None = None  # index of the neighbour that it takes the month from
    later: int = 0  # years to add to the neighbour's year ("12/28/66-1/3")

    @property
    def day(self) -> Token | None:
        """The token of its day of the month."""
        return self.parts.get("D")


class Mention(NamedTuple):
    """A parsed mention of one or several dates ("5/3-5/7")."""

    text: str
    hyphenated: str  # the same with hyphens in dates
    dates: tuple[PartialDate, ...]  # in order, without weekdays and times of day
    rest: tuple[Token, ...]  # words and numbers that could not be parsed
    day_first: bool | None = None  # whether days precede months; None if its numbers are ambiguous
    padded: bool | None = None  # whether it writes "03" or "3"; None if its numbers do not show it

    @property
    def in_words(self) -> bool:
        """Whether a month is written in words."""
        return any(part.month and part.month.code == "m" for part in self.dates)

    def write(self, days: Sequence[date], *, padded: bool = False, rest: Sequence[str] = ()) -> str:
        """Rewrite the mention with other dates.

        days (Sequence[date]): A day for each of `dates`.
        padded (bool): Whether to write "03", not "3", if the mention does not show it.
        rest (Sequence[str]): A text for each of `rest`.
        """
        width = 2 if (padded if self.padded is None else self.padded) else 1
        pieces = [(old.start, old.end, new) for old, new in zip(self.rest, rest, strict=True)]
        for part, day in zip(self.dates, days, strict=True):
            source = part.month_from
            for role, token in part.parts.items():
                shown = _thursday(day) if role == "Y" and "W" in part.parts else day
                text = self._write_part(role, token, shown, width)
                if role == "D" and source is not None and days[source].month != day.month:
                    text = self._add_month(source, text, day, width)
                pieces.append((token.start, token.end, text))
        return splice(self.text, pieces)

    def _add_month(self, source: int, text: str, day: date, width: int) -> str:
        """Add the month to a day that left the shared one: "May 30-June 2" for "March 4-7"."""
        parts = self.dates[source].parts
        month, number = parts["M"], parts.get("D", parts["M"])
        name = self._write_part("M", month, day, width)
        if number.start < month.start:
            return text + self.text[number.end : month.start] + name
        return name + (self.text[month.end : number.start] or " ") + text

    def _write_part(self, role: str, token: Token, day: date, width: int) -> str:
        """Rewrite a part of a date for another day, in the same form."""
        match role:
            case "Y":
                return _write_year(token, day)
            case "M" if token.code == "m":
                beside = self.hyphenated[max(0, token.start - 1) : token.end + 1]
                short = bool(_BESIDE_SHORT.search(beside))
                return write_month(token.text, day.month, short=short)
            case "M":
                return _write_number(token, day.month, width)
            case "D":
                return _write_day(token, day.day, width)
            case "S":
                return write_season(token.text, season_of(day.month))
            case "W":
                return _write_week(token, day)
            case "J":
                return f"{day.timetuple().tm_yday:03}"
            case "Q":
                return f"{token.text[0]}{quarter_of(day.month)}"
            case "H":
                comma = "," if _YEAR_AHEAD.match(self.text, token.end) else ""
                return capitalised_like(token.text, f"{MONTHS[day.month - 1]} {day.day}{comma}")
        return _write_decade(token, day)


def _write_year(token: Token, day: date) -> str:
    if token.code == "y":
        return _slipped(token, f"{day.year:04}")
    return token.text[:-2] + _slipped(token, f"{day.year % 100:02}")


def _thursday(day: date) -> date:
    """The Thursday of a day's week, which lies in the year that ISO 8601 counts the week to."""
    return day + timedelta(days=4 - day.isoweekday())


def _write_week(token: Token, day: date) -> str:
    week, weekday = day.isocalendar()[1:]
    return f"{token.text[0]}{week:02}" + (f"-{weekday}" if "-" in token.text else "")


def _write_decade(token: Token, day: date) -> str:
    decade = f"{day.year // 10}0"
    return re.sub("[0-9]{2,4}", lambda digits: decade[-len(digits[0]) :], token.text)


def _write_number(token: Token, number: int, width: int) -> str:
    width = 1 if token.code == "i" and len(token.text) == 1 else width
    return _slipped(token, f"{number:0{2 if token.text[0] in '0Oo' else width}}")


def _write_day(token: Token, day: int, width: int) -> str:
    if token.code != "o":
        return _write_number(token, day, width)
    if not any(map(str.isdigit, token.text)):
        return write_day(token.text, day)
    ending = capitalised_like(token.text[-2:], ordinal(day)[-2:])
    number = token.text[:-2].rstrip()
    padded = f"{day:02}" if number.startswith("0") else str(day)
    return padded + token.text[len(number) : -2] + (ending if ending.isupper() else ending.lower())


def _slipped(token: Token, digits: str) -> str:
    """Digits, with the misread letter of the original put back ("20O4")."""
    for letter, digit in (("O", "0"), ("o", "0"), ("l", "1"), ("I", "1")):
        if letter in token.text:
            digits = digits.replace(digit, letter)
    return digits
