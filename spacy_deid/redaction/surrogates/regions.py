"""The region that stands for another, the same in all notes of a patient."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from itertools import count

from ..phi_text import PhiText
from .atlas import US, Region, key_of, read_atlas, shares_word

_TRIES = 50


def stand_in(note: PhiText, region: Region, taken: Set[str] = frozenset()) -> Region:
    """The surrogate of a state or region: another one of its country.

    taken (Set[str]): Names (`key_of`) that it had better not have: those that the note names.
    RETURNS (Region): The region; for a country, a region of another country.
    """
    if not region.name:
        return country_region(note, stand_in_country(note, region.country, taken))
    options = _options(region.country)
    for attempt in count():
        drawn = note.choice(options, "region", region.country, region.abbr, str(attempt))
        clash = key_of(drawn.name) in taken or key_of(drawn.abbr) in taken
        if not shares_word(drawn.name, region.name) and (not clash or attempt >= _TRIES):
            return drawn
    raise AssertionError("unreachable")


def stand_in_country(note: PhiText, country: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a country; see `stand_in`."""
    options = _countries(country.startswith("the "))
    for attempt in count():
        drawn = note.choice(options, "country", key_of(country), str(attempt))
        clash = key_of(drawn) in taken
        if not shares_word(drawn, country) and (not clash or attempt >= _TRIES):
            return drawn
    raise AssertionError("unreachable")


def country_region(note: PhiText, country: str) -> Region:
    """The region of a country in which its places lie, for this patient."""
    options = [region for region in read_atlas().regions if region.country == country]
    return note.choice(options, "region of", country)


def home(note: PhiText) -> Region:
    """The state that places without a state are taken to lie in: one that is drawn."""
    return note.choice(_options(US), "home")


@lru_cache(maxsize=64)
def _options(country: str) -> tuple[Region, ...]:
    return read_atlas().in_country(country)


@lru_cache(maxsize=2)
def _countries(article: bool) -> tuple[str, ...]:
    """Countries that stand with the article, or without; the United States are none of them."""
    return tuple(
        country
        for country in read_atlas().countries
        if country.startswith("the ") == article and country != US
    )
