"""The parts of an exported word embedding, in NumPy: each computes what a torch part computes."""

from __future__ import annotations

import numpy as np
from spacy.vocab import Vocab

from ..text.gazetteers import known_masks
from .blas import multiply
from .features import Characters, HashedRows, ListMemberships, VectorRow, WordClass, WordFeatures

N_CONSTANTS = 2
"""Columns of an exported network's inputs and states that are always 1 and -1 (`onnx_graph.py`)."""


class ExportedPart(WordFeatures):
    """A part of a word embedding."""

    def embed(self, rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        """Embed words. *Shape:* `(n, len(unknown))` to `(n, width)`"""
        raise NotImplementedError

    def bound(self, vocab: Vocab) -> np.ndarray:
        """The largest absolute value of each column, or a bound of it. *Shape:* `(width,)`"""
        raise NotImplementedError


class ExportedChars(Characters, ExportedPart):
    """The final states of a bidirectional LSTM over the characters (`CharBiLSTM.v1`).

    max_chars (int): Maximum characters read per word.
    from_chars (np.ndarray): What each character adds to the gates (input, forget, cell, output) of
        both directions, with the bias. *Shape:* `(2, N_CHARS, 4 * width)`
    from_hidden (np.ndarray): *Shape:* `(2, width, 4 * width)`
    """

    def __init__(self, max_chars: int, from_chars: np.ndarray, from_hidden: np.ndarray) -> None:
        self.max_chars = max_chars
        self.unknown = [0] * max_chars
        self.from_chars = from_chars.astype(np.float32)
        self.from_hidden = from_hidden.astype(np.float64)

    def embed(self, rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        lengths = np.maximum((rows > 0).sum(1), 1)  # an empty word becomes one padding character
        order = np.argsort(-lengths)
        ahead, lengths = rows[order], lengths[order]
        step = np.arange(rows.shape[1])
        places = np.where(step < lengths[:, None], lengths[:, None] - 1 - step, step)
        back = np.take_along_axis(ahead, places, axis=1)
        states = [self._last_states(i, ids, lengths) for i, ids in enumerate((ahead, back))]
        return np.concatenate(states, axis=1)[np.argsort(order)]

    def bound(self, vocab: Vocab) -> np.ndarray:
        return np.ones(2 * self.from_hidden.shape[1], dtype=np.float32)

    def _last_states(self, direction: int, ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        table, weights = self.from_chars[direction], self.from_hidden[direction]
        hidden, cell = np.zeros((2, len(ids), len(weights)), dtype=np.float32)
        for step in range(lengths[0]):
            n = np.count_nonzero(lengths > step)
            gates = table[ids[:n, step]] + _product(hidden[:n], weights)
            let_in, forget, candidate, out = np.split(gates, 4, axis=1)
            cell[:n] = _sigmoid(forget) * cell[:n] + _sigmoid(let_in) * np.tanh(candidate)
            hidden[:n] = _sigmoid(out) * np.tanh(cell[:n])
        return hidden


class ExportedLists(ListMemberships, ExportedPart):
    """A projection of the gazetteer memberships (`WordLists.v1`)."""

    def __init__(self, weights: np.ndarray, bias: np.ndarray) -> None:
        self.weights, self.bias = weights.astype(np.float64), bias

    def embed(self, rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        bits = rows >> np.arange(len(self.weights)) & 1
        return _product(bits, self.weights) + self.bias

    def bound(self, vocab: Vocab) -> np.ndarray:
        return np.abs(self.embed(known_masks(vocab)[:, None], vocab)).max(0)


class ExportedOrthography(WordClass, ExportedPart):
    """An embedding of the orthographic class (`Orthography.v1`)."""

    def __init__(self, table: np.ndarray) -> None:
        self.table = table.astype(np.float32)

    def embed(self, rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        return self.table[rows[:, 0]]

    def bound(self, vocab: Vocab) -> np.ndarray:
        return np.abs(self.table).max(0)


class ExportedHashes(HashedRows, ExportedPart):
    """A hash embedding of words (`HashedWords.v1`).

    table (np.ndarray): Its last row is for unknown words.
    """

    def __init__(self, table: np.ndarray) -> None:
        self.table, self.n_rows = table.astype(np.float32), len(table) - 1
        self.unknown = [self.n_rows] * 2

    def embed(self, rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        return self.table[rows].sum(1)

    def bound(self, vocab: Vocab) -> np.ndarray:
        return 2 * np.abs(self.table).max(0)


class ExportedVectors(VectorRow, ExportedPart):
    """A projection of the vectors of `nlp.vocab.vectors` (`WordVectors.v1`)."""

    def __init__(self, weights: np.ndarray, bias: np.ndarray) -> None:
        self.weights, self.bias = weights.astype(np.float64), bias

    def embed(self, rows: np.ndarray, vocab: Vocab) -> np.ndarray:
        return _product(self.vectors(rows[:, 0], vocab), self.weights) + self.bias

    def bound(self, vocab: Vocab) -> np.ndarray:
        every = np.arange(-1, len(vocab.vectors.data))[:, None]
        return np.abs(self.embed(every, vocab)).max(0)


PARTS: dict[str, type[ExportedPart]] = {
    "CharBiLSTM": ExportedChars,
    "HashedWords": ExportedHashes,
    "Orthography": ExportedOrthography,
    "WordLists": ExportedLists,
    "WordVectors": ExportedVectors,
}
"""The parts by the names of their torch originals."""


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 0.5 * np.tanh(0.5 * values) + 0.5


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """A product in single precision, computed in double precision.

    A word's embedding must not depend on the other words of a batch. In single precision it does in
    its last bit, which the quantised network can turn into another decision.
    """
    return multiply(left.astype(np.float64), right).astype(np.float32)
