"""The atlas: states and regions with their cities, ZIP codes and area codes, and the region that
replaces another, the same in all notes of a patient."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache

from ...phi_text import PhiText
from ..drawing import draw_fitting
from ..tables import data_rows

US = "United States"
FEWEST_CITIES = 4
"""Fewest cities of a region that can be a surrogate."""


@dataclass(frozen=True)
class Region:
    """A US state, a region abroad, or a country without regions."""

    country: str  # its country
    name: str = ""  # its name ("Pennsylvania"); empty for a country
    abbr: str = ""  # its postal abbreviation ("PA")
    old: str = ""  # the former abbreviation ("Penn."), if there is one
    areas: tuple[str, ...] = ()  # its telephone area codes
    zips: tuple[str, ...] = ()  # postcode prefixes, in the US the first three digits
    cities: tuple[tuple[str, str], ...] = ()  # its cities, each with the prefix of its postcodes


class Atlas:
    """Regions, and look-ups for them by lower-case names (`key_of`) and codes.

    regions (tuple[Region, ...]): All regions; the first wins an ambiguous abbreviation ("WA").
    """

    def __init__(self, regions: tuple[Region, ...]) -> None:
        self.regions = regions
        self.countries = tuple(dict.fromkeys(region.country for region in regions))
        self.by_name: dict[str, Region] = {}
        self.by_city: dict[str, Region] = {}
        """Region by city: where its name stands first in the list of the largest."""
        self.by_zip: dict[str, Region] = {}
        self.by_area: dict[str, Region] = {}
        for region in reversed(regions):
            names = filter(None, (region.name, region.abbr, region.old))
            self.by_name.update((key_of(name), region) for name in names)
        for region in regions:
            self.by_area.update(dict.fromkeys(region.areas, region))
            if region.country == US:
                self.by_zip.update(dict.fromkeys(region.zips, region))
        self.areas = tuple(sorted(self.by_area))
        ranked = [(rank, region) for region in regions for rank in range(len(region.cities))]
        for rank, region in sorted(ranked, key=lambda city: -city[0]):
            self.by_city[key_of(region.cities[rank][0])] = region


def key_of(words: str) -> str:
    """The key of a name in the look-ups of an atlas."""
    return " ".join(words.casefold().replace(".", "").split())


def shares_word(name: str, other: str) -> bool:
    """Whether two names have a word in common, ignoring articles."""
    return not (set(key_of(name).split()) & set(key_of(other).split())) <= {"the"}


@cache
def read_atlas() -> Atlas:
    """The atlas of the package."""
    return Atlas((*_read_regions("states.tsv"), *_read_regions("abroad.tsv")))


def _read_regions(name: str) -> Iterator[Region]:
    for country, region, abbr, old, areas, zips, cities in data_rows(name):
        prefixed = (city.partition("/") for city in cities.split(";"))
        names = tuple((city, prefix) for city, _, prefix in prefixed)
        yield Region(country, region, abbr, old, tuple(areas.split()), tuple(zips.split()), names)


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
