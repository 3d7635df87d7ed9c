"""Words of surrogates: names to draw from, generic words that stay, the form of the original."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import count

from ..phi_text import PhiText
from .atlas import read_rows

_WORD = re.compile(r"\S+")
_LETTERS = re.compile(r"[^\W\d_]+")
_TRIES = 50


@lru_cache(maxsize=8)
def read_list(name: str) -> tuple[str, ...]:
    """The lines of a data file."""
    return tuple(row[0] for row in read_rows(name))


@lru_cache(maxsize=16)
def generic_words(*kinds: str) -> frozenset[str]:
    """Lower-case words that say what a thing is and not which one ("hospital", "st")."""
    rows = dict(read_rows("generic.tsv"))
    return frozenset(" ".join(rows[kind] for kind in kinds).split())


def name_for(note: PhiText, word: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a word of a name: another name, not one of the note's own words."""
    return unlike(note, read_list("names.txt"), word.casefold().replace(".", ""), "name", taken)


def unlike(
    note: PhiText, options: Sequence[str], word: str, kind: str, taken: Set[str] = frozenset()
) -> str:
    """One of some options, drawn for a word, whose first letter is another than the word's.

    taken (Set[str]): Lower-case words that it had better not be.
    """
    for attempt in count():
        drawn = note.choice(options, kind, word, str(attempt))
        key = drawn.casefold()
        if (key[:1] != word[:1] and key not in taken) or (attempt >= _TRIES and key != word):
            return drawn
    raise AssertionError("unreachable")


def words_of(note: PhiText) -> frozenset[str]:
    """All words of a note's PHI, in lower case."""
    text = " ".join(note.value(span) for span in note.spans)
    return frozenset(_LETTERS.findall(text.casefold()))


def in_case(model: str, word: str) -> str:
    """A word in upper or lower case if the model is; a single capital says nothing."""
    if model.islower():
        return word.lower()
    return word.upper() if model.isupper() and len(model) > 1 else word


def lay_out(model: str, words: str) -> str:
    """Words with the blanks and line breaks of the model between them.

    Line breaks that have no place between fewer words follow them.
    """
    if "  " not in model and model.replace(" ", "x").isprintable():
        return words
    gaps = _WORD.split(model)
    pieces = words.split()
    between = gaps[1:-1]
    joined = pieces[0]
    for index, piece in enumerate(pieces[1:]):
        joined += (between[index] if index < len(between) else " ") + piece
    rest = "".join(gap for gap in between[len(pieces) - 1 :] if "\n" in gap or "\r" in gap)
    return gaps[0] + joined + rest + gaps[-1]
