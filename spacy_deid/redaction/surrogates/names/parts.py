"""Parses names into the parts that are replaced and those that stay."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ....text.gazetteers import plain_name
from ....text.titles import CREDENTIALS, SURE_CREDENTIALS
from .lists import group_of, is_listed

NAME, START, INITIALS, DIGITS, DOMAIN = "name", "start", "initials", "digits", "domain"
"""Roles of parts; START is a truncated name, as in user names."""

_TOKEN = re.compile(
    r"(?P<ordinal>(?<!\d)[2-5](?:nd|rd|th)(?!\w))|(?P<digits>\d{1,32})"
    r"|(?P<word>[^\W\d_](?:[^\W\d_]|[\u0300-\u036f]|['\u2019](?=[^\W\d_]))*)",
    re.IGNORECASE,
)
_POSSESSIVE = ("'s", "\u2019s", "'S", "\u2019S")
_BREAK = re.compile(r"[-\u2010]?[ \t]{0,8}\r?\n[ \t]{0,40}")
_INITIAL_FIRST = re.compile(r"[A-Z](?=[A-Z][a-z]{3})")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_DOTTED = re.compile(
    r"(?<=[\s,])(?:(?:M\.D|D\.O|Ph\.D|R\.N|N\.P|P\.A|PA-C|D\.D\.S|D\.P\.M|M\.P\.H|M\.S|M\.B\.B\.S)"
    r"\.?[,\s]{0,3}){1,4}\)?\Z"
)
_LONGEST_GLUED = 40
_VOWEL = re.compile("[aeiouy]")

_SUFFIXES = frozenset("jr sr ii iii iv esq".split())
_TITLES = frozenset(
    "dr mr mrs ms mx miss sir madam prof professor doctor doc rev reverend fr father mother sister "
    "brother mom dad nurse baby boy girl babyboy babygirl infant newborn twin male female capt lt "
    "sgt hon mme mlle sra srta".split()
)
_LINKS = frozenset("and or aka nee of the with y".split())
_DOUBTFUL_CREDENTIALS = frozenset("do pa ma ms mba ot pt rd rt cna ba dc od cohn".split())
_CREDENTIALS = (
    CREDENTIALS | SURE_CREDENTIALS | frozenset("bs ccc crnp edd rpt".split())
) - _DOUBTFUL_CREDENTIALS
_PARTICLES = frozenset("de del dela della der den von vander dos das ter ten zu bin ibn st".split())
_DOUBTFUL_PARTICLES = frozenset("la las los le di da do du van al el abu san santa ben".split())


class Word(NamedTuple):
    """A run of letters (with apostrophes) or of digits in a value.

    start (int): First character.
    end (int): One past the last character, before an "'s".
    text (str): As written.
    plain (str): In lower case, without accents and apostrophes.
    """

    start: int
    end: int
    text: str
    plain: str


class Part(NamedTuple):
    """A part of a value that is replaced; text between parts stays.

    start (int): First character.
    end (int): One past the last character.
    role (str): NAME, START, INITIALS, DIGITS or DOMAIN.
    plain (str): The normalized text that the surrogate is drawn for.
    """

    start: int
    end: int
    role: str
    plain: str


def words_of(value: str) -> list[Word]:
    """The words and numbers of a value; ordinals ("2nd") are neither."""
    words = []
    for match in _TOKEN.finditer(value):
        if match["ordinal"]:
            continue
        text, end = match.group(), match.end()
        if len(text) > 3 and text.endswith(_POSSESSIVE):
            text, end = text[:-2], end - 2
        words.append(Word(match.start(), end, text, plain_name(text)))
    return words


def spelled_out(words: Iterable[Word]) -> set[str]:
    """The words that are certainly one name each: no initials, no two names run together."""
    words = [word for word in words if len(word.plain) > 1]
    titles = {word.plain for word in words if word.text.istitle()}
    long = (word for word in words if len(word.plain) > 3 and word.plain not in titles)
    return titles | {word.plain for word in long if len(split_glued(word.text, titles)) == 1}


def read_name(value: str, words: list[Word], spelled: Collection[str]) -> list[Part]:
    """The parts of a name, however it is ordered, abbreviated or run together.

    value (str): The name as written.
    words (list[Word]): Its words.
    spelled (Collection[str]): Normalized words that are certainly names in the same note.
    RETURNS (list[Part]): The parts to replace: no titles, credentials, suffixes and particles.
    """
    return _Mention(value, words, spelled).parts()


def read_all(value: str) -> list[Part]:
    """All words of a value as names: the fallback if parsing finds nothing to replace."""
    return [
        Part(start, end, DIGITS if text.isdecimal() else NAME, name)
        for start, end, text, name in words_of(value)
    ]


def split_glued(text: str, spelled: Collection[str]) -> list[str]:
    """Split two names, or an initial and a name, that are written as one word.

    text (str): The word ("SMITHJOHN", "MaryAnn", "JSmith").
    spelled (Collection[str]): Normalized words that are certainly names in the same note.
    RETURNS (list[str]): Its pieces; one if it is a single name.
    """
    word = plain_name(text)
    if not 5 <= len(word) <= _LONGEST_GLUED or len(word) != len(text):
        return [text]
    if is_listed(word) or word in spelled:
        return [text]
    mixed = not (text.isupper() or text.islower())
    if _INITIAL_FIRST.match(text) or (not mixed and word[1:] in spelled):
        return [text[0], text[1:]]
    places = [m.start() for m in _CAMEL.finditer(text)] if mixed else range(3, len(word) - 2)
    for place in places:
        halves = word[:place], word[place:]
        shortest = min(map(len, halves))
        if shortest < 3 or halves[0] in _DOUBTFUL_PARTICLES:
            continue
        if shortest < 4 and not any(half in spelled for half in halves):
            continue
        if all(half in spelled or is_listed(half) for half in halves):
            return [text[:place], text[place:]]
    return [text]


class _Mention:
    """A name in a note: decides which of its words are replaced, and in what role."""

    def __init__(self, value: str, words: list[Word], spelled: Collection[str]) -> None:
        self.value = value
        self.words = words
        self.spelled = spelled
        self.upper = value.isupper()
        self.lower = value.islower()
        self.mixed = not (self.upper or self.lower)
        dotted = _DOTTED.search(value)
        self.names_end = dotted.start() if dotted else len(value)
        names = (word.plain for word in words if word.plain not in _DOUBTFUL_PARTICLES)
        self.eastasian = any(group_of(name).culture == "eastasian" for name in names)

    def parts(self) -> list[Part]:
        parts: list[Part] = []
        for i, word in enumerate(self.words):
            if word.text.isdecimal():
                parts.append(Part(word.start, word.end, DIGITS, word.plain))
            elif parts and self._is_broken(parts[-1], word):
                first = parts.pop()
                parts.append(Part(first.start, word.end, NAME, first.plain + word.plain))
            elif self._is_initials(word):
                if not self._is_kept(i):
                    parts.append(Part(word.start, word.end, INITIALS, word.plain))
            elif not self._is_kept(i):
                parts += self._names(word)
        return parts

    def _names(self, word: Word) -> list[Part]:
        parts, start = [], word.start
        for piece in split_glued(word.text, self.spelled):
            role = NAME if len(piece) > 1 else INITIALS
            parts.append(Part(start, start + len(piece), role, plain_name(piece)))
            start += len(piece)
        return parts

    def _is_broken(self, part: Part, word: Word) -> bool:
        """Whether a word continues a part that a line break interrupted."""
        if not _BREAK.fullmatch(self.value, part.end, word.start):
            return False
        halves = part.plain, word.plain
        whole = "".join(halves)
        return (whole in self.spelled or is_listed(whole)) and not all(map(is_listed, halves))

    def _is_initials(self, word: Word) -> bool:
        name, alone = word.plain, len(self.words) == 1
        if len(name) == 1:
            return True
        if len(name) > 3 or not name.isascii() or name in self.spelled:
            return False
        if alone and len(name) == 2 and word.text.isupper():
            return True
        if is_listed(name):
            return False
        vowel = _VOWEL.search(name) is not None
        return not vowel or (not word.text.istitle() and (alone or self.mixed))

    def _is_kept(self, i: int) -> bool:
        word, first, last = self.words[i], i == 0, i == len(self.words) - 1
        name = word.plain
        if word.start >= self.names_end:
            return True
        if name in _SUFFIXES:
            return not first
        if name in _TITLES:
            return not last or (len(name) > 2 and not first)
        if name in _LINKS:
            return not (first or last) and (word.text.islower() or self.upper and len(name) > 1)
        if name in _CREDENTIALS or name in _DOUBTFUL_CREDENTIALS:
            if not first and self._is_credential(i):
                return True
        if name in _PARTICLES or name in _DOUBTFUL_PARTICLES:
            return not last and self._is_particle(i)
        return False

    def _gap(self, i: int) -> str:
        """The text between a word and the next one."""
        return self.value[self.words[i].end : self.words[i + 1].start]

    def _is_credential(self, i: int) -> bool:
        word = self.words[i]
        if word.text.istitle() or (word.text.islower() and not self.lower):
            return False
        if word.plain in _CREDENTIALS:
            return True
        return i > 1 or (self.mixed and "," in self._gap(i - 1))

    def _is_particle(self, i: int) -> bool:
        word, following = self.words[i], self.words[i + 1]
        if "," in self._gap(i) or following.plain in _SUFFIXES or following.plain in _CREDENTIALS:
            return False
        if word.plain in _PARTICLES or (word.text.islower() and not self.lower):
            return True
        if self._gap(i) == "-" or following.plain in _PARTICLES:
            return True
        return i > 0 and not self.eastasian
