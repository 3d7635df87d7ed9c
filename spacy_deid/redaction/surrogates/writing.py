"""Words of a value, and the form of surrogates: case, blanks and line breaks of the original."""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"\S+")


class Word(NamedTuple):
    """A word or number of a value."""

    start: int  # its first character
    end: int  # one past its last
    kind: str  # what it is ("name", "digits")
    text: str  # as written
    key: str  # its normalised form, for look-up and draws


def in_case(model: str, word: str) -> str:
    """A word in upper or lower case if the model is; a single capital does not count."""
    if model.islower():
        return word.lower()
    return word.upper() if model.isupper() and len(model) > 1 else word


def lay_out(model: str, words: str) -> str:
    """Join words with the blanks and line breaks of the model; surplus breaks go to the end."""
    if "  " not in model and model.replace(" ", "x").isprintable():
        return words
    before, *between, after = _WORD.split(model)
    pieces = words.split()
    spaces = [*between, *[" "] * len(pieces)][: len(pieces) - 1]
    joined = "".join(piece + space for piece, space in zip(pieces, [*spaces, ""], strict=True))
    rest = (gap for gap in between[len(spaces) :] if "\n" in gap or "\r" in gap)
    return before + joined + "".join(rest) + after
