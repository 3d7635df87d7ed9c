"""Hospitals, employers, departments, wards, rooms and named places."""

from __future__ import annotations

from collections.abc import Mapping

from ....annotation.notes import PhiSpan
from ...phi_text import PhiText
from ..drawing import name_for
from ..writing import lay_out
from .geography import Geography
from .naming import Name, initials

GENERIC: Mapping[str, tuple[str, ...]] = {
    "HOSPITAL": ("institution",),
    "ORGANIZATION": ("institution",),
    "LOCATION-OTHER": ("place",),
    "DEPARTMENT": ("department", "institution"),
    "ROOM": ("room",),
}
"""Kinds of generic words that are kept, by PHI type."""

_ABBREVIATED = ("HOSPITAL", "ORGANIZATION")
_NAMED = (*_ABBREVIATED, "LOCATION-OTHER")


def institution(
    note: PhiText, span: PhiSpan, geography: Geography, letters: Mapping[str, str]
) -> str:
    """The surrogate of a span with a type in `GENERIC`.

    Cities and states in it get the surrogates of those places. A department or room with only
    generic words ("Cardiology") stays, as it identifies no person; another name of only generic
    words gets an added name.

    geography (Geography): The places of the note.
    letters (Mapping[str, str]): The surrogates of abbreviations, by `abbreviations`.
    """
    value = note.value(span)
    name = Name(note, value, GENERIC[span.type], geography.taken, geography, letters)
    renamed = name.renamed()
    if renamed != value or span.type not in _NAMED:
        return lay_out(value, renamed)
    article, rest = (value[:4], value[4:]) if value[:4].casefold() == "the " else ("", value)
    added = name_for(note, rest, geography.taken)
    first, _, others = rest.partition(" ")
    if span.type == "LOCATION-OTHER" and others:  # the name replaces the first word
        rest = others
    return f"{article}{added.lower() if first.islower() else added} {rest}"


def abbreviations(note: PhiText, geography: Geography) -> Mapping[str, str]:
    """Initials of the note's names of several words, mapped to those of their surrogates."""
    letters: dict[str, str] = {}
    for span in note.spans:
        value = note.value(span)
        if span.type in _ABBREVIATED and len(value.split()) > 1:
            name = Name(note, value, GENERIC[span.type], geography.taken, geography)
            for before, after in zip(initials(value), initials(name.renamed()), strict=True):
                if before != after:
                    letters.setdefault(before, after)
    return letters
