"""Street addresses, post office boxes and rural routes."""

from __future__ import annotations

import re
from collections.abc import Set

from ...phi_text import PhiText
from ..drawing import name_for
from ..writing import in_case, lay_out
from .naming import Name, find_words

_NUMBERED = re.compile(
    r"\b(?:box|pob|pmb|route|rte|rt|highway|hwy|interstate|rr|rfd|hc|road|sr|cr|us|county)\b", re.I
)


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
