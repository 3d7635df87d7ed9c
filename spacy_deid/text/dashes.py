"""Dashes for hyphens, as word processors write them: "03-04-2067" with en dashes."""

from __future__ import annotations

import re

from .english import MONTH

DASHES = "\u2013\u2014\u2015\u2212"
"""Dashes that people write between the parts of a date, or from one date to another."""

_HYPHENS = str.maketrans(DASHES, "-" * len(DASHES))
_DASH = f" ?[{DASHES}] ?"
_DAY = "[0-9]{1,2}"
_NAME = f"(?i:{MONTH})"
_DAY_MONTH = f"(?:{_DAY}{_DASH}(?:{_DAY}|{_NAME})|{_NAME}{_DASH}{_DAY})"
_DATE = (
    f"(?:{_DAY_MONTH}{_DASH}(?:[0-9]{{4}}|[0-9]{{2}})"
    f"|[0-9]{{4}}{_DASH}(?:{_DAY}|{_NAME}){_DASH}{_DAY})"
)
_ONE = re.compile(_DATE)
_BEFORE = rf"(?<![\w/.])(?<![0-9][{DASHES}-])"
_AFTER = rf"(?!\w|[{DASHES}/-][0-9])"
_DATES = re.compile(rf"{_BEFORE}{_DATE}(?:[{DASHES}]{_DATE})?(?:(?=T[0-9])|{_AFTER})")
_NUMBERS = re.compile(
    rf"{_BEFORE}(?:[0-9]+([{DASHES}])[0-9]+(?:\1[0-9]+)+|[0-9]{{5}}[{DASHES}][0-9]{{4}})"
    rf"(?!\w|[{DASHES}/-]\w)"
)
"""Numbers of three or more parts, and ZIP codes with the digits of their route."""


def hyphenate(text: str) -> str:
    """Write the dashes in dates and numbers of three or more parts as hyphens; ranges stay.

    text (str): The text.
    RETURNS (str): A text of the same length.
    """
    if not any(dash in text for dash in DASHES):
        return text
    text = _DATES.sub(lambda dates: _ONE.sub(_hyphenated, dates.group()), text)
    return _NUMBERS.sub(_hyphenated, text)


def _hyphenated(number: re.Match[str]) -> str:
    return number.group().translate(_HYPHENS)
