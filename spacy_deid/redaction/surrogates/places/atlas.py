"""The atlas: states and regions with their cities, ZIP codes and area codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..tables import read_rows
from .zip_areas import SPARSE

US = "United States"
FEWEST_CITIES = 4
"""Fewest cities of a region that can be a surrogate."""


@dataclass(frozen=True)
class Region:
    """A US state, a region abroad, or a country without regions.

    country (str): Its country.
    name (str): Its name ("Pennsylvania"); empty for a country.
    abbr (str): Its postal abbreviation ("PA").
    old (str): The former abbreviation ("Penn."), if there is one.
    areas (tuple[str, ...]): Its telephone area codes.
    zips (tuple[str, ...]): Postcode prefixes, in the US the first three digits.
    cities (tuple[tuple[str, str], ...]): Its cities, each with the prefix of its postcodes.
    """

    country: str
    name: str = ""
    abbr: str = ""
    old: str = ""
    areas: tuple[str, ...] = ()
    zips: tuple[str, ...] = ()
    cities: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Atlas:
    """All regions, and lookups for them. Keys are in lower case, without dots.

    regions (tuple[Region, ...]): All regions.
    by_name (Mapping[str, Region]): Region by its name and abbreviations.
    by_city (Mapping[str, Region]): Region by city name, the best-known one.
    by_zip (Mapping[str, Region]): State by the first three digits of a ZIP code.
    by_area (Mapping[str, Region]): State by telephone area code.
    countries (tuple[str, ...]): All countries.
    """

    regions: tuple[Region, ...]
    by_name: Mapping[str, Region]
    by_city: Mapping[str, Region]
    by_zip: Mapping[str, Region]
    by_area: Mapping[str, Region]
    countries: tuple[str, ...]


def key_of(words: str) -> str:
    """The key of a name in the lookups of an atlas."""
    key = words.casefold()
    return key if key.isalpha() else " ".join(key.replace(".", "").split())


def shares_word(name: str, other: str) -> bool:
    """Whether two names have a word in common, ignoring articles."""
    return not (set(key_of(name).split()) & set(key_of(other).split())) <= {"the"}


@lru_cache(maxsize=1)
def read_atlas() -> Atlas:
    """The atlas of the package."""
    regions = (*_states(), *_abroad())  # the first one wins an ambiguous form ("WA")
    cities = [(rank, region) for region in regions for rank, _ in enumerate(region.cities)]
    cities.sort(key=lambda entry: -entry[0])
    return Atlas(
        regions,
        {
            key_of(form): place
            for place in reversed(regions)
            for form in (place.name, place.abbr, place.old)
            if form
        },
        {key_of(region.cities[rank][0]): region for rank, region in cities},
        {code: region for region in regions if region.country == US for code in region.zips},
        {area: region for region in regions for area in region.areas},
        tuple(dict.fromkeys(region.country for region in regions)),
    )


@lru_cache(maxsize=1)
def place_starts() -> frozenset[str]:
    """First words of the atlas's cities and regions, in the form of `key_of`."""
    atlas = read_atlas()
    return frozenset(key.split()[0] for key in (*atlas.by_city, *atlas.by_name))


def _states() -> Iterator[Region]:
    cities: dict[str, list[tuple[str, str]]] = {}
    for abbr, prefix, city in read_rows("cities.tsv"):
        cities.setdefault(abbr, []).append((city, prefix))
    for abbr, name, old, areas, zips in read_rows("states.tsv"):
        codes = tuple(code for code in _spread(zips) if code not in SPARSE)
        yield Region(US, name, abbr, old, tuple(areas.split()), codes, tuple(cities[abbr]))


def _spread(ranges: str) -> Iterator[str]:
    """The prefixes in some ranges ("150-196 200")."""
    for piece in ranges.split():
        first, _, last = piece.partition("-")
        yield from (f"{number:03}" for number in range(int(first), int(last or first) + 1))


def _abroad() -> Iterator[Region]:
    for country, name, abbr, zips, cities in read_rows("abroad.tsv"):
        names = tuple((city, "") for city in cities.split(";"))
        yield Region(country, name, abbr, zips=tuple(zips.split()), cities=names)
