"""Surrogates of places, institutions and professions."""

from __future__ import annotations

from ....annotation.notes import PhiSpan
from ...phi_text import PhiText
from ..drawing import scramble
from .geography import GEOGRAPHIC, Geography
from .institutions import GENERIC, abbreviations, institution, street
from .jobs import profession


def places(note: PhiText) -> list[str]:
    """One surrogate for each place, institution and profession of a note.

    City, state and ZIP code match each other; streets, hospitals and employers keep their generic
    words and their form; a profession becomes another of its field. In anything else, letters and
    digits are replaced.
    """
    geography = Geography(note)
    letters = abbreviations(note, geography)

    def replace(span: PhiSpan) -> str:
        value = note.original(span)
        if not any(map(str.isalnum, value)):
            return value
        if span.type in GEOGRAPHIC:
            return geography.replace(span)
        if span.type in GENERIC:
            return institution(note, span, geography, letters)
        if span.type == "STREET":
            return street(note, value, geography.taken)
        return profession(note, value) if span.type == "PROFESSION" else scramble(note, value)

    return [replace(span) for span in note.spans]
