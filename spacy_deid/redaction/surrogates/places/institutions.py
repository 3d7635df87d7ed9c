"""Hospitals, employers, departments, wards, rooms and named places."""

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
"""Kinds of generic words that are kept, by PHI type."""

_NAMED = ("HOSPITAL", "ORGANIZATION", "LOCATION-OTHER")


class Institutions:
    """The institutions of one note.

    Cities and states in their names get the surrogates of those places; an abbreviation gets the
    initials of the surrogate for the name it stands for in the note.

    note (PhiText): The note.
    geography (Geography): Its places.
    """

    def __init__(self, note: PhiText, geography: Geography) -> None:
        self.note = note
        self.geography = geography
        self.letters: Mapping[str, str] = {}
        self.letters = self._spelled_out()

    def replace(self, span: PhiSpan) -> str:
        """The surrogate of a span with a type in `GENERIC`.

        A department or room with only generic words ("Cardiology") stays, as it identifies no
        person. Other purely generic names get an added name.
        """
        value, renamed = self.note.value(span), self._rename(span)
        if renamed == value and span.type in _NAMED:
            return self._with_name(value, span.type == "LOCATION-OTHER")
        return lay_out(value, renamed)

    def _rename(self, span: PhiSpan) -> str:
        kinds, taken = GENERIC[span.type], self.geography.taken
        namer = Namer(self.note, kinds, taken, self.geography, self.letters)
        return namer.rename(self.note.value(span))

    def _with_name(self, value: str, instead: bool) -> str:
        """Add a name before generic words ("Auburn General Hospital"), after their article.

        instead (bool): Whether it replaces the first of several words.
        """
        start = 4 if value[:4].casefold() == "the " else 0
        name = name_for(self.note, value[start:], self.geography.taken)
        first, _, others = value[start:].partition(" ")
        rest = others if instead and others else value[start:]
        return f"{value[:start]}{name.lower() if first.islower() else name} {rest}"

    def _spelled_out(self) -> Mapping[str, str]:
        """Initials of the names of several words, mapped to those of their surrogates."""
        letters: dict[str, str] = {}
        for span in self.note.spans:
            value = self.note.value(span)
            if span.type in ("HOSPITAL", "ORGANIZATION") and len(value.split()) > 1:
                old, new = initials(value), initials(self._rename(span))
                for before, after in zip(old, new, strict=True):
                    if before != after:
                        letters.setdefault(before, after)
        return letters
