"""Places and institutions: cities, streets, hospitals, employers, as charts write them."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from ..text.english import ordinal
from .numbers import make_number
from .values import Values

_FIELD = re.compile(r"\{(\w+)\}")
_GENERIC = re.compile(
    r" (?:(?:Regional|Community|General|Memorial|University|County|Medical|Health|Children'?s|"
    r"Women'?s|State|Surgical|Rehabilitation|Hospital|Center|Clinic|System|Campus|of|and|-) ?)+$"
)
_SMALL_WORDS = frozenset("of and the at for & - in".split())
_DIRECTIONS = ("North", "South", "East", "West")
_SHORT_DIRECTIONS = ("N", "S", "E", "W", "N.", "S.", "NE", "NW", "SE", "SW")
_LISTED_HOSPITAL_SHARE = 0.2
_LISTED_SHARE = 0.35
_LISTS = {
    "agency": "agencies",
    "church": "churches",
    "company": "employers",
    "employer": "employers",
    "ems": "ems",
    "hospital": "hospital_names",
    "insurer": "insurers",
    "lab": "labs",
    "org": "agencies",
    "pharmacy": "pharmacies",
    "school": "schools",
    "university": "schools",
}  # the gazetteer with real names for each role
_FOREIGN_SHARE = 0.12
_TRIES = 40


class City(NamedTuple):
    """A city with its state, the state's postal abbreviation and a ZIP code."""

    name: str
    state: str
    abbr: str
    zip: str


class Institution(NamedTuple):
    """The names of a hospital, clinic, employer or the like: in full, "Mercy", "MGH"."""

    name: str
    short: str
    abbr: str


def make_city(values: Values, rng: random.Random) -> City:
    """A city of the set, real or invented, in a random state or a region outside the US."""
    if rng.random() < _FOREIGN_SHARE:
        abbr, state, shape = rng.choice(values.regions)
        known = rng.choice(values.lists["gazetteers/world_cities"])
        name = known if rng.random() < 0.6 else make_place(values, rng)
        return City(name, state, abbr, make_number(shape, rng))
    state, abbr = rng.choice(values.states)
    chance = rng.random()
    if chance < 0.5:
        name = rng.choice(values.lists["gazetteers/cities"])
    elif chance < 0.65:
        name = rng.choice(values.lists["gazetteers/world_cities"])
    else:
        name = make_place(values, rng)
    code = f"{rng.randrange(501, 99951):05}"
    if rng.random() < 0.15:
        code += f"-{rng.randrange(1, 10000):04}"
    return City(name, state, abbr, code)


def make_place(values: Values, rng: random.Random) -> str:
    """An invented place name of the set ("Calderwood", "Tanner Fork")."""
    for _ in range(_TRIES):
        head = rng.choice(values.lists["values/place_heads"])
        name = head + rng.choice(values.lists["values/place_tails"])
        if values.owns(name):
            return name
    return rng.choice(values.lists["gazetteers/cities"])


def make_institution(values: Values, role: str, rng: random.Random) -> Institution:
    """An institution or named place of a role: from `patterns.tsv`, or a real one."""
    if role == "hospital" and rng.random() < _LISTED_HOSPITAL_SHARE:
        return _listed_hospital(values, rng)
    if role in _LISTS and rng.random() < _LISTED_SHARE:
        name = rng.choice(values.lists[f"gazetteers/{_LISTS[role]}"])
        return Institution(name, name, name if " " not in name else abbreviate(name, rng))
    parts = _FIELD.split(rng.choice(values.patterns[role]))
    parts[1::2] = [_fill(values, field, rng) for field in parts[1::2]]
    name, first = "".join(parts), "".join(parts[1:2])
    return Institution(name, first if len(first) > 3 else name, abbreviate(name, rng))


def abbreviate(name: str, rng: random.Random) -> str:
    """The abbreviation of an institution ("MGH", "St. J's", "UMC")."""
    words = [word for word in re.split(r"[ -]+", name) if word and word.lower() not in _SMALL_WORDS]
    if words[0] in ("St.", "St", "Saint") and len(words) > 1 and rng.random() < 0.3:
        return f"St. {words[1][0]}'s"
    letters = "".join(word if word.isupper() else word[0].upper() for word in words)
    letters = re.sub(r"[^A-Z0-9]", "", letters)
    if len(letters) > 1:
        return letters
    return re.sub(r"[^A-Z]", "", name.upper())[: rng.choice((2, 3, 3, 4))] or "VA"


def make_street(values: Values, rng: random.Random) -> tuple[str, str]:
    """A street address with and without its number ("14 Oak Street", "Oak Street")."""
    if rng.random() < _FOREIGN_SHARE / 2:
        return _foreign_street(values, rng)
    road = _road(values, rng)
    number = rng.randrange(1, rng.choice((100, 1000, 20000)))
    house = f"{number}{rng.choice('ABC')}" if rng.random() < 0.03 else str(number)
    unit = ""
    if rng.random() < 0.2:
        shape = rng.choice(values.shapes["unit"])
        which = f"{rng.randrange(1, 30)}{rng.choice(('', '', 'A', 'B', 'C', 'D'))}"
        unit = rng.choice((" ", ", ")) + shape.format(which)
    return f"{house} {road}{unit}", road


def _foreign_street(values: Values, rng: random.Random) -> tuple[str, str]:
    name = rng.choice(values.lists["gazetteers/world_family_names"])
    pattern = rng.choice(values.lists["values/foreign_streets"]).replace("{name}", name)
    numbered = re.sub(r"\{n\}", lambda _: str(rng.randrange(1, 250)), pattern)
    return numbered, re.sub(r"[ ,/]*\{n\}[,/]? *", " ", pattern).strip()


def make_pobox(values: Values, rng: random.Random) -> str:
    """A post office box or rural route."""
    number = rng.randrange(1, 9999)
    return rng.choice(values.shapes["pobox"]).format(number)


def _listed_hospital(values: Values, rng: random.Random) -> Institution:
    """A real hospital whose short name is in the set too."""
    name, short = "", ""
    for _ in range(_TRIES):
        name = rng.choice(values.lists["gazetteers/hospitals"])
        short = _GENERIC.sub("", name)
        if values.owns(short):
            break
    return Institution(name, short, abbreviate(name, rng))


def _fill(values: Values, field: str, rng: random.Random) -> str:
    """The value of one field of a pattern."""
    lists = values.lists
    given = lists["values/given_female"] + lists["values/given_male"]
    cities = lists["gazetteers/cities"]
    match field:
        case "family":
            return _surname(values, rng)
        case "full":
            first = rng.choice(given)
            middle = f"{rng.choice('ABCDEFGHJKLMPRSTW')}. " if rng.random() < 0.3 else ""
            return f"{first} {middle}{_surname(values, rng)}"
        case "given":
            return rng.choice(given)
        case "place" | "county":
            return make_place(values, rng) if rng.random() < 0.6 else rng.choice(cities)
        case "city":
            return rng.choice(cities) if rng.random() < 0.7 else make_place(values, rng)
        case "saint":
            name = rng.choice(lists["values/saints"])
            title = rng.choice(("St. ", "St. ", "St. ", "Saint ", "St "))
            return f"{title}{name}" + ("'s" if rng.random() < 0.35 else "")
        case "tree":
            return rng.choice(lists["values/trees"])
        case "direction":
            return rng.choice(_DIRECTIONS)
        case "letter":
            return rng.choice("ABCDEFG")
    digits = int(field.removeprefix("n"))
    return str(rng.randrange(max(2, 10 ** (digits - 1)), 10**digits))


def _surname(values: Values, rng: random.Random) -> str:
    common = rng.random() < 0.4
    return rng.choice(values.lists["values/family_common" if common else "gazetteers/family_names"])


def _road(values: Values, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(values.lists["gazetteers/street_names"])
    kind = rng.choice(values.lists["values/street_types"])
    chance = rng.random()
    if chance < 0.2:
        name = _surname(values, rng)
    elif chance < 0.3:
        name = ordinal(rng.randrange(1, 180))
    elif chance < 0.4:
        name = rng.choice(values.lists["values/trees"])
    else:
        name = make_place(values, rng)
    before = f"{rng.choice(_SHORT_DIRECTIONS + _DIRECTIONS)} " if rng.random() < 0.15 else ""
    after = f" {rng.choice(_SHORT_DIRECTIONS[:4])}" if not before and rng.random() < 0.05 else ""
    for _ in range(_TRIES):
        if values.owns(f"{before}{name} {kind}{after}"):
            break
        kind = rng.choice(values.lists["values/street_types"])
    return f"{before}{name} {kind}{after}"
