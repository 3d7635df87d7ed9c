"""Street addresses, post office boxes and rural routes."""

from __future__ import annotations

import re
from collections.abc import Set

from ...phi_text import PhiText
from ..drawing import name_for
from ..writing import in_case, lay_out
from .naming import Namer, find_tokens

_NUMBERED = re.compile(
    r"\b(?:box|pob|pmb|route|rte|rt|highway|hwy|interstate|rr|rfd|hc|road|sr|cr|us|county)\b", re.I
)


def street(note: PhiText, value: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a street address: another name, other numbers; the rest stays.

    taken (Set[str]): Lower-case words for the name to avoid if possible.
    """
    renamed = Namer(note, ("street",), taken).rename(value)
    if renamed == value or not _is_named(value, renamed):
        renamed = _with_name(note, renamed, taken)
    return lay_out(value, renamed)


def _is_named(value: str, renamed: str) -> bool:
    """Whether more than the house number was replaced, or there is nothing more."""
    old, new = find_tokens(value), find_tokens(renamed)
    words = [token for token in old if token.kind == "word"]
    changed = any(a.text != b.text for a, b in zip(old, new, strict=False) if a.kind != "digits")
    return changed or len(words) < 2 or _NUMBERED.search(value) is not None


def _with_name(note: PhiText, renamed: str, taken: Set[str]) -> str:
    """Replace the first of two generic words by a name ("State St")."""
    first = next(token for token in find_tokens(renamed) if token.kind == "word")
    name = in_case(first.text, name_for(note, first.text, taken))
    return renamed[: first.start] + name + renamed[first.end :]
