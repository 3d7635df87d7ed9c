"""Ids of notes and patients."""

from __future__ import annotations

from numbers import Real

_MISSING = frozenset(("None", "nan", "NaT", "<NA>"))
"""How tables write that there is no value."""


def id_text(value: object) -> str:
    """An id as text, without surrounding blanks and the ".0" of a whole number."""
    if isinstance(value, str):
        return value.strip()
    if str(value) in _MISSING:
        return ""
    if isinstance(value, Real) and float(value).is_integer():
        value = int(value)
    return str(value).strip()
