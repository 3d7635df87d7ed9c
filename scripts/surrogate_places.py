"""Writes the places of surrogates: states with area codes and ZIP ranges, cities, names of roads.

The facts (which city, ZIP code and area code lies in which state) come from the package `zipcodes`
(`pip install zipcodes==3.0.0`); the names of the states from `assets/gazetteers/states.tsv`. The
names are those of roads of several types in `assets/gazetteers/street_names.txt`.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import zipcodes

from spacy_deid.redaction.styles import SPARSE
from spacy_deid.redaction.surrogates.places.atlas import US

ROOT = Path(__file__).parents[1]
OUT = ROOT / "spacy_deid" / "redaction" / "surrogates" / "data"
UNFIT = (
    "alta capitol colonial commercial congress courthouse crosstown depot downtown uptown freedom "
    "foundry furnace government monument orient panhandle pigeon quaker tiger tremont westside "
    "northside southside eastside southwest northeast broadway reliance harvest navajo cherokee "
    "yankee christian lord hector napoleon berlin rome paris damascus athens"
)
"""Road names that would look odd on a hospital."""
NAME = re.compile("[A-Z][a-z]{3,9}")
OLD_FORMS: Mapping[str, str] = dict(
    line.split(" ", 1)
    for line in """AL Ala.
AZ Ariz.
AR Ark.
CA Calif.
CO Colo.
CT Conn.
DE Del.
FL Fla.
IL Ill.
IN Ind.
KS Kans.
MA Mass.
MI Mich.
MN Minn.
MS Miss.
MT Mont.
NE Nebr.
NV Nev.
OK Okla.
OR Ore.
PA Penn.
TN Tenn.
TX Tex.
WA Wash.
WI Wis.
WY Wyo.""".splitlines()
)
"""The abbreviations in use before those of the post."""


def read_states() -> dict[str, str]:
    """Name of each state by its postal abbreviation; the 50 states and the district."""
    lines = (ROOT / "assets/gazetteers/states.tsv").read_text("utf8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {abbr: name for name, abbr in rows if abbr not in ("AS", "GU", "MP", "PR", "VI")}


def state_rows(codes: list[Mapping[str, Any]], each: int) -> Iterator[str]:
    """Country, name, abbreviations, area codes, ZIP prefixes and largest cities of each state."""
    owner = owners(codes)
    cities = largest_cities(codes, owner)
    areas: dict[str, Counter[str]] = defaultdict(Counter)
    for code in codes:
        for area in code["area_codes"]:
            areas[area][code["state"]] += 1
    for abbr, name in read_states().items():
        prefixes = sorted(zips for zips, state in owner.items() if state == abbr)
        yield "\t".join(
            (
                US,
                name,
                abbr,
                OLD_FORMS.get(abbr, ""),
                " ".join(sorted(area for area, count in areas.items() if _first(count) == abbr)),
                " ".join(prefix for prefix in prefixes if prefix not in SPARSE),
                ";".join(cities[abbr][:each]),
            )
        )


def owners(codes: list[Mapping[str, Any]]) -> dict[str, str]:
    """The state that most ZIP codes of a prefix lie in."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for code in codes:
        found[code["zip_code"][:3]][code["state"]] += 1
    return {prefix: _first(count) for prefix, count in found.items()}


def _first(count: Counter[str]) -> str:
    return max(sorted(count), key=lambda state: count[state])


def largest_cities(
    codes: list[Mapping[str, Any]], owner: Mapping[str, str]
) -> dict[str, list[str]]:
    """The cities of each state with their most frequent ZIP prefix, most ZIP codes first."""
    known = set((ROOT / "assets/gazetteers/cities.txt").read_text("utf8").splitlines())
    cities: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for code in codes:
        prefix = code["zip_code"][:3]
        listed = code["zip_code_type"] == "STANDARD" and code["city"] in known
        if listed and prefix not in SPARSE and owner[prefix] == code["state"]:
            cities[code["state"]][code["city"]][prefix] += 1
    return {
        state: [
            f"{city}/{_first(found[city])}"
            for city in sorted(
                found, key=lambda city: (-found[city].total(), zlib.crc32(city.encode()), city)
            )
        ]
        for state, found in cities.items()
    }


def names() -> list[str]:
    """Words that name two roads or more and nothing else: no everyday word, no state or country."""
    types: dict[str, set[str]] = defaultdict(set)
    for road in (ROOT / "assets/gazetteers/street_names.txt").read_text("utf8").splitlines():
        name, _, kind = road.partition(" ")
        if NAME.fullmatch(name) and " " not in kind:
            types[name].add(kind)
    generic = (OUT / "generic.tsv", ROOT / "assets/gazetteers/countries.txt")
    unfit = set(" ".join(path.read_text("utf8") for path in generic).casefold().split())
    unfit |= set((ROOT / "assets/gazetteers/common_words.txt").read_text("utf8").split())
    unfit |= set(" ".join(read_states().values()).casefold().split())
    unfit |= set(UNFIT.split())
    unfit -= set((ROOT / "assets/values/trees.txt").read_text("utf8").casefold().split())
    return sorted(
        name for name, kinds in types.items() if len(kinds) > 1 and name.casefold() not in unfit
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=31, help="cities of a state")
    arguments = parser.parse_args()
    codes = [code for code in zipcodes.list_all() if code["active"]]
    head = "# Written by scripts/surrogate_places.py:"
    states = [
        f"{head} country, state, abbreviation, old abbreviation, area codes,",
        "# ZIP prefixes with more than 20,000 people, largest cities with their prefix",
        *state_rows(codes, arguments.each),
    ]
    roads = [f"{head} names of roads and institutions", *names()]
    (OUT / "names.txt").write_text("\n".join(roads) + "\n", "utf8")
    (OUT / "states.tsv").write_text("\n".join(states) + "\n", "utf8")


if __name__ == "__main__":
    main()
