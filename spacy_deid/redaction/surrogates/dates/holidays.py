"""Holidays: their names, and their dates by year."""

from __future__ import annotations

import re
from calendar import Calendar
from datetime import date, timedelta

from ....text.english import WEEKDAYS
from ..tables import data_rows

_RULES = dict(data_rows("holidays.tsv"))
_WEEKDAYS = [name[:3].lower() for name in WEEKDAYS]
_APOSTROPHES = str.maketrans("", "", "'\u2019.")


def _pattern(name: str) -> str:
    """A pattern for a name: any white space, apostrophe before or after the last "s"."""
    words = re.sub(r"s\b", lambda _: r"['\u2019]?s?['\u2019]?", name)
    return words.replace("st ", r"st\.? ").replace(" jr", r" jr\.?").replace(" ", r"[\s-]{1,4}")


HOLIDAY = (
    rf"(?:{'|'.join(_pattern(name) for name in sorted(_RULES, key=len, reverse=True))})"
    r"(?:\s{1,4}(?:day|sunday|week))?(?![^\W_])"
)
"""Pattern for holiday names, to be used case-insensitively."""


def holiday_in(name: str, year: int) -> date:
    """The date of a holiday in a year, by a text that `HOLIDAY` matches."""
    words = _plain(name).split()
    heads = (" ".join(words[:count]) for count in range(len(words), 0, -1))
    rule = next(_PLAIN_RULES[head] for head in heads if head in _PLAIN_RULES)
    if "-" in rule and " " not in rule:
        month, day = rule.split("-")
        return date(year, int(month), int(day))
    head, *rest = rule.split()
    if head == "easter":
        return _easter(year) + timedelta(days=int(rest[0]))
    which, after = (*map(int, rest[1:]), 0)[:2]
    return _nth_weekday(year, int(head), _WEEKDAYS.index(rest[0]), which) + timedelta(days=after)


def _plain(name: str) -> str:
    """A name without apostrophes, points, and the "s" at the ends of its words."""
    words = re.split(r"[\s-]+", name.lower().translate(_APOSTROPHES))
    return " ".join(word.removesuffix("s") for word in words)


_PLAIN_RULES = {_plain(name): rule for name, rule in _RULES.items()}


def _nth_weekday(year: int, month: int, weekday: int, which: int) -> date:
    """The first (1), second, … or last (-1) of a weekday in a month."""
    days = Calendar().itermonthdates(year, month)
    found = [day for day in days if day.month == month and day.weekday() == weekday]
    return found[which - 1 if which > 0 else which]


def _easter(year: int) -> date:
    """Easter Sunday, Gregorian calendar (the anonymous algorithm, Meeus 1991)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    leaps, skipped = divmod(century, 4)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leaps - moon + 15) % 30
    quads, odd = divmod(rest, 4)
    weekday = (32 + 2 * skipped + 2 * quads - epact - odd) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
