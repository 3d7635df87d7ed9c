"""Edits: parts of a text that are replaced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """A part of a text to replace, from `start` to before `end`, and what takes its place."""

    start: int
    end: int
    new: str


def splice(text: str, edits: Iterable[Edit | tuple[int, int, str]]) -> str:
    """The text with edits applied, which must not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(edits):
        pieces += (text[done:start], new)
        done = end
    return "".join((*pieces, text[done:]))
