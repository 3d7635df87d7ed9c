"""Word types, and the parts that embed them without their context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from spacy.strings import get_string_id, hash_string  # type: ignore[attr-defined]
from spacy.vocab import Vocab
from torch import Tensor

from .torch_layer import SizedModule

_DIGIT = re.compile(r"\d")
_CACHE_LIMIT = 20_000  # numbers and names fill it; more takes memory, and is no faster


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


class WordPart(SizedModule):
    """A part of a word embedding: a torch module over integer features of word types.

    `describe` computes the features of a word once; `forward` embeds many words at a time.

    width (int): Width of the embedding, once built.
    unknown (Sequence[int]): The features of an unknown or hidden word.
    hidden_with (str): The dropout of `WordEmbed.v1` that hides this part: "word", "list" or "".
    """

    width: int
    unknown: Sequence[int]
    hidden_with: str = ""

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        """Build the part, given the training data's vocab and word counts by `ORTH`."""
        self.build()

    def describe(self, word: Word) -> Sequence[int]:
        """The features of a word; as many as in `unknown`."""
        raise NotImplementedError

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        """Embed words. *Shape:* `(n, len(unknown))` to `(n, width)`"""
        raise NotImplementedError


class WordTypes:
    """A cache, never saved, of the word types seen so far and their features in each part.

    Row 0 is the unknown word. Hold `lock` to read or add rows: `reset` invalidates them.
    """

    def __init__(self, parts: Sequence[WordPart]) -> None:
        self.parts = parts
        self.lock = Lock()
        self.vocab: Vocab | None = None
        self.rows: dict[int, int] = {}
        self.features: list[np.ndarray] = []

    def __reduce__(self) -> tuple:
        return (WordTypes, (self.parts,))

    def __len__(self) -> int:
        return 1 + len(self.rows)

    @property
    def is_full(self) -> bool:
        """Whether the cache should be `reset`."""
        return len(self.rows) > _CACHE_LIMIT

    def reset(self, vocab: Vocab | None) -> None:
        """Empty the cache; new word types will come from `vocab`."""
        self.vocab = vocab
        self.rows = {}
        self.features = [np.tile(np.asarray(part.unknown), (1024, 1)) for part in self.parts]

    def look_up(self, orths: np.ndarray) -> np.ndarray:
        """The row of `features` of each word, given its `ORTH` hash; new words are added."""
        unique, inverse = np.unique(orths, return_inverse=True)
        rows = [self.rows.get(orth) or self._add(orth) for orth in unique.tolist()]
        return np.asarray(rows, dtype=np.int64)[inverse]

    def _add(self, orth: int) -> int:
        assert self.vocab is not None
        row = self.rows[orth] = len(self)
        word = Word(self.vocab, orth)
        for i, part in enumerate(self.parts):
            if row == len(self.features[i]):
                self.features[i] = np.concatenate([self.features[i]] * 2)
            self.features[i][row] = part.describe(word)
        return row
