"""Values written by a note's author: the sets that may use them, and their case."""

from __future__ import annotations

import re

from .template import Slot
from .values import Values

_LISTED_KINDS = frozenset("person care org place street".split())
_CASED_KINDS = _LISTED_KINDS | {"date", "profession", "state"}
_FORMS_OF_THEIR_OWN_CASE = frozenset("abbr initials dictation user email".split())
_LONGEST_ACRONYM = 3


def owns_written(slot: Slot, values: Values) -> bool:
    """Whether a set may use the value written in a slot: no part of it belongs to another set.

    Checked are all parts of a person's name; for places and institutions, the whole name and its
    first long word, which another set may use as a name ("Lewis" of "Lewis Memorial").
    slot (Slot): A slot with a written value.
    values (Values): Lists of the set.
    """
    if slot.role.kind not in _LISTED_KINDS:
        return True
    if slot.role.kind == "person":
        names = re.findall(r"\w{2,}", slot.written)
    else:
        names = [slot.written, *re.findall(r"[^\W\d_]{4,}", slot.written)[:1]]
    return all(values.owns(name) for name in names)


def case_of_written(slot: Slot) -> str:
    """The case, "upper" or "lower", for another value in place of the written one; else empty."""
    if slot.role.kind not in _CASED_KINDS or slot.form in _FORMS_OF_THEIR_OWN_CASE:
        return ""
    if slot.written.islower():
        return "lower"
    letters = sum(char.isalpha() for char in slot.written)
    return "upper" if slot.written.isupper() and letters > _LONGEST_ACRONYM else ""
