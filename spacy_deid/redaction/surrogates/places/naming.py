"""Names of generic words and distinctive ones: "Mercy General Hospital", "12 Oak St."

Generic words and the form stay; each distinctive word is drawn separately, so that "Hopkins" and
"Johns Hopkins Hospital" agree in all notes of a patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import takewhile

from ....text.edits import splice
from ....text.english import ordinal
from ...phi_text import PhiText
from ..drawing import draw_other, name_for, redraw
from ..tables import read_list, read_words, word_set
from ..writing import Word, in_case
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


@dataclass
class Name:
    """A name whose distinctive words are replaced.

    places (Geography | None): The note's places, to agree with cities in names; None for names
        without any, and without abbreviations.
    letters (Mapping[str, str]): The surrogates of abbreviations whose full name is in the note.
    """

    note: PhiText
    value: str
    kinds: tuple[str, ...]  # kinds of generic words to keep, from `generic.tsv`
    taken: Set[str]  # lower-case words that surrogates avoid if possible
    places: Geography | None = None
    letters: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words = find_words(self.value)
        self.generic = word_set("generic.tsv", "small", *self.kinds)
        self.has_digits = any(map(str.isdigit, self.value))
        self.is_upper = self.value.isupper()

    def renamed(self) -> str:
        """The value with its distinctive words and numbers replaced; without any, unchanged."""
        return splice(self.value, self._replaced())

    def is_kind(self) -> bool:
        """Whether its words say only of which kind an institution is."""
        return word_set("generic.tsv", "small", "kind").issuperset(word.key for word in self.words)

    def _replaced(self) -> Iterator[tuple[int, int, str]]:
        """Start, end and replacement of each piece that changes."""
        index = 0
        while index < len(self.words):
            size, new = self._place(index) or (1, self._word(index))
            if new is not None:
                yield self.words[index].start, self.words[index + size - 1].end, new
            index += size

    def _place(self, index: int) -> tuple[int, str] | None:
        """The longest place name from a word on: its number of words and its surrogate."""
        run = list(takewhile(lambda word: word.kind == "word", self.words[index : index + _RUN]))
        if self.places is None or self.words[index].key in self.generic:
            return None
        for size in range(len(run), 0, -1):
            place = self.value[run[0].start : run[size - 1].end]
            if len(place) >= _LONGEST_LETTERS and (found := self.places.city_for(place)):
                return size, in_case(place, found)
        return None

    def _word(self, index: int) -> str | None:
        """The replacement of a word or number; None if it stays."""
        word, before = self.words[index], self.words[index - 1] if index else None
        if word.kind == "ordinal":
            digits = redraw(self.note, word.text[:-2])
            return digits + in_case(word.text[-2:], ordinal(int(digits))[-2:])
        if word.kind == "route":
            return None
        if word.kind != "word":
            return redraw(self.note, word.text)
        ends_room = before and before.kind == "digits" and before.end == word.start
        if word.key in self.generic and not (ends_room and len(word.text) == 1):  # "4E"
            return None
        if len(word.text) == 1:
            return in_case(word.text + word.text, redraw(self.note, word.text.upper()))
        if sibling := self._sibling(word):
            return sibling
        if self.places is not None and self._is_abbreviation(word.text.replace(".", "")):
            return self._abbreviation(word.text)
        return self._distinctive(word.text, saint=before is not None and before.key in _SAINTS)

    def _sibling(self, word: Word) -> str | None:
        """Another word of the same kind: a direction for that of a ward, a church for a church."""
        for kind, siblings in read_words("siblings.tsv").items():
            if word.key in siblings and (self.has_digits or not kind.endswith("direction")):
                drawn = draw_other(self.note, siblings, word.key, "sibling")
                return in_case(word.text, drawn if word.text.islower() else drawn.title())
        return None

    def _distinctive(self, word: str, *, saint: bool) -> str:
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

    def _is_abbreviation(self, text: str) -> bool:
        alone, vowel = len(self.words) == 1, _VOWEL.search(text)
        if not text.isupper():
            return alone and text.islower() and not vowel
        return not vowel or (len(text) <= _LONGEST_LETTERS and (alone or not self.is_upper))

    def _abbreviation(self, text: str) -> str:
        """Other letters: initials of the surrogate for the name in the note, or random ones."""
        letters = text.replace(".", "").upper()
        drawn = self.letters.get(letters, "")
        if len(drawn) != len(letters):
            drawn = redraw(self.note, letters)
        rest = iter(drawn)
        return in_case(text, "".join(char if char == "." else next(rest) for char in text))


def initials(value: str) -> tuple[str, str]:
    """The initials of a name, without and with those of small words."""
    small = word_set("generic.tsv", "small")
    words = [word for word in find_words(value) if word.kind == "word"]
    large = "".join(word.text[0] for word in words if word.key not in small)
    return large.upper(), "".join(word.text[0] for word in words).upper()
