"""Telephone numbers: area code, exchange and line are drawn separately, so that a number with and
without its area code, and its last four digits, agree in all notes of a patient."""

from __future__ import annotations

from functools import lru_cache

from ...phi_text import PhiText
from ..drawing import redraw, unlike_end
from ..places.atlas import read_atlas
from ..places.regions import stand_in

_TOLL_FREE = ("800", "833", "844", "855", "866", "877", "888")
_COUNTRY_CODES = (
    "7 20 27 30 31 33 34 39 41 44 45 46 47 48 49 52 55 61 63 64 81 82 91 "
    "351 353 358 420 503 504 593"
).split()


def phone(note: PhiText, digits: str) -> str:
    """The surrogate of a North American number: ten digits, or seven without area code."""
    area, exchange, line = digits[:-7], digits[-7:-4], digits[-4:]
    return (area_code(note, area) if area else "") + _exchange(note, exchange) + redraw(note, line)


def country_code(note: PhiText, code: str) -> str:
    """Another country code of the same length; 1 stays."""
    options = [other for other in _COUNTRY_CODES if len(other) == len(code) and other != code]
    return note.choice(options, "country code", code) if options and code != "1" else code


def area_code(note: PhiText, area: str) -> str:
    """An area code of the state that replaces the original's; toll-free codes stay toll-free."""
    if area in _TOLL_FREE:
        return note.choice(unlike_end(_TOLL_FREE, area[-1]), "area", area)
    state = read_atlas().by_area.get(area)
    near = unlike_end(stand_in(note, state).areas, area[-1]) if state else ()
    return note.choice(near or unlike_end(_all_areas(), area[-1]), "area", area)


def _exchange(note: PhiText, exchange: str) -> str:
    return note.choice(unlike_end(_exchanges(), exchange[-1]), "exchange", exchange)


@lru_cache(maxsize=1)
def _all_areas() -> tuple[str, ...]:
    return tuple(sorted(read_atlas().by_area))


@lru_cache(maxsize=1)
def _exchanges() -> tuple[str, ...]:
    """Valid exchanges, without "211" … "911"."""
    return tuple(str(code) for code in range(200, 1000) if code % 100 != 11)
