"""Features of word types: integers that the parts of a word embedding are computed from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from spacy.strings import get_string_id, hash_string  # type: ignore[attr-defined]
from spacy.vocab import Vocab

from ..text.gazetteers import word_mask

_DIGIT = re.compile(r"\d")

N_CHARS = 256
"""Size of the character alphabet: padding, ASCII, and all others hashed."""

WORD_CLASSES = tuple(
    "newline blank_line space lower title upper initial mixed digit_1 digit_2 digit_3 digit_4 "
    "digits slashed dashed dotted digits_other letters_digits comma period colon punctuation "
    "other".split()
)
"""Coarse orthographic classes; a word has exactly one."""


@dataclass(frozen=True)
class Word:
    """A word type: the hash of its text, and the vocab with strings, gazetteers and vectors."""

    vocab: Vocab
    orth: int

    @cached_property
    def text(self) -> str:
        """Its text; white space is reduced to a space, one or two newlines."""
        text = self.vocab.strings[self.orth]
        if not text.isspace():
            return text
        return "\n" * min(2, text.count("\n")) or " "

    @cached_property
    def lower(self) -> int:
        """Hash of the word in lower case, as in gazetteers and vectors."""
        return get_string_id(self.text.lower())

    @cached_property
    def folded(self) -> int:
        """Hash of the word in lower case, with all digits replaced by 0."""
        return hash_string(_DIGIT.sub("0", self.text.lower()))


class WordFeatures:
    """Features of a word type.

    unknown (Sequence[int]): Those of an unknown or hidden word.
    """

    unknown: Sequence[int]

    def describe(self, word: Word) -> Sequence[int]:
        """The features of a word; as many as in `unknown`."""
        raise NotImplementedError


class Characters(WordFeatures):
    """The characters of a word, padded with 0.

    max_chars (int): Maximum characters read per word; of longer words, as many from either end.
    """

    max_chars: int

    def describe(self, word: Word) -> Sequence[int]:
        text, half = word.text, self.max_chars // 2
        if len(text) > self.max_chars:
            text = text[:half] + text[-half:]
        return [*map(char_id, text), *[0] * (self.max_chars - len(text))]


class WordClass(WordFeatures):
    """The orthographic class."""

    unknown = (WORD_CLASSES.index("other"),)

    def describe(self, word: Word) -> Sequence[int]:
        return [WORD_CLASSES.index(word_class(word.text))]


class ListMemberships(WordFeatures):
    """The gazetteer lists that hold the word, a bit for each."""

    unknown = (0,)

    def describe(self, word: Word) -> Sequence[int]:
        return [word_mask(word.vocab, word.lower)]


class HashedRows(WordFeatures):
    """Two rows of a hash table for the word in lower case, with digits as 0.

    n_rows (int): Size of the table.
    """

    n_rows: int

    def describe(self, word: Word) -> Sequence[int]:
        return (word.folded & 0xFFFFFFFF) % self.n_rows, (word.folded >> 32) % self.n_rows


class VectorRow(WordFeatures):
    """The row of `vocab.vectors`, -1 for none."""

    unknown = (-1,)

    def describe(self, word: Word) -> Sequence[int]:
        key2row = word.vocab.vectors.key2row
        return [key2row.get(word.orth, key2row.get(word.lower, -1))]


def char_id(char: str) -> int:
    """Index of a character in the alphabet, from 1 on."""
    code = ord(char)
    return code + 1 if code < 128 else 129 + code % (N_CHARS - 129)


def word_class(text: str) -> str:
    """The orthographic class of a token's text."""
    if text.isspace():
        newlines = text.count("\n")
        return "space" if not newlines else "newline" if newlines == 1 else "blank_line"
    if text.isalpha():
        if text.islower():
            return "lower"
        if text.isupper():
            return "initial" if len(text) == 1 else "upper"
        return "title" if text[0].isupper() and text[1:].islower() else "mixed"
    if text.isdigit():
        return f"digit_{len(text)}" if len(text) <= 4 else "digits"
    if any(char.isdigit() for char in text):
        if any(char.isalpha() for char in text):
            return "letters_digits"
        for sign, name in (("/", "slashed"), ("-", "dashed"), (".", "dotted")):
            if sign in text:
                return name
        return "digits_other"
    if any(char.isalpha() for char in text):
        return "mixed"
    return {",": "comma", ".": "period", ":": "colon"}.get(
        text, "punctuation" if text.isascii() else "other"
    )
