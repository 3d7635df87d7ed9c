"""Parts that read a word's characters."""

# Without `from __future__ import annotations`: see `spacy_deid/tagger/encoders.py`.
from collections.abc import Mapping

import numpy as np
import torch
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor, nn

from ..buckets import by_length
from ..features import N_CHARS, Characters, char_ids
from ..recurrent import Recurrent
from .base import WordPart


class CharPart(Characters, WordPart):
    """A part whose features are the characters of a word, padded with 0.

    max_chars (int): Maximum characters read per word; of longer words, as many from either end.
    RAISES (ValueError): If `max_chars` is less than 2.
    """

    def __init__(self, max_chars: int) -> None:
        super().__init__()
        if max_chars < 2:
            raise ValueError(f"max_chars is {max_chars}, but must be 2 or more")
        self.max_chars = max_chars
        self.unknown = [0] * max_chars


@registry.misc("spacy_deid.CharBiLSTM.v1")
class CharBiLSTM(CharPart):
    """The final states of a bidirectional recurrent network over characters (Lample et al. 2016).

    width (int): Width of a character and of each direction; the part is twice as wide.
    cell (str): "lstm", "coupled_lstm" or "elman".
    max_chars (int): Maximum characters read per word; of longer words, as many from either end.
    """

    def __init__(self, *, width: int = 25, cell: str = "lstm", max_chars: int = 24) -> None:
        super().__init__(max_chars)
        self.cell, self.char_width = cell, width
        self.width = 2 * width

    def make_layers(self) -> None:
        self.chars = nn.Embedding(N_CHARS, self.char_width, padding_idx=0)
        self.recurrent = Recurrent(self.cell, self.char_width, self.char_width)

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        lengths = (rows > 0).sum(1).clamp(min=1)  # an empty word becomes one padding character
        groups = [torch.from_numpy(group) for group in by_length(lengths.cpu().numpy())]
        states = []
        for group in groups:
            chars = self.chars(rows[group, : int(lengths[group[0]])].T)
            states.append(self.recurrent.last_states(chars, lengths[group]))
        return torch.cat(states)[torch.cat(groups).argsort()]


@registry.misc("spacy_deid.CharCNN.v1")
class CharCNN(CharPart):
    """Convolutions over the characters with max pooling over the word (Ma and Hovy 2016).

    width (int): Number of filters.
    char_width (int): Width of a character.
    window (int): Neighbours that a filter sees on each side of a character.
    max_chars (int): Maximum characters read per word; of longer words, as many from either end.
    """

    def __init__(
        self, *, width: int = 30, char_width: int = 30, window: int = 1, max_chars: int = 24
    ) -> None:
        super().__init__(max_chars)
        self.width, self.char_width, self.window = width, char_width, window

    def make_layers(self) -> None:
        self.chars = nn.Embedding(N_CHARS, self.char_width, padding_idx=0)
        size = 2 * self.window + 1
        self.filters = nn.Conv1d(self.char_width, self.width, size, padding=self.window)

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        filtered = self.filters(self.chars(rows).transpose(1, 2))
        beyond = rows == 0
        beyond[:, 0] = False
        return torch.tanh(filtered.masked_fill(beyond[:, None], -torch.inf).amax(dim=2))


@registry.misc("spacy_deid.CharVectors.v1")
class CharVectors(CharPart):
    """The mean of fixed character vectors derived from word vectors (Ahmed et al. 2021).

    A character's vector is the mean of the vectors of the words it occurs in, weighted by its
    count. Needs `[initialize] vectors` and has their width; saved, but not trained.

    max_chars (int): Maximum characters read per word; of longer words, as many from either end.
    """

    table: Tensor

    def __init__(self, *, max_chars: int = 24) -> None:
        super().__init__(max_chars)

    def make_layers(self, *, dim: int) -> None:
        self.width = dim
        self.register_buffer("table", torch.zeros(N_CHARS, dim))

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        if not len(vocab.vectors):
            raise ValueError("CharVectors.v1 needs word vectors: set 'vectors' in [initialize]")
        self.build(dim=vocab.vectors.shape[1])
        self.table.copy_(torch.from_numpy(character_vectors(vocab)))

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        lengths = (rows > 0).sum(1, keepdim=True).clamp(min=1)
        return self.table[rows].sum(1) / lengths


def character_vectors(vocab: Vocab) -> np.ndarray:
    """Mean vector of the words in which each character occurs, weighted by its count, or zero."""
    sums = np.zeros((N_CHARS, vocab.vectors.shape[1]), dtype=np.float32)
    counts = np.zeros((N_CHARS, 1), dtype=np.float32)
    for key, row in vocab.vectors.key2row.items():
        ids = char_ids(np.asarray([*map(ord, vocab.strings[key])], dtype=np.int64))
        np.add.at(sums, ids, vocab.vectors.data[row].astype(np.float32))
        np.add.at(counts, ids, 1)
    return sums / np.maximum(counts, 1)
