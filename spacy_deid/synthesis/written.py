"""Values that a note's author wrote: which set may show them, and the case they ask for."""

from __future__ import annotations

import re

from .template import Slot
from .values import Values

_LISTED_KINDS = frozenset("person care org place street".split())
_CASED_KINDS = _LISTED_KINDS | {"date", "profession", "state"}
_FORMS_OF_THEIR_OWN_CASE = frozenset("abbr initials dictation user email".split())
_LONGEST_ACRONYM = 3


def owns_written(slot: Slot, values: Values) -> bool:
    """Whether a set may show the value written in a slot: no part of it names one of another set.

    Of a person's name every part counts; of a place's or an institution's the whole and its first
    long word, which another set may make a name of, too ("Lewis" of "Lewis Memorial").
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
    """The case, "upper" or "lower", that another value takes to stand in the written one's place.

    RETURNS (str): Empty where the value keeps its own.
    """
    if slot.role.kind not in _CASED_KINDS or slot.form in _FORMS_OF_THEIR_OWN_CASE:
        return ""
    if slot.written.islower():
        return "lower"
    letters = sum(char.isalpha() for char in slot.written)
    return "upper" if slot.written.isupper() and letters > _LONGEST_ACRONYM else ""
