"""Parts that read a word's characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor, nn

from ..recurrent import Recurrent
from ..words import Word, WordPart

N_CHARS = 256
"""Size of the character alphabet: padding, ASCII, and the rest folded by hash."""


@registry.misc("spacy_deid.CharBiLSTM.v1")
def create_char_bilstm(
    *, width: int = 25, cell: str = "lstm", max_chars: int = 24
) -> CharRecurrent:
    """Both last states of a recurrent network over the characters (Lample et al. 2016).

    width (int): Width of a character and of each direction; the part is twice as wide.
    cell (str): Kind of cell: "lstm", "coupled_lstm" or "elman".
    max_chars (int): Characters of a word that are read: its first half and its last half.
    """
    return CharRecurrent(width, cell, max_chars)


@registry.misc("spacy_deid.CharCNN.v1")
def create_char_cnn(
    *, width: int = 30, char_width: int = 30, window: int = 1, max_chars: int = 24
) -> CharCNN:
    """Filters over the characters, each the maximum over the word (Ma and Hovy 2016).

    width (int): Number of filters.
    char_width (int): Width of a character.
    window (int): Neighbours of a character that a filter sees on each side.
    max_chars (int): Characters of a word that are read: its first half and its last half.
    """
    return CharCNN(width, char_width, window, max_chars)


@registry.misc("spacy_deid.CharVectors.v1")
def create_char_vectors(*, max_chars: int = 24) -> CharVectors:
    """The mean of fixed vectors of the characters, drawn from word vectors (Ahmed et al. 2021).

    A character's vector is the mean of the vectors of the words it occurs in, weighted by how often
    it does. Needs `[initialize] vectors`, and is as wide as those.

    max_chars (int): Characters of a word that are read: its first half and its last half.
    """
    return CharVectors(max_chars)


class CharPart(WordPart):
    """A part that notes the characters of a word, padded with 0.

    max_chars (int): Characters of a word that are read: its first half and its last half.
    RAISES (ValueError): If `max_chars` is less than 2.
    """

    def __init__(self, max_chars: int) -> None:
        super().__init__()
        if max_chars < 2:
            raise ValueError(f"max_chars is {max_chars}, but must be 2 or more")
        self.max_chars = max_chars

    @property
    def nothing(self) -> list[int]:
        return [0] * self.max_chars

    def describe(self, word: Word) -> Sequence[int]:
        ids = [char_id(char) for char in self._clip(word.text)]
        return ids + [0] * (self.max_chars - len(ids))

    def _clip(self, text: str) -> str:
        half = self.max_chars // 2
        return text if len(text) <= self.max_chars else text[:half] + text[-half:]


class CharRecurrent(CharPart):
    """The torch side of `CharBiLSTM.v1`."""

    def __init__(self, width: int, cell: str, max_chars: int) -> None:
        super().__init__(max_chars)
        self.cell, self.char_width = cell, width

    @property
    def width(self) -> int:
        return 2 * self.char_width

    def make_layers(self) -> None:  # type: ignore[override]
        self.chars = nn.Embedding(N_CHARS, self.char_width, padding_idx=0)
        self.recurrent = Recurrent(self.cell, self.char_width, self.char_width)

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        used = rows > 0
        used[:, 0] = True  # an empty word is one padding character
        lengths = used.sum(1).cpu().numpy()
        return self.recurrent.last_states(self.chars(rows[used]), lengths)


class CharCNN(CharPart):
    """The torch side of `CharCNN.v1`."""

    def __init__(self, width: int, char_width: int, window: int, max_chars: int) -> None:
        super().__init__(max_chars)
        self.n_filters, self.char_width, self.window = width, char_width, window

    @property
    def width(self) -> int:
        return self.n_filters

    def make_layers(self) -> None:  # type: ignore[override]
        self.chars = nn.Embedding(N_CHARS, self.char_width, padding_idx=0)
        size = 2 * self.window + 1
        self.filters = nn.Conv1d(self.char_width, self.n_filters, size, padding=self.window)

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        filtered = self.filters(self.chars(rows).transpose(1, 2))
        beyond = rows == 0
        beyond[:, 0] = False
        return torch.tanh(filtered.masked_fill(beyond[:, None], -torch.inf).amax(dim=2))


class CharVectors(CharPart):
    """The torch side of `CharVectors.v1`; its table is saved but not trained."""

    table: Tensor

    @property
    def width(self) -> int:
        return self.table.shape[1]

    def make_layers(self, *, dim: int) -> None:  # type: ignore[override]
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
    """Mean vector of the words in which each character occurs, for each time it does.

    RETURNS (np.ndarray): Zero where a character occurs in no word. *Shape:* `(N_CHARS, dim)`
    """
    sums = np.zeros((N_CHARS, vocab.vectors.shape[1]), dtype=np.float32)
    counts = np.zeros((N_CHARS, 1), dtype=np.float32)
    for key, row in vocab.vectors.key2row.items():
        ids = [char_id(char) for char in vocab.strings[key]]
        np.add.at(sums, ids, vocab.vectors.data[row].astype(np.float32))
        np.add.at(counts, ids, 1)
    return sums / np.maximum(counts, 1)


def char_id(char: str) -> int:
    """Place of a character in the alphabet, from 1 on."""
    code = ord(char)
    return code + 1 if code < 128 else 129 + code % (N_CHARS - 129)
