"""Ids of notes and patients."""

from __future__ import annotations

import re
from numbers import Integral, Real

_MISSING = frozenset(("None", "nan", "NaT", "<NA>"))
"""How tables write that there is no value."""

_WHOLE = re.compile(r"[0-9]+\.0")
"""How pandas writes the whole numbers of a column with missing values."""


def id_text(value: object) -> str:
    """An id as text, without surrounding blanks and the ".0" of a whole number."""
    if isinstance(value, str):
        text = value.strip()
        return text[:-2] if _WHOLE.fullmatch(text) else text
    if str(value) in _MISSING:
        return ""
    if isinstance(value, Real) and not isinstance(value, Integral):
        number = float(value)
        return str(int(number) if number.is_integer() else value)
    return str(value).strip()
