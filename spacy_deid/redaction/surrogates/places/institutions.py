"""Hospitals, employers, departments, wards, rooms and places with a name."""

from __future__ import annotations

from collections.abc import Mapping

from ....annotation.notes import PhiSpan
from ...phi_text import PhiText
from ..drawing import name_for
from ..writing import lay_out
from .geography import Geography
from .naming import Namer, initials

GENERIC: Mapping[str, tuple[str, ...]] = {
    "HOSPITAL": ("institution",),
    "ORGANIZATION": ("institution",),
    "LOCATION-OTHER": ("place",),
    "DEPARTMENT": ("department", "institution"),
    "ROOM": ("room",),
}
"""Kinds of generic words that stay in the names of a PHI type."""

_NAMED = ("HOSPITAL", "ORGANIZATION", "LOCATION-OTHER")


class Institutions:
    """The institutions of one note.

    Names of cities and states in them get the surrogates of the places; abbreviations get the
    first letters of the surrogate whose original the note spells out.

    note (PhiText): The note.
    geography (Geography): Its places.
    """

    def __init__(self, note: PhiText, geography: Geography) -> None:
        self.note = note
        self.taken = geography.taken
        self._letters: Mapping[str, str] | None = None
        self._namers = {
            phi_type: Namer(note, kinds, self.taken, geography, self._letters_for)
            for phi_type, kinds in GENERIC.items()
        }

    def replace(self, span: PhiSpan) -> str:
        """The surrogate of a span of a type in `GENERIC`.

        A department or a room that is named by generic words alone ("Cardiology") stays: it tells
        of medicine, not of a person. Other names of generic words get one of their own.
        """
        value = self.note.value(span)
        renamed = self._namers[span.type].rename(value)
        if renamed == value and span.type in _NAMED:
            return self._with_name(value, span.type == "LOCATION-OTHER")
        return lay_out(value, renamed)

    def _with_name(self, value: str, instead: bool) -> str:
        """A name before generic words ("Auburn General Hospital"), after their article.

        instead (bool): Whether it takes the place of the first of several words.
        """
        start = 4 if value[:4].casefold() == "the " else 0
        name = name_for(self.note, value[start:], self.taken)
        first, _, others = value[start:].partition(" ")
        rest = others if instead and others else value[start:]
        return f"{value[:start]}{name.lower() if first.islower() else name} {rest}"

    def _letters_for(self, letters: str) -> str | None:
        if self._letters is None:
            self._letters = {}  # names that are being spelled out know of no others
            self._letters = self._spelled_out()
        return self._letters.get(letters)

    def _spelled_out(self) -> Mapping[str, str]:
        """The letters of the names of several words, and those of their surrogates."""
        letters: dict[str, str] = {}
        for span in self.note.spans:
            value = self.note.value(span)
            if span.type not in _NAMED[:2] or len(value.split()) < 2:
                continue
            old, new = initials(value), initials(self._namers[span.type].rename(value))
            for before, after in zip(old, new, strict=True):
                if before != after:
                    letters.setdefault(before, after)
        return letters
