"""Cities, states, countries and postcodes: those that belong together still do so afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....annotation.notes import PhiSpan
from ...phi_text import PhiText
from ..drawing import bare, draw_fitting, pour, redraw, scramble
from ..writing import in_case, lay_out
from .atlas import US, Region, key_of, place_starts, read_atlas, shares_word
from .regions import home, stand_in, stand_in_country

KINDS = frozenset(("CITY", "STATE", "COUNTRY", "ZIP"))
"""PHI types handled here."""

_BETWEEN = re.compile(r"[\s,.;:/()-]{0,4}(?:[Zz]ip|ZIP)?[\s,.;:/()-]{0,3}")
_WITH_STATE = re.compile(r"([^,]{2,60})(,\s{0,3})([^,]{2,40})", re.S)
_LETTERS = re.compile(r"[^\W\d_]+")
_ZIP = re.compile(r"\d{5}(?:[\s-]{0,2}\d{4})?", re.A)
_US_NAMES = frozenset(
    ("us", "usa", "united states", "united states of america", "america", "u s", "u s a")
)
_COUNTRY_LETTERS = {2: ("US", "UK", "NZ"), 3: ("USA", "UAE", "DRC", "PNG")}

Address = dict[str, PhiSpan]


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
        self._address_of: dict[PhiSpan, Address] = {}
        self._region_of_city: dict[str, Region] = {}
        spans = [span for span in note.spans if span.type in KINDS]
        words = " ".join(note.value(span) for span in note.spans).casefold()
        self.taken = frozenset(_LETTERS.findall(words)) | {
            key_of(note.value(span)) for span in spans
        }
        for address in _addresses(note, spans):
            self._address_of.update(dict.fromkeys(address.values(), address))
            if "CITY" in address:
                self._learn(address)
        self._starts = {city.split(None, 1)[0] for city in self._region_of_city if city}

    def _learn(self, address: Address) -> None:
        """Remember the region that the note gives with a city."""
        city, state = _split_state(self.note.value(address["CITY"]))
        region = self._region(state[1]) if state else self._named_region(address)
        if region is not None:
            self._region_of_city.setdefault(key_of(city), region)

    def replace(self, span: PhiSpan) -> str:
        """The surrogate of a span with a type in `KINDS`."""
        value = self.note.value(span)
        match span.type:
            case "CITY":
                return self._city_value(value, self._address_of[span])
            case "STATE":
                return self._state(value)
            case "COUNTRY":
                return self._country(value, span)
        return self._zip(value, self._address_of[span])

    def starts_place(self, word: str) -> bool:
        """Whether a lower-case word may begin the name of a city or region."""
        return word in place_starts() or word in self._starts

    def city_for(self, name: str) -> str | None:
        """The surrogate of a city or region in the name of an institution; None for other names."""
        key = key_of(name)
        if key in self._region_of_city or key in read_atlas().by_city:
            return self._city(key, {})[0]
        region = read_atlas().by_name.get(key)
        if region is None or len(key) <= 3:
            return None
        return stand_in(self.note, region, self.taken).name

    def _city_value(self, value: str, address: Address) -> str:
        """The surrogate of a city, possibly with its state in the same span."""
        name, state = _split_state(value)
        city = self._city(key_of(name), {} if state else address)[0]
        model = name if len(name) > 3 or name.islower() else "Aa"
        written = lay_out(name, in_case(model, city))
        return written + state[0] + self._state(state[1]) if state else written

    def _city(self, key: str, address: Address) -> tuple[str, str]:
        """The surrogate of a city and its postcode prefix."""
        region = self._original_region(key, address)
        options = (stand_in(self.note, region, self.taken) if region else home(self.note)).cities
        return draw_fitting(
            self.note,
            options,
            ("city", key),
            lambda city: not shares_word(city[0], key),
            lambda city: key_of(city[0]) not in self.taken,
        )

    def _original_region(self, key: str, address: Address) -> Region | None:
        atlas = read_atlas()
        return (
            self._named_region(address, by_country=False)
            or self._region_of_city.get(key)
            or atlas.by_city.get(key)
            or self._named_region(address)
            or self._zip_region(address)
        )

    def _named_region(self, address: Address, *, by_country: bool = True) -> Region | None:
        """The region of an address by its state, or else its country."""
        if "STATE" in address:
            return self._region(self.note.value(address["STATE"]))
        if by_country and "COUNTRY" in address:
            name = key_of(self.note.value(address["COUNTRY"]))
            return None if name in _US_NAMES else Region(name)
        return None

    def _zip_region(self, address: Address) -> Region | None:
        if "ZIP" not in address:
            return None
        return read_atlas().by_zip.get(bare(self.note.value(address["ZIP"]))[:3])

    def _region(self, value: str) -> Region:
        """The region that a value names; unknown names count as a US state."""
        key = key_of(value)
        by_name = read_atlas().by_name
        known = by_name.get(key) or by_name.get(key.removesuffix(" state"))
        return known or by_name.get(key.replace(" ", "")) or Region(US, key, key)

    def _state(self, value: str) -> str:
        """The surrogate of a state, abbreviated like the original."""
        region = self._region(value)
        drawn = stand_in(self.note, region, self.taken)
        signs = bare(value)
        if len(signs) == len(drawn.abbr) and signs == region.abbr.upper():
            return pour(value, drawn.abbr) if signs != value else drawn.abbr
        if len(signs) <= 3:
            return lay_out(value, in_case(value, drawn.abbr))
        if region.old and key_of(value) == key_of(region.old) and drawn.old:
            old = drawn.old if value.endswith(".") else drawn.old.rstrip(".")
            return lay_out(value, in_case(value, old))
        return lay_out(value, in_case(value, drawn.name))

    def _country(self, value: str, span: PhiSpan) -> str:
        """The surrogate of a country; after "the", one that takes the article too."""
        signs = bare(value)
        if len(signs) in _COUNTRY_LETTERS and value.isupper():
            options = [name for name in _COUNTRY_LETTERS[len(signs)] if name != signs]
            return pour(value, self.note.choice(options, "country", signs))
        before = self.note.text[max(0, span.start - 4) : span.start].casefold()
        inside = key_of(value).startswith("the ")
        name = f"the {value}" if before == "the " and not inside else key_of(value)
        drawn = stand_in_country(self.note, name, self.taken)
        if not inside:
            drawn = drawn.removeprefix("the ")
        elif value[0].isupper():
            drawn = drawn[0].upper() + drawn[1:]
        return lay_out(value, in_case(value, drawn))

    def _zip(self, value: str, address: Address) -> str:
        """The surrogate of a postcode, with the prefix of the adjacent city or the region."""
        digits = bare(value)
        region, prefix = self._postal_region(digits, address)
        if not _ZIP.fullmatch(value.strip()):
            return self._postcode(value, region)
        if not prefix or prefix == digits[:3]:
            options = [code for code in region.zips if code != digits[:3]]
            prefix = self.note.choice(options, "zip", digits[:3]) if region.country == US else ""
        if not prefix:
            return scramble(self.note, value)
        rest = redraw(self.note, digits[3:5]) + (
            redraw(self.note, digits[5:]) if digits[5:] else ""
        )
        return pour(value, prefix + rest)

    def _postal_region(self, digits: str, address: Address) -> tuple[Region, str]:
        """The region of a postcode's surrogate, and the prefix of its city."""
        if "CITY" in address:
            key = key_of(self.note.value(address["CITY"]))
            region = self._original_region(key, address)
            drawn = stand_in(self.note, region, self.taken) if region else home(self.note)
            return drawn, self._city(key, address)[1]
        region = self._named_region(address) or read_atlas().by_zip.get(digits[:3])
        return stand_in(self.note, region, self.taken) if region else home(self.note), ""

    def _postcode(self, value: str, region: Region) -> str:
        """The surrogate of a foreign postcode, with the region's prefix if there is one."""
        signs = redraw(self.note, bare(value))
        first = next((sign for sign in region.zips if sign[0].isalpha() == signs[:1].isalpha()), "")
        if region.country != US and first and not value.startswith(first):
            signs = first + signs[len(first) :]
        return pour(value, signs)


def _split_state(value: str) -> tuple[str, tuple[str, str] | None]:
    """Split a city from the comma and state in its span ("Erie, PA")."""
    match = _WITH_STATE.fullmatch(value)
    if match is None or key_of(match[3]) not in read_atlas().by_name:
        return value, None
    return match[1], (match[2], match[3])


def _addresses(note: PhiText, spans: list[PhiSpan]) -> Iterator[Address]:
    """Adjacent spans as addresses, each with at most one span of a type."""
    address: Address = {}
    end = -1
    for span in spans:
        apart = not address or _BETWEEN.fullmatch(note.text, end, span.start) is None
        if apart or span.type in address or (span.type == "CITY" and "STATE" in address):
            if address:
                yield address
            address = {}
        address[span.type] = span
        end = span.end
    if address:
        yield address
