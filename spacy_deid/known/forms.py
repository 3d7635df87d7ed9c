"""Regular expressions for the forms in which a known date, number or place may be written.

All repeats are bounded, so that even hostile values and notes take linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..annotation.phi import CATEGORY, PHI_TYPES, normalize_type
from ..ids import id_text
from ..text.english import MONTH_FORMS
from ..tsv import read_rows

_NUMBERS = frozenset((*PHI_TYPES["ID"], "PHONE", "FAX", "ZIP"))
_SHORTEST = 4  # letters and digits; shorter numbers usually mean something else
_LOCAL_PHONE = 7
_DASH = r"[-\u2010-\u2014]"
_GAP = r"[ .,/()\-\u2010-\u2014]{0,3}"
_STREET_WORDS = (
    *("street st", "avenue ave av", "road rd", "drive dr", "lane ln", "boulevard blvd"),
    *("court ct", "place pl", "terrace ter", "highway hwy", "parkway pkwy", "circle cir"),
    *("north n", "south s", "east e", "west w", "apartment apt unit", "suite ste", "saint st"),
)
_SAME_WORDS = {
    word: sorted({w for group in _STREET_WORDS if word in group.split() for w in group.split()})
    for word in " ".join(_STREET_WORDS).split()
}
_EXTENSION = re.compile(r"(?i)[ ,]{0,3}(?:x|ext\.?|extension) {0,2}\d{1,6}\s*\Z")
_ZIP = re.compile(r"([0-9]{5})(?:[- ]?([0-9]{4}))?")
_PLACEHOLDERS = frozenset(row[0] for row in read_rows(Path(__file__).with_name("placeholders.tsv")))
_MISSING = frozenset(("nan", "NaN", "NaT"))  # but "Nan" is a name
_PREFIX = rf"(?:\+\d{{1,3}}{_GAP}|1[-. ]?|0)?"  # country code or trunk prefix


KnownData = Mapping[str, str | Sequence[str]]
"""Known data of a patient or a note: PHI types, each with its value or values."""


def check_known(known: KnownData) -> None:
    """Check known data before a pipeline, whose messages are hidden, does.

    RAISES (ValueError): If a key is not a PHI type, or a DATE is not written as year-month-day.
    """
    for name, values in known.items():
        try:
            phi_type = normalize_type(name)
        except (ValueError, AttributeError):
            types = ", ".join(CATEGORY)
            raise ValueError(f"a type of known data is not a PHI type; they are {types}") from None
        for value in known_values(values):
            forms_of(phi_type, value)


def known_values(given: Any) -> list[str]:
    """The values of a type of known data, without those that say that nothing is known.

    given (Any): A value or several; None, NaN and "Test, Patient" are none.
    """
    several = isinstance(given, Iterable) and not isinstance(given, str)
    values = [id_text(value) for value in (given if several else [given])]
    return [
        value
        for value in values
        if value not in _MISSING
        and not _PLACEHOLDERS.issuperset(value.casefold().replace(",", " ").split())
    ]


def forms_of(phi_type: str, value: str) -> list[str]:
    """Patterns for all forms of a value that is not a person's name; none if it is too short.

    RAISES (ValueError): If a DATE is not written as year-month-day.
    """
    if phi_type == "DATE":
        return _date_forms(value)
    if phi_type == "ZIP" and (code := _ZIP.fullmatch(value)):
        extension = rf"{_DASH}?[0-9]{{4}}"
        if code[2]:  # written apart, too: "15213 1234"
            extension = rf"(?:{extension}|{_GAP}{code[2]})"
        return [rf"(?<![A-Za-z0-9]){code[1]}(?:{extension})?(?![A-Za-z0-9])"]
    forms = []
    if phi_type in _NUMBERS and any(map(str.isdigit, value)):
        forms = _number_forms(value, local=phi_type in ("PHONE", "FAX"))
        if sum(map(str.isdigit, value)) * 2 > len(value.replace(" ", "")):
            return forms
    words = re.findall(r"[^\W_]+", value.lower())
    if sum(map(len, words)) < _SHORTEST - 1:
        return forms
    pattern = r"[\W_]{1,4}".join(map(_word, words))
    return [*forms, rf"(?<![^\W_])(?i:{pattern})(?![^\W_])"]


def _date_forms(value: str) -> list[str]:
    try:
        day = date.fromisoformat(value.strip())
    except ValueError:
        raise ValueError("a known DATE must be written as year-month-day (1956-03-04)") from None
    year = f"(?:{day.year}|['\u2019]?{day.year % 100:02})"
    d, m = rf"0?{day.day}", rf"0?{day.month}"
    month = rf"(?i:(?:{'|'.join(MONTH_FORMS[day.month - 1])})\.?)"
    ordinal = rf"{d}(?:st|nd|rd|th)?"
    sep = r"[/.\- ]"
    return [
        rf"(?<![\w/]){m}(?P<mdy>{sep}){d}(?P=mdy){year}(?![\w/])",
        rf"(?<![\w/]){d}(?P<dmy>{sep}){m}(?P=dmy){year}(?![\w/])",
        rf"(?<![\w/]){day.year}(?P<ymd>{sep}?){day.month:02}(?P=ymd){day.day:02}(?![\w/])",
        rf"(?<!\w){month} {{0,2}}{ordinal}(?:,? {{0,2}}{year})?(?!\w)",
        rf"(?<!\w){ordinal}[ -]{{0,2}}(?:of )?{month}(?:[ ,-]{{0,2}}{year})?(?!\w)",
    ]


def _number_forms(value: str, *, local: bool) -> list[str]:
    chars = re.findall(r"[A-Za-z0-9]", _EXTENSION.sub("", value) if local else value)
    if len(chars) < _SHORTEST:
        return []
    if not local or len(chars) <= _LOCAL_PHONE:
        return [rf"(?<![A-Za-z0-9])\(?{_joined(chars)}"]
    return [
        rf"(?<![A-Za-z0-9+]){_PREFIX}\(?{_joined(chars[-10:])}",
        rf"(?<![A-Za-z0-9])\(?{_joined(chars[-_LOCAL_PHONE:])}",
    ]


def _joined(chars: list[str]) -> str:
    return rf"(?i:{_GAP.join(chars)})(?![A-Za-z0-9])"


def _word(word: str) -> str:
    forms = [*_SAME_WORDS.get(word, [word]), normalize("NFD", word)]
    return "(?:" + "|".join(map(re.escape, dict.fromkeys(forms))) + ")"
