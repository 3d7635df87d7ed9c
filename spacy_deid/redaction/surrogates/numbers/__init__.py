"""Surrogates of numbers: phones, records, accounts, licences, devices, network addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ....text.edits import splice
from ...phi_text import PhiText
from ..drawing import bare, pour, redraw, split_zeros
from .addresses import is_network, network, url
from .check_digits import find_scheme
from .formats import area_code, country_code, phone, ssn

_LABEL = (
    r"(?:mrn|mr|ssn|npi|dea|vin|acct|account|policy|member|group|id|ids|no|nos|num|number|license|"
    r"lic|serial|sn|lot|udi|plate)"
)
_PHONE_LABEL = (
    r"(?:no|number|phone|telephone|tel|fax|cell|home|mobile|work|office|pager|beeper|page|ext|extn|"
    r"extension|x|or|and|option|opt|main|voicemail)"
)
_HEAD = re.compile(
    rf"(?:{_LABEL}(?=[\s:#.])|[#:.\s-]){{0,12}}(?:urn:(?:oid|uuid):|(?:[x*]{{2,4}}-?){{0,3}})", re.I
)
_WEB = re.compile("https?://", re.I)
_PHONE = re.compile(
    r"(?<!\d)(?:(?P<nanp>(?:\+?1[\s.-]{0,3})?\(?[2-9]\d{2}\)?[\s./)-]{0,3}\d{3}[\s./-]{0,3}\d{4})"
    r"|(?:1[\s.-])?(?P<free>8(?:00|33|44|55|66|77|88))(?=[\s.-]?[a-z]{3})"
    r"|\+(?P<code>(?!1)\d{1,3})(?=[\s.(-])"
    r"|(?P<local>[2-9]\d{2}[\s.-]{0,2}\d{4})"
    r"|(?P<number>\d(?:[\s./()-]{0,3}\d){0,19}))(?!\d)"
    rf"|(?<![a-z])(?P<label>{_PHONE_LABEL})(?![a-z])"
    r"|(?P<word>[^\W\d_]{1,40})",
    re.I,
)
_PHONE_KINDS = {"nanp": "phone", "local": "phone", "code": "code", "free": "area"}
_SSN = re.compile(r"\d{3}(?P<sign>[-\s.]?)\d{2}(?P=sign)\d{4}")
_DASHED_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_FEWEST = 3  # characters of a part that refers to the number it ends


def _other(note: PhiText, number: str) -> str:
    scheme = find_scheme(split_zeros(number)[1])
    return redraw(note, number, scheme.complete if scheme else None)


_DRAWS: Mapping[str, Callable[[PhiText, str], str]] = {
    "phone": phone,
    "ssn": ssn,
    "code": country_code,
    "area": area_code,
    "number": _other,
}
"""How to draw bare numbers, by kind. A number of two kinds in one note counts as the first."""


class _Part(NamedTuple):
    """A number within the value of a span: its offsets, its kind in `_DRAWS`, its bare form."""

    start: int
    end: int
    kind: str
    number: str


def numbers(note: PhiText) -> list[str]:
    """One surrogate for each number of a note, in the form of the original.

    A number that is the end of another one in the note (the last four digits, an extension) gets
    the end of the other's surrogate.
    """
    values = [(note.original(span), span.type) for span in note.spans]
    parts = [list(_find_parts(value, phi_type)) for value, phi_type in values]
    drawn = _draw_all(note, [part for found in parts for part in found])
    return [
        _write(note, value, found, drawn) for (value, _), found in zip(values, parts, strict=True)
    ]


def _write(note: PhiText, value: str, parts: list[_Part], drawn: Mapping[str, str]) -> str:
    if not parts:
        return network(note, value) if is_network(value) else url(note, value)
    new = ((p.start, p.end, pour(value[p.start : p.end], drawn[p.number])) for p in parts)
    return splice(value, new)


def _find_parts(value: str, phi_type: str) -> Iterator[_Part]:
    """The numbers of a value; none in network and web addresses."""
    if phi_type == "URL" or _WEB.match(value) or is_network(value):
        return
    if phi_type in ("PHONE", "FAX"):
        yield from _phone_parts(value)
        return
    head = _HEAD.match(value)
    start = head.end() if head and bare(value[head.end() :]) else 0
    number = value[start:]
    form = _SSN if phi_type == "SSN" else _DASHED_SSN
    kind = "ssn" if form.fullmatch(number.strip()) else "number"
    yield _Part(start, len(value), kind, bare(number))


def _phone_parts(value: str) -> Iterator[_Part]:
    for match in _PHONE.finditer(value):
        group = match.lastgroup or ""
        if group == "label":
            continue
        start, end = match.span(group)
        number = bare(match[group])
        if group == "nanp" and len(number) == 11:
            start, number = value.index("1", start) + 1, number[1:]
        yield _Part(start, end, _PHONE_KINDS.get(group, "number"), number)


def _draw_all(note: PhiText, parts: list[_Part]) -> dict[str, str]:
    """The surrogate of each bare number."""
    ranks = list(_DRAWS)
    kinds: dict[str, str] = {}
    for part in sorted(parts, key=lambda part: ranks.index(part.kind)):
        kinds.setdefault(part.number, part.kind)
    drawn = {number: _DRAWS[kind](note, number) for number, kind in kinds.items()}
    for number, longer in _find_longer(list(kinds)).items():
        ending = drawn[longer][-len(number) :]
        if ending != number:
            drawn[number] = ending
    return drawn


def _find_longer(found: list[str]) -> dict[str, str]:
    """For each number that ends a longer one, the longest such."""
    lengths = sorted({len(number) for number in found if len(number) >= _FEWEST})
    known = set(found)
    longer: dict[str, str] = {}
    for number in sorted(found, key=len, reverse=True):
        for length in lengths:
            if length < len(number) and number[-length:] in known:
                longer.setdefault(number[-length:], number)
    return longer
