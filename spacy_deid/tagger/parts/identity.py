"""Parts that know which word it is: hashed, listed from the training data, or by word vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor, nn

from ..words import Word, WordPart


@registry.misc("spacy_deid.HashedWords.v1")
def create_hashed_words(*, width: int = 64, rows: int = 10_000) -> HashedWords:
    """A trained embedding of words hashed rather than listed (Svenstrup et al. 2017).

    Each word, in lower case and with its digits as 0, is the sum of two of the table's rows.

    width (int): Width of the embedding.
    rows (int): Size of the table.
    """
    return HashedWords(width, rows)


@registry.misc("spacy_deid.ListedWords.v1")
def create_listed_words(*, width: int = 100, min_count: int = 1) -> ListedWords:
    """A trained embedding of the words of the training data, drawn at random; all others are one.

    Words are in lower case, with their digits as 0 (Lample et al. 2016).

    width (int): Width of the embedding.
    min_count (int): How often a word must occur in the training data to be listed.
    """
    return ListedWords(width, min_count)


@registry.misc("spacy_deid.WordVectors.v1")
def create_word_vectors(*, width: int | None = None, trainable: bool = False) -> WordVectors:
    """The vectors of `nlp.vocab.vectors` (`[initialize] vectors`); without any, the part is empty.

    width (int | None): Width into which they are projected; None takes them as they are.
    trainable (bool): Whether training changes the vectors; then the model keeps its own copy.
    """
    return WordVectors(width, trainable)


class HashedWords(WordPart):
    """The torch side of `HashedWords.v1`."""

    hidden_with = "word"

    def __init__(self, width: int, rows: int) -> None:
        super().__init__()
        self.table_width, self.n_rows = width, rows

    @property
    def width(self) -> int:
        return self.table_width

    @property
    def nothing(self) -> list[int]:
        return [self.n_rows, self.n_rows]

    def make_layers(self) -> None:  # type: ignore[override]
        self.table = nn.EmbeddingBag(self.n_rows + 1, self.table_width, mode="sum")
        nn.init.normal_(self.table.weight, std=0.1)

    def describe(self, word: Word) -> Sequence[int]:
        return (word.folded & 0xFFFFFFFF) % self.n_rows, (word.folded >> 32) % self.n_rows

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        return self.table(rows)


class ListedWords(WordPart):
    """The torch side of `ListedWords.v1`; row 0 is for unlisted words."""

    hidden_with = "word"
    keys: Tensor

    def __init__(self, width: int, min_count: int) -> None:
        super().__init__()
        self.table_width, self.min_count = width, min_count

    @property
    def width(self) -> int:
        return self.table_width

    @property
    def nothing(self) -> list[int]:
        return [0]

    def make_layers(self, *, n_words: int) -> None:  # type: ignore[override]
        self.register_buffer("keys", torch.zeros(n_words, dtype=torch.long))
        self.table = nn.Embedding(n_words + 1, self.table_width)
        nn.init.normal_(self.table.weight, std=0.1)

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        totals: Counter[int] = Counter()
        for orth, count in counts.items():
            totals[Word(vocab, orth).folded] += count
        listed = [word for word, count in totals.items() if count >= self.min_count]
        keys = np.sort(np.asarray(listed, dtype=np.uint64).view(np.int64))
        self.build(n_words=len(keys))
        self.keys.copy_(torch.from_numpy(keys))

    def describe(self, word: Word) -> Sequence[int]:
        key = np.uint64(word.folded).view(np.int64)
        keys = self.keys.cpu().numpy()
        place = int(np.searchsorted(keys, key))
        return [place + 1 if place < len(keys) and keys[place] == key else 0]

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        return self.table(rows[:, 0])


class WordVectors(WordPart):
    """The torch side of `WordVectors.v1`; row -1 is for words without a vector."""

    hidden_with = "word"

    def __init__(self, width: int | None, trainable: bool) -> None:
        super().__init__()
        self.projected_width, self.trainable = width, trainable

    @property
    def width(self) -> int:
        dim = (self.sizes or {})["dim"]
        return dim if self.projected_width is None or not dim else self.projected_width

    @property
    def nothing(self) -> list[int]:
        return [-1]

    def make_layers(self, *, n_vectors: int, dim: int) -> None:  # type: ignore[override]
        self.table = nn.Embedding(n_vectors + 1, dim) if self.trainable and dim else None
        projects = self.projected_width is not None and dim
        self.project = nn.Linear(dim, self.projected_width or 0) if projects else None

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        vectors = vocab.vectors.data
        self.build(n_vectors=len(vectors), dim=vectors.shape[1] if len(vectors) else 0)
        if self.table is not None:
            with torch.no_grad():
                self.table.weight[:-1] = torch.from_numpy(vectors.astype(np.float32))
                self.table.weight[-1] = 0.0

    def describe(self, word: Word) -> Sequence[int]:
        key2row = word.vocab.vectors.key2row
        return [key2row.get(word.orth, key2row.get(word.lower, -1))]

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        if not self.width:
            return torch.zeros(len(rows), 0, device=rows.device)
        vectors = self._static(rows[:, 0], vocab) if self.table is None else self._own(rows[:, 0])
        return vectors if self.project is None else self.project(vectors)

    def _own(self, rows: Tensor) -> Tensor:
        assert self.table is not None
        return self.table(rows % self.table.num_embeddings)

    def _static(self, rows: Tensor, vocab: Vocab) -> Tensor:
        places = rows.cpu().numpy()
        static = vocab.vectors.data[places].astype(np.float32)
        static[places < 0] = 0.0
        return torch.from_numpy(static).to(rows.device)
