"""Hospitals, employers, departments, wards, rooms, named places and street addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from ....annotation.notes import PhiSpan
from ...phi_text import PhiText
from ..drawing import name_for
from ..writing import in_case, lay_out
from .geography import Geography
from .naming import Name, find_words, initials

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
_NUMBERED = re.compile(
    r"\b(?:box|pob|pmb|route|rte|rt|highway|hwy|interstate|rr|rfd|hc|road|sr|cr|us|county)\b", re.I
)


def institution(
    note: PhiText, span: PhiSpan, geography: Geography, letters: Mapping[str, str]
) -> str:
    """The surrogate of a span with a type in `GENERIC`.

    Cities and states in it get the surrogates of those places. A department or room with only
    generic words ("Cardiology") stays, as it identifies no person. In another name of only generic
    words, the first is replaced ("General Motors"); to one that says only the kind ("University
    Hospital"), a name is added.

    geography (Geography): The places of the note.
    letters (Mapping[str, str]): The surrogates of abbreviations, by `abbreviations`.
    """
    value = note.original(span)
    name = Name(note, value, GENERIC[span.type], geography.taken, geography, letters)
    renamed = name.renamed()
    if renamed != value or span.type not in _NAMED:
        return lay_out(value, renamed)
    words = " ".join(value.split())
    article, rest = (words[:4], words[4:]) if words[:4].casefold() == "the " else ("", words)
    first, _, others = rest.partition(" ")
    if others if span.type == "LOCATION-OTHER" else not name.is_kind():
        named = in_case(first, name_for(note, first, geography.taken))
        return lay_out(value, f"{article}{named} {others}".rstrip())
    named = name_for(note, rest, geography.taken)
    return lay_out(value, f"{article}{named.lower() if first.islower() else named} {rest}")


def abbreviations(note: PhiText, geography: Geography) -> Mapping[str, str]:
    """Initials of the note's names of several words, mapped to those of their surrogates."""
    letters: dict[str, str] = {}
    for span in note.spans:
        value = note.original(span)
        if span.type in _ABBREVIATED and len(value.split()) > 1:
            name = Name(note, value, GENERIC[span.type], geography.taken, geography)
            for before, after in zip(initials(value), initials(name.renamed()), strict=True):
                if before != after:
                    letters.setdefault(before, after)
    return letters


def street(note: PhiText, value: str, taken: Set[str]) -> str:
    """The surrogate of a street address: another name, other numbers; the rest stays.

    Of generic words alone, the first becomes a name ("State St").

    taken (Set[str]): Lower-case words for the name to avoid if possible.
    """
    renamed = Name(note, value, ("street",), taken).renamed()
    if renamed == value or not _is_named(value, renamed):
        first = next(word for word in find_words(renamed) if word.kind == "word")
        name = in_case(first.text, name_for(note, first.text, taken))
        renamed = renamed[: first.start] + name + renamed[first.end :]
    return lay_out(value, renamed)


def _is_named(value: str, renamed: str) -> bool:
    """Whether more than the house number was replaced, or there is no more."""
    old, new = find_words(value), find_words(renamed)
    words = [word for word in old if word.kind == "word"]
    changed = any(a.text != b.text for a, b in zip(old, new, strict=False) if a.kind != "digits")
    return changed or len(words) < 2 or _NUMBERED.search(value) is not None
