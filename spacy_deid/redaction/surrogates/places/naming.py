"""Names of generic words and distinctive ones: "Mercy General Hospital", "12 Oak St."

Generic words and the form stay; each distinctive word is drawn separately, so that "Hopkins" and
"Johns Hopkins Hospital" agree in all notes of a patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from ....english import ordinal
from ...phi_text import PhiText
from ..drawing import draw_other, name_for, redraw
from ..tables import read_list, read_words, word_set
from ..writing import Word, in_case, splice
from .geography import Geography

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
_SAINTS = frozenset(("st", "saint", "ste", "san", "santa", "sainte"))
_LONGEST_LETTERS = 4
_VOWEL = re.compile("[aeiouy]", re.I)
_RUN = 4  # most words of a place within a name


def find_words(value: str) -> list[Word]:
    """The words and numbers of a name; kinds are "ordinal", "digits", "route", "word", "other"."""
    return [
        Word(*match.span(), match.lastgroup or "", match[0], _key(match[0]))
        for match in _TOKEN.finditer(value)
    ]


def _key(word: str) -> str:
    return word.casefold().replace(".", "").replace("\u2019", "'")


class _Name(NamedTuple):
    """A name to replace."""

    value: str
    words: list[Word]
    has_digits: bool
    is_upper: bool


@dataclass
class Namer:
    """Replaces the distinctive words in the names of one note.

    note (PhiText): The note.
    kinds (tuple[str, ...]): Kinds of generic words to keep, from `generic.tsv`.
    taken (Set[str]): Lower-case words that surrogates avoid if possible.
    places (Geography | None): The note's places, to agree with cities in names; None for names
        without any, and without abbreviations.
    letters (Mapping[str, str]): The surrogates of abbreviations whose full name is in the note.
    """

    note: PhiText
    kinds: tuple[str, ...]
    taken: Set[str]
    places: Geography | None = None
    letters: Mapping[str, str] = field(default_factory=dict)

    def rename(self, value: str) -> str:
        """Replace a value's distinctive words and numbers; without any, it is unchanged."""
        name = _Name(value, find_words(value), any(map(str.isdigit, value)), value.isupper())
        return splice(value, self._replaced(name))

    def _replaced(self, name: _Name) -> Iterator[tuple[int, int, str]]:
        """Start, end and replacement of each piece that changes."""
        generic = word_set("generic.tsv", "small", *self.kinds)
        index = 0
        while index < len(name.words):
            size, new = self._place(name, index, generic)
            if not size:
                size, new = 1, self._word(name, index, generic)
            if new is not None:
                yield name.words[index].start, name.words[index + size - 1].end, new
            index += size

    def _place(self, name: _Name, index: int, generic: Set[str]) -> tuple[int, str | None]:
        """The longest place name from a word on: its number of words and its surrogate."""
        words, first = name.words, name.words[index]
        if self.places is None or first.key in generic or not self.places.starts_place(first.key):
            return 0, None
        last = index
        while last < len(words) and last < index + _RUN and words[last].kind == "word":
            last += 1
        for end in range(last, index, -1):
            place = name.value[first.start : words[end - 1].end]
            if len(place) >= _LONGEST_LETTERS and (found := self.places.city_for(place)):
                return end - index, in_case(place, found)
        return 0, None

    def _word(self, name: _Name, index: int, generic: Set[str]) -> str | None:
        """The replacement of a word or number; None if it stays."""
        word = name.words[index]
        before = name.words[index - 1] if index else None
        if word.kind == "ordinal":
            digits = redraw(self.note, word.text[:-2])
            return digits + in_case(word.text[-2:], ordinal(int(digits))[-2:])
        if word.kind == "route":
            return None
        if word.kind != "word":
            return redraw(self.note, word.text)
        ends_room = before and before.kind == "digits" and before.end == word.start
        if word.key in generic and not (ends_room and len(word.text) == 1):  # "4E"
            return None
        if len(word.text) == 1:
            return in_case(word.text + word.text, redraw(self.note, word.text.upper()))
        if sibling := self._sibling(word, ward=name.has_digits):
            return sibling
        if self.places is not None and _is_abbreviation(word, name):
            return self._abbreviation(word.text)
        return self._name(word.text, saint=before is not None and before.key in _SAINTS)

    def _sibling(self, word: Word, *, ward: bool) -> str | None:
        """Another word of the same kind: a direction for that of a ward, a church for a church."""
        for kind, siblings in read_words("siblings.tsv").items():
            if word.key in siblings and (ward or not kind.endswith("direction")):
                drawn = draw_other(self.note, siblings, word.key, "sibling")
                return in_case(word.text, drawn if word.text.islower() else drawn.title())
        return None

    def _name(self, word: str, *, saint: bool) -> str:
        """Another name for a word, keeping its possessive or foreign street type."""
        tail = _TAIL.search(word)
        stem, end = (word[: tail.start()], tail[0]) if tail else (word, "")
        if match := _STREET_SUFFIX.fullmatch(stem):
            stem, end = match["name"], match["suffix"] + end
        if saint:
            saints = read_list("saints.txt")
            drawn = draw_other(self.note, saints, stem.casefold(), "saint", self.taken)
        else:
            drawn = name_for(self.note, stem, self.taken)
        return in_case(stem, drawn) + end

    def _abbreviation(self, text: str) -> str:
        """Other letters: initials of the surrogate for the name in the note, or random ones."""
        letters = text.replace(".", "").upper()
        drawn = self.letters.get(letters, "")
        if len(drawn) != len(letters):
            drawn = redraw(self.note, letters)
        rest = iter(drawn)
        return in_case(text, "".join(char if char == "." else next(rest) for char in text))


def _is_abbreviation(word: Word, name: _Name) -> bool:
    text = word.text.replace(".", "")
    alone = len(name.words) == 1
    if not text.isupper():
        return alone and text.islower() and not _VOWEL.search(text)
    if not _VOWEL.search(text):
        return True
    return len(text) <= _LONGEST_LETTERS and (alone or not name.is_upper)


def initials(value: str) -> tuple[str, str]:
    """The initials of a name, without and with those of small words."""
    small = word_set("generic.tsv", "small")
    words = [word for word in find_words(value) if word.kind == "word"]
    large = "".join(word.text[0] for word in words if word.key not in small)
    return large.upper(), "".join(word.text[0] for word in words).upper()
