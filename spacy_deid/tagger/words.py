"""What the tagger knows of a word by its form alone, computed once for each word type."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.vocab import Vocab

from ..gazetteers import WORD_LISTS, word_mask

WORD_CLASSES = (
    "newline",
    "blank_line",
    "space",
    "lower",
    "title",
    "upper",
    "initial",
    "mixed",
    "digit_1",
    "digit_2",
    "digit_3",
    "digit_4",
    "digits",
    "slashed",
    "dashed",
    "dotted",
    "digits_other",
    "letters_digits",
    "comma",
    "period",
    "colon",
    "punctuation",
    "other",
)
"""Coarse orthographic classes; a word has exactly one."""

_DIGIT = re.compile(r"\d")
_CACHE_LIMIT = 100_000


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


@dataclass(frozen=True)
class WordFeatures:
    """Features of `n` word types (or of the tokens that refer to them).

    chars (np.ndarray): Character ids, 0 is padding. *Shape:* `(n, max_chars)`
    lengths (np.ndarray): Characters used of each row. *Shape:* `(n,)`
    hashes (np.ndarray): Two independent hashes of the lower-cased word, digits folded into 0.
        *Shape:* `(n, 2)`
    classes (np.ndarray): Index into `WORD_CLASSES`. *Shape:* `(n,)`
    lists (np.ndarray): 1.0 for each gazetteer list that holds the word.
        *Shape:* `(n, len(WORD_LISTS))`
    vectors (np.ndarray): Row in `vocab.vectors`, -1 for none. *Shape:* `(n,)`
    """

    chars: np.ndarray
    lengths: np.ndarray
    hashes: np.ndarray
    classes: np.ndarray
    lists: np.ndarray
    vectors: np.ndarray

    def __getitem__(self, rows: np.ndarray) -> WordFeatures:
        return WordFeatures(*(getattr(self, field)[rows] for field in self.__dataclass_fields__))


class WordTypes:
    """The word types met so far and their features; a cache, never saved.

    max_chars (int): Characters of a word that count: its first half and its last half.
    """

    def __init__(self, max_chars: int) -> None:
        self.max_chars = max_chars
        self.vocab: Vocab | None = None
        self.clear()

    def clear(self) -> None:
        """Forget all word types."""
        self.rows: dict[int, int] = {}
        self.features = self._empty(1024)

    def __reduce__(self) -> tuple:
        return (WordTypes, (self.max_chars,))

    def is_full(self) -> bool:
        """Whether so many types are known that it is time to `clear`."""
        return len(self.rows) > _CACHE_LIMIT

    def look_up(self, vocab: Vocab, orths: np.ndarray) -> np.ndarray:
        """Row of each word, after adding the new ones.

        orths (np.ndarray): `ORTH` hashes of tokens, *Shape:* `(n,)`.
        RETURNS (np.ndarray): Rows for `self.features`, *Shape:* `(n,)`.
        """
        if vocab is not self.vocab:
            self.clear()
            self.vocab = vocab
        unique, inverse = np.unique(orths, return_inverse=True)
        rows = np.empty(len(unique), dtype=np.int64)
        for i, orth in enumerate(unique.tolist()):
            row = self.rows.get(orth)
            rows[i] = self._add(vocab, orth) if row is None else row
        return rows[inverse]

    def _add(self, vocab: Vocab, orth: int) -> int:
        row = self.rows[orth] = len(self.rows)
        if row == len(self.features.lengths):
            self._grow()
        text = _fold_space(vocab.strings[orth])
        lower = text.lower()
        lower_hash = hash_string(lower)
        shape_hash = hash_string(_DIGIT.sub("0", lower))
        features = self.features
        ids = [_char_id(char) for char in self._clip(text)]
        features.chars[row, : len(ids)] = ids
        features.lengths[row] = max(1, len(ids))
        features.hashes[row] = shape_hash & 0xFFFFFFFF, shape_hash >> 32
        features.classes[row] = WORD_CLASSES.index(word_class(text))
        mask = word_mask(vocab, lower_hash)
        features.lists[row] = [mask >> bit & 1 for bit in range(len(WORD_LISTS))]
        features.vectors[row] = vocab.vectors.key2row.get(lower_hash, -1)
        return row

    def _clip(self, text: str) -> str:
        half = self.max_chars // 2
        return text if len(text) <= self.max_chars else text[:half] + text[-half:]

    def _grow(self) -> None:
        old, self.features = self.features, self._empty(2 * len(self.features.lengths))
        for field in old.__dataclass_fields__:
            values = getattr(old, field)
            getattr(self.features, field)[: len(values)] = values

    def _empty(self, n: int) -> WordFeatures:
        return WordFeatures(
            chars=np.zeros((n, self.max_chars), dtype=np.int64),
            lengths=np.ones(n, dtype=np.int64),
            hashes=np.zeros((n, 2), dtype=np.int64),
            classes=np.zeros(n, dtype=np.int64),
            lists=np.zeros((n, len(WORD_LISTS)), dtype=np.float32),
            vectors=np.full(n, -1, dtype=np.int64),
        )


N_CHARS = 256
"""Size of the character alphabet: padding, ASCII, and the rest folded by hash."""


def _char_id(char: str) -> int:
    code = ord(char)
    return code + 1 if code < 128 else 129 + code % (N_CHARS - 129)


def _fold_space(text: str) -> str:
    """White space of any length as one of three words, so that layout is one thing to learn."""
    if not text.isspace():
        return text
    return "\n" * min(2, text.count("\n")) or " "
