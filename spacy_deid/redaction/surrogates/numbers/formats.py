"""Telephone and social security numbers, each part drawn separately: so a number with and without
its area code, and its last four digits, agree in all notes of a patient."""

from __future__ import annotations

from ...phi_text import PhiText
from ..drawing import other_endings, redraw
from ..places.atlas import read_atlas, surrogate_region

_TOLL_FREE = ("800", "833", "844", "855", "866", "877", "888")
_COUNTRY_CODES = (
    "7 20 27 30 31 33 34 39 41 44 45 46 47 48 49 52 55 61 63 64 81 82 91 "
    "351 353 358 420 503 504 593"
).split()

_EXCHANGES = tuple(str(code) for code in range(200, 1000) if code % 100 != 11)  # not "911"

_UNUSED_AREAS = tuple(str(area) for area in (*range(734, 750), *range(773, 900)))
"""SSN areas that were not used before 2011, when areas lost their meaning."""
_LOW_AREAS = tuple(f"{area:03}" for area in range(1, 100))
_INVALID_AREAS = ("666", *(str(area) for area in range(900, 1000)))
_SSN_GROUPS = tuple(f"{group:02}" for group in range(1, 100))


def phone(note: PhiText, digits: str) -> str:
    """The surrogate of a North American number: ten digits, or seven without area code."""
    area, exchange, line = digits[:-7], digits[-7:-4], digits[-4:]
    new = note.choice(other_endings(_EXCHANGES, exchange[-1]), "exchange", exchange)
    return (area_code(note, area) if area else "") + new + redraw(note, line)


def country_code(note: PhiText, code: str) -> str:
    """Another country code of the same length; 1 stays."""
    options = [other for other in _COUNTRY_CODES if len(other) == len(code) and other != code]
    return note.choice(options, "country code", code) if options and code != "1" else code


def area_code(note: PhiText, area: str) -> str:
    """An area code of the state that replaces the original's; toll-free codes stay toll-free."""
    if area in _TOLL_FREE:
        return note.choice(other_endings(_TOLL_FREE, area[-1]), "area", area)
    atlas = read_atlas()
    state = atlas.by_area.get(area)
    near = other_endings(surrogate_region(note, state).areas, area[-1]) if state else ()
    return note.choice(near or other_endings(atlas.areas, area[-1]), "area", area)


def ssn(note: PhiText, digits: str) -> str:
    """The surrogate of a social security number of nine digits: one never issued before 2011.

    An area that is never issued stays one; the leading zero of other areas stays.
    """
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    areas = _LOW_AREAS if area.startswith("0") else _UNUSED_AREAS
    if area in _INVALID_AREAS or area == "000":
        areas = _INVALID_AREAS
    new_area = note.choice(other_endings(areas, area[-1]), "ssn area", area)
    new_group = note.choice(other_endings(_SSN_GROUPS, group[-1]), "ssn group", group)
    return new_area + new_group + redraw(note, serial)
