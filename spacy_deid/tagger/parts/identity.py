"""Parts for the identity of a word: hashed, listed from the training data, or word vectors."""

# Without `from __future__ import annotations`: see `spacy_deid/tagger/encoders.py`.
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor, nn

from ..features import HashedRows, VectorRow, Word
from .base import WordPart


@registry.misc("spacy_deid.HashedWords.v1")
class HashedWords(HashedRows, WordPart):
    """A trained hash embedding of words (Svenstrup et al. 2017).

    Each word, in lower case and with digits as 0, is the sum of two rows of the table.

    width (int): Width of the embedding.
    rows (int): Size of the table.
    """

    hidden_with = "word"

    def __init__(self, *, width: int = 64, rows: int = 10_000) -> None:
        super().__init__()
        self.width, self.n_rows = width, rows
        self.unknown = [rows, rows]

    def make_layers(self) -> None:
        self.table = nn.EmbeddingBag(self.n_rows + 1, self.width, mode="sum")
        nn.init.normal_(self.table.weight, std=0.1)

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        return self.table(rows)


@registry.misc("spacy_deid.ListedWords.v1")
class ListedWords(WordPart):
    """A trained, randomly initialised embedding of the training data's words; all others share one.

    Words are in lower case, with digits as 0 (Lample et al. 2016).

    width (int): Width of the embedding.
    min_count (int): Minimum count of a word in the training data to be listed.
    """

    hidden_with = "word"
    unknown = (0,)  # also the row of unlisted words
    keys: Tensor

    def __init__(self, *, width: int = 100, min_count: int = 1) -> None:
        super().__init__()
        self.width, self.min_count = width, min_count

    def make_layers(self, *, n_words: int) -> None:
        self.register_buffer("keys", torch.zeros(n_words, dtype=torch.long))
        self.table = nn.Embedding(n_words + 1, self.width)
        nn.init.normal_(self.table.weight, std=0.1)

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        totals: Counter[int] = Counter()
        for orth, count in counts.items():
            totals[Word(vocab, orth).folded] += count
        listed = [word for word, count in totals.items() if count >= self.min_count]
        keys = np.sort(np.asarray(listed, dtype=np.uint64).view(np.int64))
        self.build(n_words=len(keys))
        self.keys.copy_(torch.from_numpy(keys))

    def describe(self, words: Sequence[Word]) -> np.ndarray:
        folded = np.asarray([word.folded for word in words], dtype=np.uint64).view(np.int64)
        keys = np.append(self.keys.cpu().numpy(), np.iinfo(np.int64).max)
        places = np.searchsorted(keys[:-1], folded)
        return np.where(keys[places] == folded, places + 1, 0)[:, None]

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        return self.table(rows[:, 0])


@registry.misc("spacy_deid.WordVectors.v1")
class WordVectors(VectorRow, WordPart):
    """The vectors of `nlp.vocab.vectors` (`[initialize] vectors`); without any, the part is empty.

    width (int | None): Width of a projection of the vectors; None for no projection.
    trainable (bool): Whether to train the vectors; the model then keeps its own copy.
    """

    hidden_with = "word"

    def __init__(self, *, width: int | None = None, trainable: bool = False) -> None:
        super().__init__()
        self.projected_width, self.trainable = width, trainable

    def make_layers(self, *, n_vectors: int, dim: int) -> None:
        width = self.projected_width if dim else None
        self.width = dim if width is None else width
        self.table = nn.Embedding(n_vectors + 1, dim) if self.trainable and dim else None
        self.project = None if width is None else nn.Linear(dim, width)

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        vectors = vocab.vectors.data
        self.build(n_vectors=len(vectors), dim=vectors.shape[1] if len(vectors) else 0)
        if self.table is not None:
            with torch.no_grad():
                every = np.arange(len(vectors))
                self.table.weight[:-1] = torch.from_numpy(self.vectors(every, vocab))
                self.table.weight[-1] = 0.0

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        if not self.width:
            return torch.zeros(len(rows), 0, device=rows.device)
        if self.table is not None:
            vectors = self.table(rows[:, 0] % self.table.num_embeddings)
        else:
            vectors = torch.from_numpy(self.vectors(rows[:, 0].cpu().numpy(), vocab))
            vectors = vectors.to(rows.device)
        return vectors if self.project is None else self.project(vectors)
