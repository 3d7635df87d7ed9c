"""The words of dates: months, weekdays, seasons and days in words, misspelt ones included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ....english import DAYS, MONTHS, SEASONS, WEEKDAYS

RANGE_WORDS = frozenset("and or thru through till to until".split())
"""Words between the two dates of a range."""

PLAIN_WORDS = frozenset(
    "a about afternoon after am approximately around at before beginning between by ca circa "
    "current date day days during early est edt cst cdt mst mdt pst pdt end eve evening from gmt "
    "holiday holidays hour hours hr hrs in last late mid middle midnight month morning next night "
    "noon now of on past pm since start t tbd that the this today tomorrow tonight utc week "
    "weekend weeks year years yesterday z".split()
)
"""Words that are not specific to a day, and stay."""

_SHORTEST = 3
_LONGEST_SHORT = 4
_SURE = 5  # fewest letters of a word in which one typo is accepted
_GAP = re.compile(r"[-\s]{1,2}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DAY_NUMBERS: Mapping[str, int] = {word: day for day, word in enumerate(DAYS, 1)}
_SEASON_NUMBERS = {**{word: index for index, word in enumerate(SEASONS)}, "autumn": 3}
_WEEKDAY_LETTERS = re.compile("(?:m|tu?|w|th?|r|f|sa?|su){2,7}", re.IGNORECASE)
_WEEKDAY_ENDS = ("", "s")
_SHORT_WEEKDAYS = "m w f s r mo tu we th fr sa su mon tue tues wed weds thu thur thurs fri sat sun"
_MISSPELT_WEEKDAYS = "wensday wendsday wedsday thrusday tuseday"


def month_of(word: str) -> int | None:
    """The month that a word names ("March", "Sept", "Febuary"), 1 to 12, or None."""
    return _months().get(word.lower())


def season_of(word: str) -> int | None:
    """The index of a season in `SEASONS` ("fall", "Summertime"), or None."""
    return _SEASON_NUMBERS.get(word.lower().removesuffix("time"))


def is_weekday(word: str) -> bool:
    """Whether a word is a weekday ("Tues", "Wednesdays", "Wensday") or several ("MWF")."""
    return word.lower() in _weekdays() or _WEEKDAY_LETTERS.fullmatch(word) is not None


def day_of(words: str) -> int | None:
    """The day that an ordinal in words names ("ninth", "Twenty first"), or None."""
    return _DAY_NUMBERS.get(_GAP.sub("-", words.lower()))


def write_month(model: str, month: int, *, short: bool) -> str:
    """Write a month in the form of another.

    model (str): The original month ("Sept", "MARCH").
    month (int): The month to write.
    short (bool): Whether "May" as the model counts as an abbreviation.
    """
    name = MONTHS[month - 1]
    if model.lower() == "may" and short or model.lower() not in _long_months():
        name = name[:_LONGEST_SHORT] if name == "September" and len(model) > _SHORTEST else name[:3]
    return capitalised_like(model, name)


def write_season(model: str, season: int) -> str:
    """Write a season in the form of another: "Summertime" becomes "Wintertime"."""
    ending = "time" if model.lower().endswith("time") else ""
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


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    """All spellings of months: in full, cut to three letters or more, with one typo."""
    spellings: dict[str, int] = {}
    for month, name in enumerate(MONTHS, 1):
        spellings.update(dict.fromkeys(_slips(name.lower()), month))
    for month, name in enumerate(MONTHS, 1):
        cuts = (name[:length].lower() for length in range(_SHORTEST, len(name) + 1))
        spellings.update(dict.fromkeys(cuts, month))
    return {**spellings, "setp": 9, "spet": 9, "agu": 8, "ocr": 10}


@lru_cache(maxsize=1)
def _long_months() -> frozenset[str]:
    """The spellings of months that are not short forms."""
    whole = {name.lower() for name in MONTHS}
    return frozenset(whole.union(word for word in _months() if len(word) > _LONGEST_SHORT + 1))


@lru_cache(maxsize=1)
def _weekdays() -> frozenset[str]:
    names = [name.lower() for name in WEEKDAYS]
    words = {word for name in names for word in _slips(name)} | set(
        f"{_SHORT_WEEKDAYS} {_MISSPELT_WEEKDAYS}".split()
    )
    return frozenset(word + ending for word in words for ending in _WEEKDAY_ENDS)


def _slips(word: str) -> Iterator[str]:
    """A word and, if long, its variants with one letter swapped, lost, doubled or changed."""
    yield word
    if len(word) < _SURE:
        return
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in _LETTERS:
            yield head + letter + tail
            yield head + letter + tail[1:]
