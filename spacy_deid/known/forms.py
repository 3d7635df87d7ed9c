"""Regular expressions for the forms in which a known date, number or place may be written.

All repeats are bounded, so that even hostile values and notes take linear time.
"""

from __future__ import annotations

import re
from datetime import date
from unicodedata import normalize

from ..annotation.phi import PHI_TYPES
from ..text.english import MONTH_FORMS

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
_PREFIX = rf"(?:\+\d{{1,3}}{_GAP}|1[-. ]?|0)?"  # country code or trunk prefix


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
    given = rf"(?<![A-Za-z0-9])\(?{_joined(chars)}"
    bare = "".join(chars).lstrip("0")
    if not local and bare.isdigit() and len(bare) >= _SHORTEST:
        zeros = "0{1,10}" if len(bare) == _SHORTEST else "0{0,10}"  # four may be a year or a time
        return [given, rf"(?<![A-Za-z0-9])\(?{zeros}{_joined(list(bare))}"]
    if not local or len(chars) <= _LOCAL_PHONE:
        return [given]
    return [
        rf"(?<![A-Za-z0-9+]){_PREFIX}\(?{_joined(chars[-10:])}",
        rf"(?<![A-Za-z0-9])\(?{_joined(chars[-_LOCAL_PHONE:])}",
    ]


def _joined(chars: list[str]) -> str:
    return rf"(?i:{_GAP.join(chars)})(?![A-Za-z0-9])"


def _word(word: str) -> str:
    forms = [*_SAME_WORDS.get(word, [word]), normalize("NFD", word)]
    return "(?:" + "|".join(map(re.escape, dict.fromkeys(forms))) + ")"
