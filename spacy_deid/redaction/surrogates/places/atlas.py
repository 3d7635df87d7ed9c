"""The atlas: states and regions with their cities, ZIP codes and area codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..tables import read_rows

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
    for country, region, abbr, old, areas, zips, cities in read_rows(name):
        prefixed = (city.partition("/") for city in cities.split(";"))
        names = tuple((city, prefix) for city, _, prefix in prefixed)
        yield Region(country, region, abbr, old, tuple(areas.split()), tuple(zips.split()), names)
