"""The words of dates: months, weekdays, seasons and days in words, misspelt ones included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from string import ascii_lowercase

from ....text.english import DAYS, MONTHS, SEASONS, WEEKDAYS
from ..tables import read_words

_LONGEST_SHORT = 5  # letters of a month that is cut short ("Sep", "Sept", "Septe")
_FEWEST = 5  # fewest letters of a word in which one typo is accepted
_ENDINGS = ("", "time", "s")
"""Of seasons."""
_GAP = re.compile(r"[-\s]{1,3}")
_WEEKDAY_LETTERS = re.compile("(?:m|tu?|w|th?|r|f|sa?|su){2,7}", re.IGNORECASE)
_LONG_MONTHS = frozenset(name.lower() for name in MONTHS)
_IRREGULAR_MONTHS = {"setp": 9, "spet": 9, "agu": 8, "ocr": 10}


def read_word(word: str) -> tuple[str, int]:
    """The code of a word, see `Token`, and the number of its month or season in the year."""
    unknown = " " if _WEEKDAY_LETTERS.fullmatch(word) else "x"  # "MWF"
    return _words().get(word.lower(), (unknown, 0))


def read_day(words: str) -> int:
    """The day that an ordinal in words names ("ninth", "Twenty first")."""
    return DAYS.index(_GAP.sub("-", words.lower())) + 1


def write_month(model: str, month: int, *, short: bool) -> str:
    """Write a month in the form of another.

    model (str): The original month ("Sept", "MARCH").
    month (int): The month to write.
    short (bool): Whether "May" as the model counts as an abbreviation.
    """
    name, old = MONTHS[month - 1], model.lower()
    if (old not in _LONG_MONTHS and len(old) <= _LONGEST_SHORT) or (old == "may" and short):
        name = "Sept" if name == "September" and len(old) > 3 else name[:3]
    return capitalised_like(model, name)


def write_season(model: str, season: int) -> str:
    """Write a season in the form of another: "Summertime" becomes "Wintertime"."""
    ending = next(filter(model.lower().endswith, _ENDINGS[1:]), "")
    return capitalised_like(model, SEASONS[season] + ending)


def write_day(model: str, day: int) -> str:
    """Write a day in words in the form of another: "the twenty first", "Ninth"."""
    gap = _GAP.search(model)
    return capitalised_like(model, DAYS[day - 1].replace("-", gap[0] if gap else "-"))


def capitalised_like(model: str, text: str) -> str:
    """A text in the case of a model: "MARCH 4", "march 4", else "March 4"."""
    if model.isupper():
        return text.upper()
    return text.lower() if model.islower() else text[0].upper() + text[1:]


@cache
def _words() -> Mapping[str, tuple[str, int]]:
    """Code and value of each word, in all its spellings."""
    listed = read_words("dates.tsv")
    days = [*listed["weekday"], *(word for name in WEEKDAYS for word in _misspelt(name.lower()))]
    seasons = [*enumerate(SEASONS), (3, "autumn")]
    return {
        **dict.fromkeys((*listed["plain"], *days, *(f"{day}s" for day in days)), (" ", 0)),
        **dict.fromkeys(listed["range"], ("~", 0)),
        **{name + end: ("s", number) for number, name in seasons for end in _ENDINGS},
        **{name: ("m", number) for name, number in _months().items()},
    }


def _months() -> dict[str, int]:
    """The months: in full, with one typo, or cut to three letters or more."""
    names = [(name.lower(), number) for number, name in enumerate(MONTHS, 1)]
    typos = {word: number for name, number in names for word in _misspelt(name)}
    cuts = {name[:end]: number for name, number in names for end in range(3, len(name) + 1)}
    return typos | cuts | _IRREGULAR_MONTHS


def _misspelt(word: str) -> Iterator[str]:
    """A word and, if long, its variants with one letter swapped, lost, doubled or changed."""
    yield word
    if len(word) < _FEWEST:
        return
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            yield head + letter + tail[1:]
