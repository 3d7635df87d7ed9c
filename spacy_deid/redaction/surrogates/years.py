"""The style `year`: of a date only the year stays, as Safe Harbor allows (45 CFR 164.514(b)(2))."""

from __future__ import annotations

import re

from ..phi_text import PhiText

OLDEST = 89
"""The highest age that may be told; years that tell of a higher one go as well."""

_YEAR = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?!\d)(?:['\u2019]?s(?![A-Za-z]))?")
_COMPACT = re.compile(r"(?<!\d)((?:1[89]|20|21)\d\d)[01]\d[0-3]\d(?:\d{4}|\d{6})?(?!\d)")
_SHORT = re.compile(
    r"(?:(?<!\d)\d{1,2}\s?([-/.])\s?\d{1,2}\s?\1\s?|(?<!\d)\d{1,2}/(?=3[2-9]|[4-9]\d)|['\u2019]|"
    r"[A-Za-z]{3,9}\.?\s(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?|[A-Za-z]{3,9}[-/])(\d\d)(?!\d|\w)"
)


def year_only(note: PhiText) -> list[str]:
    """The year of each date, or "[DATE]" where none is written.

    A year that lies more than 89 before the latest one of the note may tell that somebody is 90 or
    older, and goes too. Two-digit years stay as they are.

    note (PhiText): The note with its dates.
    RETURNS (list[str]): A year or "[DATE]" for each.
    """
    values = [note.value(span) for span in note.spans]
    found = [_years(value) for value in values]
    full = [int(year[:4]) for years in found for year in years if len(year) >= 4]
    oldest = max(full, default=0) - OLDEST
    return [
        "-".join(year for year in years if _may_stay(year, oldest)) or "[DATE]" for years in found
    ]


def _may_stay(year: str, oldest: int) -> bool:
    return len(year) < 4 or int(year[:4]) >= oldest


def _years(value: str) -> list[str]:
    compact = _COMPACT.findall(value)
    return compact or _YEAR.findall(value) or [match[1] for match in _SHORT.findall(value)]
