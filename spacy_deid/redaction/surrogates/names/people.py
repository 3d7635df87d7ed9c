"""Surrogates of persons, consistent over all forms of a name, all notes and addresses.

Names are drawn word by word, initials letter by letter: each letter has one surrogate letter per
patient, the first letter of all surrogates for names with it. So "Maria Lopez", "M. Lopez",
"LOPEZ, MARIA", "ML" and "mlopez3@mercy.org" agree without resolving who is meant.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ....annotation.notes import PhiSpan
from ....known.names import one_edit_apart
from ....text.edits import splice
from ....text.gazetteers import plain_name
from ...phi_text import PhiText
from ..writing import Word, in_case
from .domains import surrogate_domain
from .lists import LETTERS, full_forms, group_of, is_listed, own_names, pool, short_forms
from .logins import read_login
from .parts import DIGITS, INITIALS, NAME, START, WrittenName, single_names, words_of

_LOGINS = frozenset(("USERNAME", "EMAIL"))
_BREAK = re.compile("[-=]?[ \t]{0,8}\n[> \t]{0,40}")
_SHORTEST_MISSPELT = 5
_LONGEST_MISSPELT = 30
_LONGEST_NAME = 8  # words


def people(note: PhiText) -> list[str]:
    """Replace names, user names and mail addresses, in the form of the originals.

    Surrogates can differ between notes if they depend on the note: for a misspelt word, a short
    form of several names, or a drawn name that is also in this note or drawn for another in it.
    """
    values = [note.original(span) for span in note.spans]
    names = [
        None if span.type in _LOGINS else WrittenName(value)
        for span, value in zip(note.spans, values, strict=True)
    ]
    words = [word for name in names if name for word in name.words]
    note_names = single_names(words)
    if values == [note.text.strip()]:  # a field, which seldom holds initials
        note_names |= {word.key for word in words if is_listed(word.key)}
    of_logins = note_names | _names_of_fields(note.shared.names)
    parts = [
        name.parts(note_names) if name else list(read_login(value, of_logins))
        for value, name in zip(values, names, strict=True)
    ]
    surrogates = _Surrogates(note, parts)
    return [surrogates.write(span, found) for span, found in zip(note.spans, parts, strict=True)]


@lru_cache(maxsize=4)
def _names_of_fields(fields: tuple[str, ...]) -> frozenset[str]:
    words = [word for field in fields for word in words_of(field)]
    return frozenset(single_names(words) | {word.key for word in words if is_listed(word.key)})


class _Surrogates:
    """The surrogates of one note's names."""

    def __init__(self, note: PhiText, values: Iterable[list[Word]]) -> None:
        self.note = note
        names = [[part.key for part in parts if part.kind == NAME] for parts in values]
        self.counts = Counter(name for words in names for name in words)
        self.beside: defaultdict[str, set[str]] = defaultdict(set)
        for words in names:
            for name in words:
                self.beside[name].update(words[:_LONGEST_NAME])
        self.letters = _draw_letters(note)
        self.right = _right_spellings(self.counts)
        self.drawn: dict[str, str] = {}
        self.taken = set(self.counts)

    def write(self, span: PhiSpan, parts: list[Word]) -> str:
        """The span with its parts replaced; if that changes nothing, all of its words."""
        surrogate = self._replaced(span, parts)
        if surrogate == self.note.original(span):
            return self._replaced(span, words_of(self.note.original(span)))
        return surrogate

    def _replaced(self, span: PhiSpan, parts: list[Word]) -> str:
        value = self.note.original(span)
        edits = (
            (part.start, part.end, _broken_like(value[part.start : part.end], self._part(part)))
            for part in parts
        )
        return splice(value, edits)

    def _part(self, part: Word) -> str:
        text = part.text
        if part.kind == NAME:
            return in_case(text, self._name(part.key))
        if part.kind == START:
            return in_case(text, self._name(part.key)[: len(text)])
        if part.kind == INITIALS:
            return "".join(map(self._initial, text))
        return self._digits(text) if part.kind == DIGITS else surrogate_domain(self.note, text)

    def _name(self, word: str) -> str:
        """The surrogate of a normalised name."""
        word = self.right.get(word, word)
        if word not in self.drawn:
            self.drawn[word] = self._draw(word)
            self.taken.add(self.drawn[word].lower())
        return self.drawn[word]

    def _draw(self, word: str) -> str:
        """Draw a name, if possible one that is neither in the note nor that of another."""
        kind, fallback, options = "name", "", pool(group_of(word), self._letter(word[0]))
        if full := self._full_form(word):
            fallback = self._name(full)
            kind, options = "nickname", short_forms(fallback.lower())
        if not options:
            return fallback
        first = self.note.number(len(options), kind, word)
        turned = options[first:] + options[:first]
        unused = (name for name in turned if name.lower() not in self.taken)
        return next(unused, fallback or turned[0])

    def _full_form(self, word: str) -> str:
        """The full form of a short name: one in the note, or else the most common.

        "Jack Smith" is John beside "John Smith", but not beside "John Miller".
        """
        fulls = full_forms().get(word, ())
        families = self.beside[word] - {word}
        for full in fulls:
            if full in self.counts and families <= self.beside[full]:
                return full
        return fulls[0] if fulls and word not in own_names() else ""

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


def _broken_like(model: str, word: str) -> str:
    """A word with the line break of another."""
    found = _BREAK.search(model)
    if not found:
        return word
    place = min(found.start(), len(word) - 1)
    return word[:place] + found[0] + word[place:]


def _draw_letters(note: PhiText) -> Mapping[str, str]:
    """A surrogate for each letter, never the letter itself."""
    # A single cycle maps no letter to itself (Sattolo 1986).
    cycle, drawn = list(LETTERS), note.number(1 << 127, "letters")
    for i in range(len(cycle) - 1, 0, -1):
        drawn, j = divmod(drawn, i)
        cycle[i], cycle[j] = cycle[j], cycle[i]
    letters = dict(zip(LETTERS, cycle, strict=True))
    for letter in string.ascii_lowercase:
        if letter not in letters:
            drawn, i = divmod(drawn, len(LETTERS))
            letters[letter] = LETTERS[i]
    return letters


def _right_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """Unlisted words one edit from another name of the note, mapped to that name."""
    words = [word for word in counts if _SHORTEST_MISSPELT <= len(word) <= _LONGEST_MISSPELT]
    # Listed and more frequent words come first and count as the right spelling.
    words.sort(key=lambda word: (not is_listed(word), -counts[word]))
    # Words one edit apart share a form once a letter is deleted from one or both.
    lacking: dict[str, str] = {}
    right: dict[str, str] = {}
    for word in words:
        forms = [word, *(word[:i] + word[i + 1 :] for i in range(1, len(word)))]
        if not is_listed(word):
            near = (lacking[form] for form in forms if form in lacking)
            other = next((other for other in near if one_edit_apart(other, word)), None)
            if other is not None:
                right[word] = right.get(other, other)
        for form in forms:
            lacking.setdefault(form, word)
    return right
