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
_CACHE_LIMIT = 100_000


@dataclass(frozen=True)
class Word:
    """A word type.

    vocab (Vocab): The vocab with strings, gazetteers and vectors.
    orth (int): Hash of its text.
    """

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
    nothing (Sequence[int]): The features of an unknown or hidden word.
    hidden_with (str): The dropout of `WordEmbed.v1` that hides this part: "word", "list" or "".
    """

    width: int
    nothing: Sequence[int]
    hidden_with: str = ""

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        """Build the part.

        vocab (Vocab): The vocab of the training data.
        counts (Mapping[int, int]): Word counts of the training data, by `ORTH`.
        """
        self.build()

    def describe(self, word: Word) -> Sequence[int]:
        """The features of a word; as many as in `nothing`."""
        raise NotImplementedError

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        """Embed words. *Shape:* `(n, len(nothing))` to `(n, width)`"""
        raise NotImplementedError


class WordTypes:
    """A cache, never saved, of the word types seen so far and their features in each part.

    Row 0 is no word and holds `nothing`. Hold `lock` to read or add rows: `reset` invalidates them.

    parts (Sequence[WordPart]): The parts.
    """

    def __init__(self, parts: Sequence[WordPart]) -> None:
        self.parts = parts
        self.lock = Lock()
        self.vocab: Vocab | None = None
        self.rows: dict[int, int] = {}
        self.notes: list[np.ndarray] = []

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
        self.notes = [np.tile(np.asarray(part.nothing), (1024, 1)) for part in self.parts]

    def look_up(self, orths: np.ndarray) -> np.ndarray:
        """The row of each word; new words are added.

        orths (np.ndarray): `ORTH` hashes of tokens, *Shape:* `(n,)`.
        RETURNS (np.ndarray): Rows of `self.notes`, *Shape:* `(n,)`.
        """
        unique, inverse = np.unique(orths, return_inverse=True)
        rows = np.empty(len(unique), dtype=np.int64)
        for i, orth in enumerate(unique.tolist()):
            row = self.rows.get(orth)
            rows[i] = self._add(orth) if row is None else row
        return rows[inverse]

    def _add(self, orth: int) -> int:
        assert self.vocab is not None
        row = self.rows[orth] = len(self)
        word = Word(self.vocab, orth)
        for i, part in enumerate(self.parts):
            if row == len(self.notes[i]):
                self.notes[i] = np.concatenate([self.notes[i], np.zeros_like(self.notes[i])])
            self.notes[i][row] = part.describe(word)
        return row
