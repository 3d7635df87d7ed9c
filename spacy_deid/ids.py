"""Ids of notes and patients."""

from __future__ import annotations


def id_text(value: object) -> str:
    """An id as text, without surrounding blanks and the ".0" of a whole number."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()
