"""Ids of notes and patients."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from numbers import Integral, Real

_MISSING = frozenset(("None", "nan", "NaN", "NaT", "<NA>"))
"""How tables write that there is no value."""

_WHOLE = re.compile(r"([0-9]+)\.0+")
"""How pandas writes the whole numbers of a column with missing values, and databases decimals."""


def id_text(value: object) -> str:
    """An id as text, without surrounding blanks and the ".0" of a whole number.

    Bytes are UTF-8; others are escaped, so that different ids stay different.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    if not isinstance(value, str) and str(value) in _MISSING:
        return ""
    if isinstance(value, Decimal):
        value = format(value, "f")
        value = value.rstrip("0").rstrip(".") if "." in value else value
    elif isinstance(value, Real) and not isinstance(value, Integral) and float(value).is_integer():
        value = int(float(value))
    text = str(value).strip()
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def patient_of(value: object) -> tuple[str, str]:
    """The id of a patient as text, and why the note is withheld if it is no single value."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return "", "its patient id is not a single value"
    return id_text(value), ""
