"""Features of a character, after the character-level CRF of Liu 2015.

In a pipe whose unit is the character, groups of unit "token" describe the token that contains the
character, without a window.
"""

from __future__ import annotations

from ..sequences import Line
from .group import Attributes, Knowledge, feature_group, ngram_group


@feature_group("characters", unit="character", by_form=True)
def characters(char: str, knowledge: Knowledge) -> Attributes:
    """The character."""
    return [f"char={char}"]


def _characters(line: Line) -> str:
    return line.words


for _n, _name in ((2, "char_bigrams"), (3, "char_trigrams")):
    ngram_group(_name, f"chars{_n}", _n, _characters, separator="", unit="character")


@feature_group("char_kinds", unit="character", by_form=True)
def char_kinds(char: str, knowledge: Knowledge) -> Attributes:
    """Whether it is a capital, another letter, a digit, a tab, a space or another character."""
    if char.isalpha():
        kind = "capital" if char.isupper() else "letter"
    elif char.isdigit():
        kind = "digit"
    else:
        kind = "tab" if char == "\t" else "blank" if char.isspace() else "sign"
    return [f"kind={kind}"]


@feature_group("char_places", unit="character", window=0)
def char_places(line: Line, knowledge: Knowledge) -> list[Attributes]:
    """Its position in its token: first, last, inside, the only character, or in no token."""
    tokens = [-1, *line.tokens, -1]
    places = []
    for i, token in enumerate(line.tokens):
        begins, ends = tokens[i] != token, tokens[i + 2] != token
        place = "S" if begins and ends else "B" if begins else "E" if ends else "I"
        places.append([f"place={'O' if token < 0 else place}"])
    return places
