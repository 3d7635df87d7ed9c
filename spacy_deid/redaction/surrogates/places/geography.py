"""Cities, states, countries and postcodes: those that belong together still do so afterwards."""

from __future__ import annotations

import re

from ....annotation.notes import PhiSpan
from ...phi_text import PhiText
from ..drawing import bare, draw_fitting, pour, redraw, scramble
from ..writing import in_case, lay_out
from .atlas import US, Region, key_of, read_atlas, shares_word, surrogate_country, surrogate_region

GEOGRAPHIC = frozenset(("CITY", "STATE", "COUNTRY", "ZIP"))
"""PHI types handled here."""

_BETWEEN = re.compile(r"[\s,.;:/()-]{0,4}(?:[Zz]ip|ZIP)?[\s,.;:/()-]{0,3}")
_WITH_STATE = re.compile(r"([^,]{2,60})(,\s{0,3})([^,]{2,40})", re.S)
_LETTERS = re.compile(r"[^\W\d_]+")
_ZIP = re.compile(r"\d{5}(?:[\s-]{0,2}\d{4})?", re.A)
_US_NAMES = frozenset(
    ("us", "usa", "united states", "united states of america", "america", "u s", "u s a")
)
_COUNTRY_LETTERS = {2: ("US", "UK", "NZ"), 3: ("USA", "UAE", "DRC", "PNG")}

Address = dict[str, str]
"""The values of adjacent spans, by PHI type."""


class Geography:
    """The places of one note.

    A city becomes a city of the region that replaces its own. Its own is the region next to it, or
    next to it elsewhere in the note, or the one the city is best known for, or that of the adjacent
    ZIP code; a city without any gets one of the patient's drawn home.

    note (PhiText): The note.
    taken (frozenset[str]): Lower-case words and names of the note's places and institutions, which
        surrogates avoid if possible.
    """

    def __init__(self, note: PhiText) -> None:
        self.note = note
        self._address_of = _addresses(note)
        values = [note.original(span) for span in note.spans]
        self.taken = frozenset(_LETTERS.findall(" ".join(values).casefold())) | {
            key_of(address[span.type]) for span, address in self._address_of.items()
        }
        self._region_of_city: dict[str, Region] = {}
        for span, address in self._address_of.items():
            if span.type == "CITY":
                city, _, state = _split_state(address["CITY"])
                region = _region(state) if state else _stated_region(address)
                if region is not None:
                    self._region_of_city.setdefault(key_of(city), region)

    def replace(self, span: PhiSpan) -> str:
        """The surrogate of a span with a type in `GEOGRAPHIC`."""
        value, address = self.note.original(span), self._address_of[span]
        match span.type:
            case "CITY":
                return self._city_value(value, address)
            case "STATE":
                return self._state(value)
            case "COUNTRY":
                return self._country(value, span)
        return self._postcode(value, address)

    def city_for(self, name: str) -> str | None:
        """The surrogate of a city or region in the name of an institution; None for other names."""
        key = key_of(name)
        if key in self._region_of_city or key in read_atlas().by_city:
            return self._city(key, {})[1]
        region = read_atlas().by_name.get(key)
        if region is None or len(key) <= 3:
            return None
        return surrogate_region(self.note, region, self.taken).name

    def _city_value(self, value: str, address: Address) -> str:
        """The surrogate of a city, possibly with its state in the same span."""
        name, comma, state = _split_state(value)
        city = self._city(key_of(name), {} if state else address)[1]
        model = name if len(name) > 3 or name.islower() else "Aa"
        written = lay_out(name, in_case(model, city))
        return written + comma + (self._state(state) if state else "")

    def _city(self, key: str, address: Address) -> tuple[Region, str, str]:
        """The surrogate of a city: its region, name and postcode prefix."""
        region = surrogate_region(self.note, self._region_of(key, address), self.taken)
        city, prefix = draw_fitting(
            self.note,
            region.cities,
            ("city", key),
            lambda city: not shares_word(city[0], key),
            lambda city: key_of(city[0]) not in self.taken,
        )
        return region, city, prefix

    def _region_of(self, key: str, address: Address) -> Region | None:
        """The region of a city in the note."""
        if "STATE" in address:
            return _region(address["STATE"])
        known = self._region_of_city.get(key) or read_atlas().by_city.get(key)
        return known or _stated_region(address) or _postal_region(address)

    def _state(self, value: str) -> str:
        """The surrogate of a state, abbreviated like the original."""
        region = _region(value)
        drawn = surrogate_region(self.note, region, self.taken)
        signs = bare(value)
        if len(signs) == len(drawn.abbr) and signs == region.abbr.upper():
            return pour(value, drawn.abbr) if signs != value else drawn.abbr
        name = drawn.name
        if len(signs) <= 3:
            name = drawn.abbr
        elif region.old and key_of(value) == key_of(region.old) and drawn.old:
            name = drawn.old if value.endswith(".") else drawn.old.rstrip(".")
        return lay_out(value, in_case(value, name))

    def _country(self, value: str, span: PhiSpan) -> str:
        """The surrogate of a country; after "the", one that takes the article too."""
        signs = bare(value)
        if len(signs) in _COUNTRY_LETTERS and value.isupper():
            options = [name for name in _COUNTRY_LETTERS[len(signs)] if name != signs]
            return pour(value, self.note.choice(options, "country", signs))
        before = self.note.text[max(0, span.start - 4) : span.start].casefold()
        inside = key_of(value).startswith("the ")
        name = f"the {value}" if before == "the " and not inside else key_of(value)
        drawn = surrogate_country(self.note, name, self.taken)
        if not inside:
            drawn = drawn.removeprefix("the ")
        elif value[0].isupper():
            drawn = drawn[0].upper() + drawn[1:]
        return lay_out(value, in_case(value, drawn))

    def _postcode(self, value: str, address: Address) -> str:
        """The surrogate of a postcode, with the prefix of the adjacent city or the region."""
        note, signs = self.note, bare(value)
        if "CITY" in address:
            region, _, prefix = self._city(key_of(address["CITY"]), address)
        else:
            original = _stated_region(address) or _postal_region(address)
            region, prefix = surrogate_region(note, original, self.taken), ""
        if not _ZIP.fullmatch(value.strip()):
            return pour(value, _foreign_postcode(value, redraw(note, signs), region))
        if region.country != US:
            return scramble(note, value)
        if not prefix or prefix == signs[:3]:
            options = [code for code in region.zips if code != signs[:3]]
            prefix = note.choice(options, "zip", signs[:3])
        return pour(value, prefix + redraw(note, signs[3:5]) + redraw(note, signs[5:]))


def _addresses(note: PhiText) -> dict[PhiSpan, Address]:
    """The address of each place: adjacent spans, at most one of a type."""
    found: dict[PhiSpan, Address] = {}
    address: Address = {}
    end = 0
    for span in note.spans:
        if span.type not in GEOGRAPHIC:
            continue
        apart = _BETWEEN.fullmatch(note.text, end, span.start) is None
        if apart or span.type in address or (span.type == "CITY" and "STATE" in address):
            address = {}
        address[span.type] = note.original(span)
        found[span] = address
        end = span.end
    return found


def _split_state(value: str) -> tuple[str, str, str]:
    """Split a city from the comma and state in its span ("Erie, PA"); both empty if not there."""
    match = _WITH_STATE.fullmatch(value)
    if match is None or key_of(match[3]) not in read_atlas().by_name:
        return value, "", ""
    return match[1], match[2], match[3]


def _region(value: str) -> Region:
    """The region that a value names; unknown names count as a US state."""
    key = key_of(value)
    by_name = read_atlas().by_name
    known = by_name.get(key) or by_name.get(key.removesuffix(" state"))
    return known or by_name.get(key.replace(" ", "")) or Region(US, key, key)


def _stated_region(address: Address) -> Region | None:
    """The region of an address by its state, or else its country."""
    if "STATE" in address:
        return _region(address["STATE"])
    country = key_of(address.get("COUNTRY", ""))
    return None if "COUNTRY" not in address or country in _US_NAMES else Region(country)


def _postal_region(address: Address) -> Region | None:
    """The state of an address by its ZIP code."""
    return read_atlas().by_zip.get(bare(address.get("ZIP", ""))[:3])


def _foreign_postcode(value: str, drawn: str, region: Region) -> str:
    """A drawn postcode with the region's prefix if there is one."""
    prefixes = (prefix for prefix in region.zips if prefix[0].isalpha() == drawn[:1].isalpha())
    first = next(prefixes, "")
    if region.country == US or not first or value.startswith(first):
        return drawn
    return first + drawn[len(first) :]
