"""Dashes for hyphens in dates, as word processors write them: "03-04-2067" with en dashes."""

from __future__ import annotations

import re

from .english import MONTH_WORDS

_DASHES = "\u2013\u2014\u2212"
_HYPHENS = str.maketrans(_DASHES, "-" * len(_DASHES))
_DAY = "[0-9]{1,2}"
_MONTH = rf"(?:{_DAY}|(?i:{'|'.join(MONTH_WORDS)}))"
_DATE = re.compile(
    rf"(?<![\w/.])(?<![0-9][{_DASHES}-])"
    rf"(?:{_DAY}(?P<dash>[{_DASHES}]){_MONTH}(?P=dash)(?:[0-9]{{4}}|[0-9]{{2}})"
    rf"|[0-9]{{4}}(?P<sign>[{_DASHES}]){_MONTH}(?P=sign){_DAY})"
    rf"(?!\w|[{_DASHES}/-][0-9])"
)


def hyphenate_dates(text: str) -> str:
    """Write the dashes in dates of three parts as hyphens; those of ranges stay.

    text (str): The text.
    RETURNS (str): A text of the same length.
    """
    if not any(dash in text for dash in _DASHES):
        return text
    return _DATE.sub(lambda date: date.group().translate(_HYPHENS), text)
