"""Names of generic words and distinctive ones: "Mercy General Hospital", "12 Oak St."

Generic words and the form stay; each distinctive word is drawn separately, so that "Hopkins" and
"Johns Hopkins Hospital" agree in all notes of a patient.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ....english import ordinal
from ...phi_text import PhiText
from ..drawing import name_for, redraw, unlike
from ..tables import read_list, word_set
from ..writing import in_case, splice

_TOKEN = re.compile(
    r"(?P<ordinal>\d{1,4}(?:st|nd|rd|th)(?![^\W_]))|(?P<digits>[0-9]+)"
    r"|(?P<route>I(?=-\d{2,3}(?!\d)))|(?P<word>[^\W\d_]+(?:['\u2019.][^\W\d_]+)*)|(?P<other>\d+)",
    re.I,
)
_TAIL = re.compile(r"['\u2019][sS]$|(?<=[sS])['\u2019]$")
_STREET_SUFFIX = re.compile(
    r"(?P<name>.{3,40}?)(?P<suffix>strasse|stra\u00dfe|weg|gasse|platz|straat|laan|gatan|gata|veien)",
    re.I,
)
_DIRECTIONS = tuple(
    tuple(forms.split())
    for forms in (
        "north south east west",
        "northeast northwest southeast southwest",
        "n s e w",
        "ne nw se sw",
    )
)
_SIBLINGS = tuple(
    tuple(forms.split())
    for forms in (
        "baptist methodist lutheran presbyterian episcopal catholic",
        "first second third fourth",
        "army navy marines",
    )
)
_SAINTS = frozenset(("st", "saint", "ste", "san", "santa", "sainte"))
_LONGEST_LETTERS = 4
_VOWEL = re.compile("[aeiouy]", re.I)
_RUN = 4  # most words of a place within a name


class Token(NamedTuple):
    """A word or number of a name.

    start (int): Its first character.
    end (int): One past its last.
    kind (str): "ordinal", "digits", "route", "word" or "other".
    text (str): The token.
    key (str): The text in lower case, without dots.
    """

    start: int
    end: int
    kind: str
    text: str
    key: str


def find_tokens(value: str) -> list[Token]:
    """The words and numbers of a name."""
    return [
        Token(match.start(), match.end(), match.lastgroup or "", match[0], _key(match[0]))
        for match in _TOKEN.finditer(value)
    ]


def _key(word: str) -> str:
    key = word.casefold()
    return key if key.isalpha() else key.replace(".", "").replace("\u2019", "'")


class _Name(NamedTuple):
    """A name to replace."""

    value: str
    tokens: list[Token]
    has_digits: bool
    is_upper: bool


class Places(Protocol):
    """Lookup of the places of a note."""

    def starts_place(self, word: str) -> bool:
        """Whether a place name may begin with a word."""

    def city_for(self, name: str) -> str | None:
        """The surrogate of a place name; None for other names."""


@dataclass
class Namer:
    """Replaces the distinctive words in the names of one note.

    note (PhiText): The note.
    kinds (tuple[str, ...]): Kinds of generic words to keep, from `generic.tsv`.
    taken (Set[str]): Lower-case words that surrogates avoid if possible.
    places (Places | None): The note's places, if cities in names are to agree with them.
    letters_for (Callable[[str], str | None] | None): The surrogate of an abbreviation whose full
        name is in the note; without it, upper-case words are not taken for abbreviations.
    """

    note: PhiText
    kinds: tuple[str, ...]
    taken: Set[str] = frozenset()
    places: Places | None = None
    letters_for: Callable[[str], str | None] | None = None

    def rename(self, value: str) -> str:
        """Replace a value's distinctive words and numbers; without any, it is unchanged."""
        name = _Name(value, find_tokens(value), any(map(str.isdigit, value)), value.isupper())
        return splice(value, self._replaced(name))

    def _replaced(self, name: _Name) -> Iterator[tuple[int, int, str]]:
        """Start, end and replacement of each piece that changes."""
        generic = word_set("generic.tsv", "small", *self.kinds)
        index = 0
        while index < len(name.tokens):
            size, new = self._place(name, index, generic)
            if not size:
                size, new = 1, self._token(name, index, generic)
            if new is not None:
                yield name.tokens[index].start, name.tokens[index + size - 1].end, new
            index += size

    def _place(self, name: _Name, index: int, generic: frozenset[str]) -> tuple[int, str | None]:
        """The longest place name from a token on: its number of tokens and its surrogate."""
        tokens = name.tokens
        first = tokens[index]
        if self.places is None or first.key in generic or not self.places.starts_place(first.key):
            return 0, None
        last = index
        while last < len(tokens) and last < index + _RUN and tokens[last].kind == "word":
            last += 1
        for end in range(last, index, -1):
            place = name.value[first.start : tokens[end - 1].end]
            if len(place) >= _LONGEST_LETTERS and (found := self.places.city_for(place)):
                return end - index, in_case(place, found)
        return 0, None

    def _token(self, name: _Name, index: int, generic: frozenset[str]) -> str | None:
        """The replacement of a token; None if it stays."""
        tokens = name.tokens
        token = tokens[index]
        if token.kind == "ordinal":
            return _ordinal(self.note, token.text)
        if token.kind == "route":
            return None
        if token.kind != "word":
            return redraw(self.note, token.text)
        if token.key in generic and not _is_room_letter(token, tokens, index):
            return None
        if len(token.text) == 1:
            return in_case(token.text + token.text, redraw(self.note, token.text.upper()))
        if (sibling := self._sibling(token, ward=name.has_digits)) is not None:
            return sibling
        if self.letters_for is not None and _is_abbreviation(token, name):
            return self.abbreviation(token.text)
        saint = index > 0 and tokens[index - 1].key in _SAINTS
        return self._word(token.text, saint=saint)

    def _sibling(self, token: Token, *, ward: bool) -> str | None:
        """Another word of the same kind: a direction for that of a ward, a church for a church."""
        for forms in (*_SIBLINGS, *(_DIRECTIONS if ward else ())):
            if token.key in forms:
                drawn = unlike(self.note, forms, token.key, "sibling")
                return in_case(token.text, drawn if token.text.islower() else drawn.title())
        return None

    def _word(self, word: str, *, saint: bool) -> str:
        """Another name for a word, keeping its possessive or foreign street type."""
        tail = _TAIL.search(word)
        stem, end = (word[: tail.start()], tail[0]) if tail else (word, "")
        match = _STREET_SUFFIX.fullmatch(stem)
        if match:
            stem, end = match["name"], match["suffix"] + end
        if saint:
            saints = read_list("saints.txt")
            drawn = unlike(self.note, saints, stem.casefold(), "saint", self.taken)
        else:
            drawn = name_for(self.note, stem, self.taken)
        return in_case(stem, drawn) + end

    def abbreviation(self, letters: str) -> str:
        """Other letters: initials of the surrogate for the name in the note, or random ones."""
        signs = letters.replace(".", "")
        known = self.letters_for(signs.upper()) if self.letters_for else None
        if known is None or len(known) != len(signs):
            known = redraw(self.note, signs.upper())
        dotted = iter(known)
        return in_case(letters, "".join(char if char == "." else next(dotted) for char in letters))


def _ordinal(note: PhiText, text: str) -> str:
    """Another ordinal number of the same length ("42nd")."""
    digits = redraw(note, text[:-2])
    return digits + in_case(text[-2:], ordinal(int(digits))[-2:])


def _is_room_letter(token: Token, tokens: list[Token], index: int) -> bool:
    """Whether a token is a letter that belongs to the number before it ("4E")."""
    return (
        len(token.text) == 1
        and index > 0
        and tokens[index - 1].kind == "digits"
        and tokens[index - 1].end == token.start
    )


def _is_abbreviation(token: Token, name: _Name) -> bool:
    text = token.text.replace(".", "")
    if not text.isupper():
        return len(name.tokens) == 1 and text.islower() and not _VOWEL.search(text)
    if not _VOWEL.search(text):
        return True
    return len(text) <= _LONGEST_LETTERS and (len(name.tokens) == 1 or not name.is_upper)


def initials(value: str) -> tuple[str, str]:
    """The initials of a name, without and with those of small words."""
    small = word_set("generic.tsv", "small")
    words = [token for token in find_tokens(value) if token.kind == "word"]
    large = "".join(word.text[0] for word in words if word.key not in small)
    return large.upper(), "".join(word.text[0] for word in words).upper()
