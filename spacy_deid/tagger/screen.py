"""The screen: a small network that picks the sentences that may hold PHI for the large one to read.

Most sentences of a note hold none, and look like it: a cascade, as in Viola and Jones 2001, spends
little on them. `screen_training.py` trains it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .blas import multiply

KERNEL = 5
"""Words that a layer after the first one sees at once."""

_MARGIN = KERNEL // 2

Layer = tuple[np.ndarray, np.ndarray]
"""Weights, *Shape:* `(n_inputs, n_outputs)`, and bias."""


class Screen:
    """Layers of convolutions over the embeddings of words.

    layers (Sequence[Layer]): The first and the last see one word, the others `KERNEL`.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.first, *middle, self.last = (
            (np.ascontiguousarray(weights, dtype=np.float32), bias.astype(np.float32))
            for weights, bias in layers
        )
        self.middle = [
            (weights.reshape(KERNEL, -1, len(bias)), bias)  # the weights of each word it sees
            for weights, bias in middle
        ]

    def describe(self, vectors: np.ndarray) -> np.ndarray:
        """What the first layer makes of word types, given their embeddings."""
        return np.maximum(_apply(self.first, vectors), 0)

    def choose(
        self, words: np.ndarray, sentences: Sequence[np.ndarray], least: float
    ) -> list[np.ndarray]:
        """Choose the sentences that may hold PHI, and for context those beside them.

        words (np.ndarray): All words of some docs, as described.
        sentences (Sequence[np.ndarray]): The lengths of the sentences of each doc.
        least (float): The probability from which on a sentence may hold PHI.
        RETURNS (list[np.ndarray]): For each doc, whether each sentence is chosen.
        """
        scores = self.score(words, [int(lengths.sum()) for lengths in sentences])
        chosen, begin = [], 0
        for lengths in sentences:
            starts = begin + lengths.cumsum() - lengths
            begin += int(lengths.sum())
            suspected = np.maximum.reduceat(scores[:begin], starts) >= np.log(least / (1 - least))
            near = suspected.copy()
            near[:-1] |= suspected[1:]
            near[1:] |= suspected[:-1]
            chosen.append(near)
        return chosen

    def score(self, words: np.ndarray, doc_lengths: Sequence[int]) -> np.ndarray:
        """The log-odds of each word to show that its sentence may hold PHI. *Shape:* `(n_words,)`

        doc_lengths (Sequence[int]): The number of words of each doc: none sees those of another.
        """
        places = np.arange(len(words)) + _MARGIN
        places += _MARGIN * np.repeat(np.arange(len(doc_lengths)), doc_lengths)
        values = np.zeros(
            (len(words) + _MARGIN * (len(doc_lengths) + 1), words.shape[1]), dtype=np.float32
        )
        values[places] = words
        is_word = np.zeros((len(values), 1), dtype=np.float32)
        is_word[places] = 1
        for layer in self.middle:
            values = _convolve(layer, values)
            np.maximum(values, 0, out=values)
            values *= is_word
        return _apply(self.last, values)[places, 0]


def _convolve(layer: Layer, values: np.ndarray) -> np.ndarray:
    """A layer's outputs, but for the margins at both ends; no window of words is copied."""
    weights, bias = layer
    outputs = np.zeros((len(values), len(bias)), dtype=np.float32)
    inner = outputs[_MARGIN:-_MARGIN]
    inner += bias
    for i, of_word in enumerate(weights):
        inner += multiply(values[i : i + len(inner)], of_word)
    return outputs


def _apply(layer: Layer, values: np.ndarray) -> np.ndarray:
    return multiply(values, layer[0]) + layer[1]
