"""Features of word types: integers that the parts of a word embedding are computed from."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from spacy.strings import get_string_id, hash_string  # type: ignore[attr-defined]
from spacy.vocab import Vocab
from thinc.backends import get_array_ops

from ..text.gazetteers import word_masks

_DIGIT = re.compile(r"\d")

N_CHARS = 256
"""Size of the character alphabet: padding, ASCII, and all others hashed."""

WORD_CLASSES = tuple(
    "newline blank_line space lower title upper initial mixed digit_1 digit_2 digit_3 digit_4 "
    "digits slashed dashed dotted digits_other letters_digits comma period colon punctuation "
    "other".split()
)
"""Coarse orthographic classes; a word has exactly one."""

_CLASS_IDS = {name: i for i, name in enumerate(WORD_CLASSES)}


class Word:
    """A word type.

    vocab (Vocab): Has its string, the gazetteers and the vectors.
    orth (int): Hash of the text.
    text (str): Its text; white space is reduced to a space, one or two newlines.
    lower (int): Hash of the word in lower case, as in gazetteers and vectors.
    folded (int): Hash of the word in lower case, with all digits replaced by 0.
    """

    __slots__ = ("folded", "lower", "orth", "text", "vocab")

    def __init__(self, vocab: Vocab, orth: int) -> None:
        text = vocab.strings[orth]
        if text.isspace():
            text = "\n" * min(2, text.count("\n")) or " "
        lower = text.lower()
        self.vocab, self.orth, self.text = vocab, orth, text
        self.lower = get_string_id(lower)
        self.folded = hash_string(_DIGIT.sub("0", lower))


class WordFeatures:
    """Features of word types.

    unknown (Sequence[int]): Those of an unknown or hidden word.
    """

    unknown: Sequence[int]

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        """The features of words of one vocab. *Shape:* `(len(words), len(unknown))`"""
        raise NotImplementedError


class Characters(WordFeatures):
    """The characters of a word, padded with 0.

    max_chars (int): Maximum characters read per word; of longer words, as many from either end.
    """

    max_chars: int

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        half, size = self.max_chars // 2, self.max_chars
        texts = [word.text for word in words]
        texts = [text if len(text) <= size else text[:half] + text[-half:] for text in texts]
        padded = "".join(text.ljust(size, "\0") for text in texts)
        codes = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        is_padding = np.arange(size) >= np.asarray([[len(text)] for text in texts])
        return np.where(is_padding, 0, char_ids(codes).reshape(len(words), size))


class WordClass(WordFeatures):
    """The orthographic class."""

    unknown = (_CLASS_IDS["other"],)

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        return np.asarray([[_CLASS_IDS[word_class(word.text)]] for word in words])


class ListMemberships(WordFeatures):
    """The gazetteer lists that hold the word, a bit for each."""

    unknown = (0,)

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        lower = np.asarray([word.lower for word in words], dtype=np.uint64)
        return word_masks(words[0].vocab, lower).astype(np.int64)[:, None]


class HashedRows(WordFeatures):
    """Two rows of a hash table for the word in lower case, with digits as 0.

    n_rows (int): Size of the table.
    """

    n_rows: int

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        folded = np.asarray([word.folded for word in words], dtype="<u8")
        return folded.view("<u4").reshape(-1, 2) % np.uint32(self.n_rows)


class VectorRow(WordFeatures):
    """The row of `vocab.vectors`, -1 for none."""

    unknown = (-1,)

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        key2row = words[0].vocab.vectors.key2row
        return np.asarray([[key2row.get(w.orth, key2row.get(w.lower, -1))] for w in words])

    @staticmethod
    def vectors(rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        """The vectors in these rows, zeros for -1, in single precision. *Shape:* `(n, dim)`"""
        data = vocab.vectors.data
        ops = get_array_ops(data)  # on a GPU after `spacy.require_gpu()`
        found = ops.to_numpy(data[ops.asarray1i(rows)]).astype(np.float32)
        found[rows < 0] = 0.0
        return found


def char_ids(codes: np.ndarray) -> np.ndarray:
    """Indices of characters in the alphabet, from 1 on, given their code points."""
    return np.where(codes < 128, codes + 1, 129 + codes % (N_CHARS - 129))


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
