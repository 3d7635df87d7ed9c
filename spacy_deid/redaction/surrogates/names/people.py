"""Surrogates of persons, consistent over all forms of a name, all notes and addresses.

Names are drawn word by word, initials letter by letter: each letter has one surrogate letter per
patient, the first letter of all surrogates for names with it. So "Maria Lopez", "M. Lopez",
"LOPEZ, MARIA", "ML" and "mlopez3@mercy.org" agree without resolving who is meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ....known.names import one_edit_apart
from ....text.gazetteers import plain_name
from ...phi_text import PhiText
from ..writing import in_case, splice
from .domains import surrogate_domain
from .lists import LETTERS, full_forms, group_of, is_listed, own_names, pool, short_forms
from .logins import read_login
from .parts import (
    DIGITS,
    DOMAIN,
    INITIALS,
    NAME,
    START,
    Part,
    read_all,
    read_name,
    spelled_out,
    words_of,
)

_LOGINS = frozenset(("USERNAME", "EMAIL"))
_SHORTEST_ALIKE = 5
_FULL_NAME = 8  # most words
_LONGEST_ALIKE = 30
_BREAK = re.compile(r"[^\w'\u2019\u0300-\u036f]+")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def people(note: PhiText) -> list[str]:
    """Replace names, user names and mail addresses, in the form of the originals.

    Surrogates can differ between notes if they depend on the note: for a misspelt word, a short
    form of several names, or a drawn name that someone in this note bears.

    note (PhiText): A note with spans of PATIENT, DOCTOR, USERNAME and EMAIL.
    RETURNS (list[str]): One surrogate for each span.
    """
    values = [note.value(span) for span in note.spans]
    logins = [span.type in _LOGINS for span in note.spans]
    words = [[] if login else words_of(v) for v, login in zip(values, logins, strict=True)]
    spelled = spelled_out(word for found in words for word in found)
    parts = [
        read_login(value, spelled) if login else read_name(value, found, spelled)
        for value, login, found in zip(values, logins, words, strict=True)
    ]
    surrogates = _Surrogates(note, parts)
    return [surrogates.write(v, found) for v, found in zip(values, parts, strict=True)]


class _Surrogates:
    """The surrogates of one note's names."""

    def __init__(self, note: PhiText, values: Iterable[list[Part]]) -> None:
        self.note = note
        names = [[part.plain for part in parts if part.role == NAME] for parts in values]
        self.counts = Counter(name for words in names for name in words)
        self.beside: dict[str, set[str]] = {name: set() for name in self.counts}
        for words in names:
            for name in words:
                self.beside[name].update(words[:_FULL_NAME])
        self.letters = _draw_letters(note)
        self.same = _misspelt(self.counts)
        self.drawn: dict[str, str] = {}

    def write(self, value: str, parts: list[Part]) -> str:
        """The value with its parts replaced; never the value itself."""
        surrogate = self._replaced(value, parts)
        return self._replaced(value, read_all(value)) if surrogate == value else surrogate

    def _replaced(self, value: str, parts: list[Part]) -> str:
        return splice(
            value, ((p.start, p.end, self._part(value[p.start : p.end], p)) for p in parts)
        )

    def _part(self, text: str, part: Part) -> str:
        if part.role == NAME:
            return _written_like(text, self._name(part.plain))
        if part.role == START:
            return _written_like(text, self._name(part.plain)[: len(text)])
        if part.role == INITIALS:
            return "".join(map(self._initial, text))
        if part.role == DIGITS:
            return self._digits(text)
        assert part.role == DOMAIN
        return surrogate_domain(self.note, text)

    def _name(self, word: str) -> str:
        """The surrogate of a normalized name."""
        word = self.same.get(word, word)
        if word not in self.drawn:
            full = self._full_form(word)
            self.drawn[word] = self._draw_short(word, full) if full else self._draw(word)
        return self.drawn[word]

    def _draw(self, word: str) -> str:
        options = pool(group_of(word), self._letter(word[0]))
        return self._first_unused(options, "name", word) or self.note.choice(options, "name", word)

    def _full_form(self, word: str) -> str:
        """The full form of a short name: one in the note, or else the most common.

        "Jack Smith" is John beside "John Smith", but not beside "John Miller".
        """
        fulls = full_forms().get(word, ())
        families = self.beside.get(word, set()) - {word}
        for full in fulls:
            if full in self.counts and families <= self.beside[full]:
                return full
        return fulls[0] if fulls and word not in own_names() else ""

    def _draw_short(self, word: str, full: str) -> str:
        name = self._name(full)
        return self._first_unused(short_forms(name.lower()), "nickname", word) or name

    def _first_unused(self, options: tuple[str, ...], *parts: str) -> str:
        """The first name that no one in the note bears; empty if there is none."""
        if not options:
            return ""
        first = self.note.number(len(options), *parts)
        turned = options[first:] + options[:first]
        return next((name for name in turned if name.lower() not in self.counts), "")

    def _initial(self, char: str) -> str:
        if not char.isalpha():
            return char
        letter = self._letter(plain_name(char)[0])
        return letter.upper() if char.isupper() else letter

    def _letter(self, char: str) -> str:
        return self.letters.get(char) or self.note.choice(LETTERS, "letter", char)

    def _digits(self, text: str) -> str:
        """Replace digits, each by a different one (at most 32)."""
        shift = self.note.number(9 ** len(text), "digits", text)
        digits = []
        for char in text:
            shift, step = divmod(shift, 9)
            digits.append(str((int(char) + step + 1) % 10))
        return "".join(digits)


def _draw_letters(note: PhiText) -> Mapping[str, str]:
    """A surrogate for each letter, never the letter itself."""
    # A single cycle maps no letter to itself (Sattolo 1986).
    cycle, drawn = list(LETTERS), note.number(1 << 127, "letters")
    for i in range(len(cycle) - 1, 0, -1):
        drawn, j = divmod(drawn, i)
        cycle[i], cycle[j] = cycle[j], cycle[i]
    letters = dict(zip(LETTERS, cycle, strict=True))
    for letter in _ALPHABET:
        if letter not in letters:
            drawn, i = divmod(drawn, len(LETTERS))
            letters[letter] = LETTERS[i]
    return letters


def _misspelt(counts: Mapping[str, int]) -> dict[str, str]:
    """Unlisted words one edit from another name of the note, mapped to that name."""
    words = [word for word in counts if _SHORTEST_ALIKE <= len(word) <= _LONGEST_ALIKE]
    # Listed and more frequent words come first and count as the right spelling.
    words.sort(key=lambda word: (not is_listed(word), -counts[word]))
    # Words one edit apart share a form once a letter is deleted from one or both.
    lacking: dict[str, str] = {}
    same: dict[str, str] = {}
    for word in words:
        forms = [word, *(word[:i] + word[i + 1 :] for i in range(1, len(word)))]
        if not is_listed(word):
            near = (lacking[form] for form in forms if form in lacking)
            right = next((other for other in near if one_edit_apart(other, word)), None)
            if right is not None:
                same[word] = same.get(right, right)
        for form in forms:
            lacking.setdefault(form, word)
    return same


def _written_like(text: str, name: str) -> str:
    """A name in the letter case and with the line break of another."""
    name = in_case(text, name)
    if (gap := _BREAK.search(text)) is not None:
        return name[: gap.start()] + gap.group() + name[gap.start() :]
    return name
