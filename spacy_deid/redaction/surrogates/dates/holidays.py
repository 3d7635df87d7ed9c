"""Holidays: the words for them, and their day in a year."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta

_RULES: Mapping[str, str] = {
    "christmas eve": "12-24",
    "christmas": "12-25",
    "xmas": "12-25",
    "boxing": "12-26",
    "kwanzaa": "12-26",
    "new years eve": "12-31",
    "lunar new year": "2-5",
    "chinese new year": "2-5",
    "new years": "1-1",
    "new year": "1-1",
    "tet": "2-5",
    "martin luther king jr": "1 mon 3",
    "martin luther king": "1 mon 3",
    "mlk": "1 mon 3",
    "australia": "1-26",
    "groundhog": "2-2",
    "super bowl": "2 sun 2",
    "valentines": "2-14",
    "presidents": "2 mon 3",
    "mardi gras": "easter -47",
    "ash wednesday": "easter -46",
    "lent": "easter -40",
    "st patricks": "3-17",
    "saint patricks": "3-17",
    "purim": "3-14",
    "palm": "easter -7",
    "holy week": "easter -4",
    "good friday": "easter -2",
    "orthodox easter": "easter 7",
    "easter monday": "easter 1",
    "easter": "easter 0",
    "passover": "4-10",
    "pentecost": "easter 49",
    "ramadan": "4-1",
    "eid al fitr": "5-1",
    "eid al adha": "7-10",
    "eid": "5-1",
    "anzac": "4-25",
    "cinco de mayo": "5-5",
    "mothers": "5 sun 2",
    "victoria": "5 mon 3",
    "memorial": "5 mon -1",
    "flag": "6-14",
    "juneteenth": "6-19",
    "fathers": "6 sun 3",
    "canada": "7-1",
    "independence": "7-4",
    "labor": "9 mon 1",
    "labour": "9 mon 1",
    "rosh hashanah": "9-20",
    "yom kippur": "9-29",
    "columbus": "10 mon 2",
    "indigenous peoples": "10 mon 2",
    "diwali": "10-30",
    "halloween": "10-31",
    "all saints": "11-1",
    "election": "11 mon 1 1",
    "veterans": "11-11",
    "remembrance": "11-11",
    "armistice": "11-11",
    "thanksgiving": "11 thu 4",
    "black friday": "11 thu 4 1",
    "hanukkah": "12-15",
    "hanukah": "12-15",
    "chanukah": "12-15",
}
"""Month and day; or month, weekday, which of them, days after it; or days after Easter.

Feasts of the moon have a usual day here: they wander by weeks.
"""

_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_APOSTROPHES = str.maketrans("", "", "'\u2019.")


def _pattern(name: str) -> str:
    """A name with any blanks, an apostrophe before or after its last "s"."""
    words = re.sub(r"s\b", lambda _: r"['\u2019]?s?['\u2019]?", name)
    return words.replace("st ", r"st\.? ").replace(" jr", r" jr\.?").replace(" ", r"[\s-]{1,4}")


HOLIDAY = (
    rf"(?:{'|'.join(_pattern(name) for name in sorted(_RULES, key=len, reverse=True))})"
    r"(?:\s{1,4}(?:day|sunday|week))?(?![^\W_])"
)
"""A pattern for the name of a holiday, for use without regard to case."""


def holiday_in(name: str, year: int) -> date:
    """The day of a holiday.

    name (str): A text that `HOLIDAY` matches.
    year (int): The year.
    """
    words = re.split(r"[\s-]+", name.lower().translate(_APOSTROPHES))
    rule = next(rule for rule in (_RULES.get(key) for key in _keys(words)) if rule)
    if "-" in rule and " " not in rule:
        month, day = rule.split("-")
        return date(year, int(month), int(day))
    head, *rest = rule.split()
    if head == "easter":
        return _easter(year) + timedelta(days=int(rest[0]))
    which, after = (*map(int, rest[1:]), 0)[:2]
    return _nth_weekday(year, int(head), _WEEKDAYS.index(rest[0]), which) + timedelta(days=after)


def _keys(words: list[str]) -> list[str]:
    """The words, fewer and fewer from the end, each with and without a plural."""
    heads = [" ".join(words[:count]) for count in range(len(words), 0, -1)]
    return [key for head in heads for key in (head, f"{head}s")]


def _nth_weekday(year: int, month: int, weekday: int, which: int) -> date:
    if which < 0:
        return _nth_weekday(year, month + 1, weekday, 1) - timedelta(days=7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (which - 1))


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm, Meeus 1991)."""
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
