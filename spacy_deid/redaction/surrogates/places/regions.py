"""The region that replaces another, the same in all notes of a patient."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from ...phi_text import PhiText
from ..drawing import draw_fitting
from .atlas import FEWEST_CITIES, US, Region, key_of, read_atlas, shares_word


def stand_in(note: PhiText, region: Region, taken: Set[str] = frozenset()) -> Region:
    """The surrogate of a state or region: another one of its country.

    taken (Set[str]): Names (`key_of`) to avoid if possible: those in the note.
    RETURNS (Region): The region; for a country, a region of another country.
    """
    if not region.name:
        return country_region(note, stand_in_country(note, region.country, taken))
    return draw_fitting(
        note,
        regions_of(region.country),
        ("region", region.country, region.abbr),
        lambda new: not shares_word(new.name, region.name),
        lambda new: taken.isdisjoint((key_of(new.name), key_of(new.abbr))),
    )


def stand_in_country(note: PhiText, country: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a country; see `stand_in`."""
    return draw_fitting(
        note,
        _countries(country.startswith("the ")),
        ("country", key_of(country)),
        lambda new: not shares_word(new, country),
        lambda new: key_of(new) not in taken,
    )


def country_region(note: PhiText, country: str) -> Region:
    """The region for a country's places, drawn for this patient."""
    options = [region for region in read_atlas().regions if region.country == country]
    return note.choice(options, "region of", country)


def home(note: PhiText) -> Region:
    """The state for places without one, drawn for this patient."""
    return note.choice(regions_of(US), "home")


@lru_cache(maxsize=256)
def regions_of(country: str) -> tuple[Region, ...]:
    """Regions of a country with enough cities to be surrogates."""
    regions = read_atlas().regions
    return tuple(r for r in regions if r.country == country and len(r.cities) >= FEWEST_CITIES)


@lru_cache(maxsize=2)
def _countries(article: bool) -> tuple[str, ...]:
    """Countries with the article "the", or without; the United States excluded."""
    return tuple(
        country
        for country in read_atlas().countries
        if country.startswith("the ") == article and country != US
    )
