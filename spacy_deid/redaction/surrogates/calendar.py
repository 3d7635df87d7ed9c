"""What the words of dates mean: months, weekdays, seasons, holidays, numbers in words."""

from __future__ import annotations

from datetime import date

MONTHS = (
    "january february march april may june july august september october november december".split()
)
SEASONS = ("winter", "spring", "summer", "fall")
"""In the order of the year; the first begins with it."""

_SEASON_NAMES = {"winter": 0, "spring": 1, "summer": 2, "fall": 3, "autumn": 3}
_SEASON_MIDDLES = ((1, 15), (4, 15), (7, 15), (10, 15))
_HOLIDAYS = {
    "new year": (1, 1),
    "epiphany": (1, 6),
    "martin luther king": (1, 18),
    "mlk": (1, 18),
    "lunar new year": (2, 1),
    "chinese new year": (2, 1),
    "tet": (2, 1),
    "groundhog": (2, 2),
    "super bowl": (2, 7),
    "valentine": (2, 14),
    "presidents": (2, 18),
    "mardi gras": (2, 20),
    "ash wednesday": (2, 21),
    "st. patrick": (3, 17),
    "st patrick": (3, 17),
    "nowruz": (3, 20),
    "passover": (4, 8),
    "good friday": (4, 8),
    "easter": (4, 10),
    "eid": (4, 20),
    "anzac": (4, 25),
    "cinco de mayo": (5, 5),
    "mother's day": (5, 10),
    "victoria day": (5, 20),
    "memorial": (5, 28),
    "juneteenth": (6, 19),
    "father's day": (6, 18),
    "canada day": (7, 1),
    "independence": (7, 4),
    "labor day": (9, 4),
    "labour day": (9, 4),
    "rosh": (9, 20),
    "chuseok": (9, 25),
    "yom kippur": (9, 28),
    "columbus": (10, 12),
    "diwali": (10, 28),
    "halloween": (10, 31),
    "all saints": (11, 1),
    "election day": (11, 4),
    "veterans": (11, 11),
    "remembrance": (11, 11),
    "thanksgiving": (11, 25),
    "black friday": (11, 26),
    "hanukkah": (12, 10),
    "chanukah": (12, 10),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "boxing day": (12, 26),
    "kwanzaa": (12, 28),
}
"""The day, or the middle of the days, on which a holiday falls."""

_UNITS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ORDINALS = [
    *_UNITS,
    *"thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(),
    "twentieth",
    *(f"twenty-{unit}" for unit in _UNITS[:9]),
    "thirtieth",
    "thirty-first",
]


def read_month(word: str) -> int | None:
    """The number of a month, from its name, abbreviation or a misspelling; None for other words."""
    lower = word.lower().rstrip(".")
    if len(lower) < 3:
        return None
    exact = [i for i, name in enumerate(MONTHS, 1) if name.startswith(lower) or lower == "sept"]
    if lower == "sept":
        return 9
    if exact:
        return exact[0]
    near = [i for i, name in enumerate(MONTHS, 1) if _is_near(name, lower)]
    return near[0] if len(near) == 1 else None


def _is_near(name: str, word: str) -> bool:
    """Whether a word of five letters or more is a month's name with one or two slips."""
    if len(word) < 5 or name[0] != word[0] or abs(len(name) - len(word)) > 1:
        return False
    return len(set(name) ^ set(word)) <= 1 and name[:2] == word[:2]


def write_month(month: int, model: str) -> str:
    """A month's name as long, and in such letters, as a model ("Sept.", "MAR", "january")."""
    point = "." if model.endswith(".") else ""
    bare = model.rstrip(".")
    short = len(bare) <= 4 and bare.lower() not in ("june", "july")
    name = MONTHS[month - 1][:3] if short and bare.lower() != "may" else MONTHS[month - 1]
    return in_case(bare, name) + point


def in_case(model: str, word: str) -> str:
    """A lower-case word in the letters of a model: capitals, a first capital, or small."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


def read_season(word: str) -> int | None:
    """The number of a season in `SEASONS`."""
    return _SEASON_NAMES.get(word.lower())


def season_middle(season: int, year: int) -> date:
    """A day in the middle of a season."""
    return date(year, *_SEASON_MIDDLES[season])


def season_of(day: date) -> int:
    """The season of a day."""
    return (day.month % 12) // 3


def read_holiday(words: str) -> tuple[int, int] | None:
    """Month and day of a holiday, by its name; None for what is none."""
    lower = " ".join(words.lower().replace("\u2019", "'").split())
    return next((day for name, day in _HOLIDAYS.items() if name in lower), None)


def read_ordinal(word: str) -> int | None:
    """The number of an ordinal in words ("twenty-third"), up to 31."""
    lower = word.lower().replace(" ", "-")
    return _ORDINALS.index(lower) + 1 if lower in _ORDINALS else None


def write_ordinal(number: int, model: str) -> str:
    """An ordinal in words, in the letters of a model."""
    return in_case(model, _ORDINALS[number - 1])


def ending(number: int) -> str:
    """What makes a number in digits an ordinal: "st", "nd", "rd" or "th"."""
    return (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
