"""The word types seen so far, with their features and embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from spacy.vocab import Vocab

from .features import Word, WordFeatures

_CACHE_LIMIT = 20_000  # numbers and names fill it; more takes memory, and is no faster

Part = TypeVar("Part", bound=WordFeatures)


class WordTypes(Generic[Part]):
    """A cache, never saved, of word types, their features in each part, and their embeddings.

    Row 0 is the unknown word. The cache is emptied for another vocab and when it has grown too
    large. Threads may share a pipeline, and with it this cache: `embed` holds `lock`; hold it to
    use `look_up`.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.lock = Lock()
        self.reset(None)

    def __reduce__(self) -> tuple:
        return (WordTypes, (self.parts,))

    def __len__(self) -> int:
        return 1 + len(self.rows)

    def reset(self, vocab: Vocab | None) -> None:
        """Empty the cache; new word types will come from `vocab`."""
        self.vocab = vocab
        self.rows: dict[int, int] = {}
        self.features = [np.asarray([part.unknown], dtype=np.int64) for part in self.parts]
        self.forget_embeddings()

    def forget_embeddings(self) -> None:
        """Empty the cache of embeddings; `embedded` is the number of its rows in use."""
        self.embeddings = np.empty((0, 0), dtype=np.float32)
        self.embedded = 0

    def look_up(self, orths: np.ndarray, vocab: Vocab) -> np.ndarray:
        """The row of `features` of each word, given its `ORTH` hash; new words are added."""
        if vocab is not self.vocab or len(self.rows) > _CACHE_LIMIT:
            self.reset(vocab)
        unique, inverse = np.unique(orths, return_inverse=True)
        types = unique.tolist()
        self._add([Word(vocab, orth) for orth in types if orth not in self.rows])
        return np.asarray([self.rows[orth] for orth in types], dtype=np.int64)[inverse]

    def embed(
        self, orths: np.ndarray, vocab: Vocab, embed_types: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The embeddings of word types, and the row of each word there, given its `ORTH` hash.

        embed_types (Callable): From rows of `features` to embeddings; called once for each row.
        RETURNS (tuple[np.ndarray, np.ndarray]): *Shapes:* `(n_types, width)` and `(len(orths),)`
        """
        with self.lock:
            rows = self.look_up(orths, vocab)
            known, needed = self.embedded, len(self)
            if known < needed:
                new = embed_types(np.arange(known, needed))
                self.embeddings = _grown(self.embeddings if known else new[:0], known, needed)
                self.embeddings[known:needed] = new
                self.embedded = needed
            return self.embeddings, rows

    def _add(self, words: Sequence[Word]) -> None:
        if not words:
            return
        known = len(self)
        needed = known + len(words)
        self.rows.update((word.orth, row) for row, word in enumerate(words, known))
        for i, part in enumerate(self.parts):
            self.features[i] = _grown(self.features[i], known, needed)
            self.features[i][known:needed] = part.describe(words)


def _grown(table: np.ndarray, used: int, needed: int) -> np.ndarray:
    """The table with room for `needed` rows, doubled so that not every new word copies it."""
    if needed <= len(table):
        return table
    grown = np.empty((max(needed, 2 * len(table)), table.shape[1]), dtype=table.dtype)
    grown[:used] = table[:used]
    return grown
