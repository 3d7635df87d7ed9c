"""The region that replaces another, the same in all notes of a patient."""

from __future__ import annotations

from collections.abc import Set
from functools import cache

from ...phi_text import PhiText
from ..drawing import draw_fitting
from .atlas import FEWEST_CITIES, US, Region, key_of, read_atlas, shares_word


def surrogate_region(note: PhiText, region: Region | None, taken: Set[str] = frozenset()) -> Region:
    """The surrogate of a state or region: another one of its country.

    region (Region | None): The original; None for places without one, which get a drawn state.
    taken (Set[str]): Names (`key_of`) to avoid if possible: those in the note.
    RETURNS (Region): The region; for a country, a region of another country.
    """
    if region is None:
        return note.choice(regions_of(US), "home")
    if not region.name:
        country = surrogate_country(note, region.country, taken)
        options = [region for region in read_atlas().regions if region.country == country]
        return note.choice(options, "region of", country)
    return draw_fitting(
        note,
        regions_of(region.country),
        ("region", region.country, region.abbr),
        lambda new: not shares_word(new.name, region.name),
        lambda new: taken.isdisjoint((key_of(new.name), key_of(new.abbr))),
    )


def surrogate_country(note: PhiText, country: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a country; see `surrogate_region`."""
    return draw_fitting(
        note,
        _countries(country.startswith("the ")),
        ("country", key_of(country)),
        lambda new: not shares_word(new, country),
        lambda new: key_of(new) not in taken,
    )


@cache
def regions_of(country: str) -> tuple[Region, ...]:
    """Regions of a country with enough cities to be surrogates."""
    regions = read_atlas().regions
    return tuple(r for r in regions if r.country == country and len(r.cities) >= FEWEST_CITIES)


@cache
def _countries(article: bool) -> tuple[str, ...]:
    """Countries with the article "the", or without; the United States excluded."""
    countries = read_atlas().countries
    return tuple(c for c in countries if c.startswith("the ") == article and c != US)
