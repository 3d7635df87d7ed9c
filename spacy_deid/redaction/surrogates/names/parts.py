"""Reads names: the words that are replaced, and those that stay ("Dr.", "van der", "MD")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ....text.gazetteers import plain_name
from ....text.names import POSSESSIVES
from ....text.titles import CREDENTIALS, SUFFIXES, SURE_CREDENTIALS
from ..tables import word_set
from ..writing import Word
from .lists import group_of, is_listed

NAME, START, INITIALS, DIGITS, DOMAIN = "name", "start", "initials", "digits", "domain"
"""Kinds of words that are replaced; START is a truncated name, as in user names."""

_HYPHEN = re.compile(  # at a line end in a word, as the search undoes it
    r"(?-i:(?<=[a-z\u00df-\u00ff])[-\u2010][ \t]{0,2}\r?\n[ \t]{0,8}(?=[a-z\u00df-\u00ff]))"
)
_TOKEN = re.compile(
    r"(?<!\d)[2-5](?:nd|rd|th)(?!\w)|(?P<digits>\d{1,32})"
    rf"|(?P<name>[^\W\d_](?:[^\W\d_]|[\u0300-\u036f]|['\u2019](?=[^\W\d_])|{_HYPHEN.pattern})*)",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[-\u2010]?[ \t]{0,8}\r?\n[ \t]{0,40}")
_INITIAL_FIRST = re.compile(r"[A-Z](?=[A-Z][a-z]{3})")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_DOTTED = re.compile(
    r"(?<=[\s,])(?:(?:M\.D|D\.O|Ph\.D|R\.N|N\.P|P\.A|PA-C|D\.D\.S|D\.P\.M|M\.P\.H|M\.S|M\.B\.B\.S)"
    r"\.?[,\s]{0,3}){1,4}\)?\Z"
)
_LONGEST_GLUED = 40
_VOWEL = re.compile("[aeiouy]")

_DATA = "name_words.tsv"
_TITLES = word_set(_DATA, "title")
_LINKS = word_set(_DATA, "link")
_PARTICLES = word_set(_DATA, "particle")
_AMBIGUOUS_PARTICLES = word_set(_DATA, "ambiguous particle")
_ALL_PARTICLES = _PARTICLES | _AMBIGUOUS_PARTICLES
_LEADING_PARTICLES = word_set(_DATA, "leading particle")
_GIVEN_PARTICLES = word_set(_DATA, "given particle")
_AMBIGUOUS_CREDENTIALS = word_set(_DATA, "ambiguous credential")
_CREDENTIALS = CREDENTIALS | SURE_CREDENTIALS | word_set(_DATA, "credential")
_CREDENTIALS -= _AMBIGUOUS_CREDENTIALS


def words_of(value: str) -> list[Word]:
    """The words (NAME) and numbers (DIGITS) of a value, without "'s"; ordinals are neither."""
    words = []
    for match in _TOKEN.finditer(value):
        if match.lastgroup is None:
            continue
        text = match[0]
        if len(text) > 3 and text.endswith(POSSESSIVES):
            text = text[:-2]
        start, key = match.start(), plain_name(_HYPHEN.sub("", text))
        words.append(Word(start, start + len(text), match.lastgroup, text, key))
    return words


def single_names(words: Iterable[Word]) -> set[str]:
    """The words (keys) that are certainly one name each: no initials, no names run together."""
    words = [word for word in words if len(word.key) > 1]
    titles = {word.key for word in words if word.text.istitle()}
    long = (word for word in words if len(word.key) > 3 and word.key not in titles)
    return titles | {word.key for word in long if len(split_glued(word.text, titles)) == 1}


def split_glued(text: str, note_names: Collection[str]) -> list[str]:
    """Split two names, or an initial and a name, that are written as one word.

    text (str): The word ("SMITHJOHN", "MaryAnn", "JSmith").
    note_names (Collection[str]): The single names of the same note.
    RETURNS (list[str]): Its pieces; one if it is a single name.
    """
    word = plain_name(text)
    if not 5 <= len(word) <= _LONGEST_GLUED or len(word) != len(text):
        return [text]
    if is_listed(word) or word in note_names:
        return [text]
    mixed = not (text.isupper() or text.islower())
    if _INITIAL_FIRST.match(text) or (not mixed and word[1:] in note_names):
        return [text[0], text[1:]]
    places = [m.start() for m in _CAMEL.finditer(text)] if mixed else range(3, len(word) - 2)
    for place in places:
        halves = word[:place], word[place:]
        shortest = min(map(len, halves))
        if shortest < 3 or halves[0] in _AMBIGUOUS_PARTICLES:
            continue
        if shortest < 4 and not any(half in note_names for half in halves):
            continue
        if all(half in note_names or is_listed(half) for half in halves):
            return [text[:place], text[place:]]
    return [text]


class WrittenName:
    """A name, however it is ordered, abbreviated or run together.

    value (str): The name as written.
    """

    def __init__(self, value: str) -> None:
        self.value = value
        self.words = words_of(value)
        self.note_names: Collection[str] = ()
        self.upper = value.isupper()
        self.lower = value.islower()
        dotted = _DOTTED.search(value)
        self.names_end = dotted.start() if dotted else len(value)
        names = (word.key for word in self.words if word.key not in _AMBIGUOUS_PARTICLES)
        self.eastasian = any(group_of(name).culture == "eastasian" for name in names)

    def parts(self, note_names: Collection[str]) -> list[Word]:
        """The words to replace, with their kinds: no titles, credentials, suffixes, particles.

        note_names (Collection[str]): The single names of the same note.
        """
        self.note_names = note_names
        parts: list[Word] = []
        for i, word in enumerate(self.words):
            if word.kind == DIGITS:
                parts.append(word)
            elif parts and self._is_broken(parts[-1], word):
                start, key = parts[-1].start, parts[-1].key + word.key
                parts[-1] = Word(start, word.end, NAME, self.value[start : word.end], key)
            elif not self._is_kept(i):
                parts += self._names(word)
        return parts

    def _names(self, word: Word) -> Iterator[Word]:
        if self._is_initials(word):
            yield word._replace(kind=INITIALS)
            return
        pieces = split_glued(word.text, self.note_names)
        if len(pieces) == 1:
            yield word
            return
        start = word.start
        for piece in pieces:
            kind = NAME if len(piece) > 1 else INITIALS
            yield Word(start, start + len(piece), kind, piece, plain_name(piece))
            start += len(piece)

    def _is_broken(self, part: Word, word: Word) -> bool:
        """Whether a word continues a part that a line break interrupted."""
        if not _BREAK.fullmatch(self.value, part.end, word.start):
            return False
        halves = part.key, word.key
        whole = "".join(halves)
        return (whole in self.note_names or is_listed(whole)) and not all(map(is_listed, halves))

    def _is_initials(self, word: Word) -> bool:
        name, alone = word.key, len(self.words) == 1
        if len(name) == 1:
            return True
        if len(name) > 3 or not name.isascii() or name in self.note_names:
            return False
        if alone and len(name) == 2 and word.text.isupper():
            return True
        if is_listed(name):
            return False
        mixed = not (self.upper or self.lower)
        return not _VOWEL.search(name) or (not word.text.istitle() and (alone or mixed))

    def _is_kept(self, i: int) -> bool:
        word, first, last = self.words[i], i == 0, i == len(self.words) - 1
        name = word.key
        if word.start >= self.names_end:
            return True
        if name in SUFFIXES:
            return not first
        if name in _TITLES:
            is_family = first and len(name) > 2 and not last and "," in self._gap(i)
            return not is_family and (not last or (len(name) > 2 and not first))
        if name in _LINKS:
            return not (first or last) and (word.text.islower() or self.upper and len(name) > 1)
        return (not first and self._is_credential(i)) or (not last and self._is_particle(i))

    def _gap(self, i: int) -> str:
        """The text between a word and the next one."""
        return self.value[self.words[i].end : self.words[i + 1].start]

    def _is_lower(self, word: Word) -> bool:
        """Whether a word is in lower case, and not because all is."""
        return word.text.islower() and not self.lower

    def _is_credential(self, i: int) -> bool:
        word = self.words[i]
        if word.text.istitle() or self._is_lower(word):
            return False
        if word.key not in _AMBIGUOUS_CREDENTIALS:
            return word.key in _CREDENTIALS
        return i > 1 or (not (self.upper or self.lower) and "," in self._gap(i - 1))

    def _is_particle(self, i: int) -> bool:
        word, following = self.words[i], self.words[i + 1]
        ambiguous = word.key in _AMBIGUOUS_PARTICLES
        if word.key not in _ALL_PARTICLES:
            return False
        if "," in self._gap(i) or following.key in SUFFIXES or following.key in _CREDENTIALS:
            return False
        return (
            not ambiguous
            or self._is_lower(word)
            or self._gap(i) == "-"
            or (word.key in _LEADING_PARTICLES and following.key in _ALL_PARTICLES)
            or (self._follows_name(i) and word.key not in _GIVEN_PARTICLES and not self.eastasian)
        )

    def _follows_name(self, i: int) -> bool:
        """Whether a given name precedes: "Van" of "Jan Van Houten", not of "Houten, Van"."""
        return i > 0 and self.words[i - 1].key not in _TITLES and "," not in self._gap(i - 1)
