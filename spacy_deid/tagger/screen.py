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

Layer = tuple[np.ndarray, np.ndarray]
"""Weights, *Shape:* `(n_inputs, n_outputs)`, and bias."""


class Screen:
    """Layers of convolutions over the embeddings of words.

    layers (Sequence[Layer]): The first and the last see one word, the others `KERNEL`.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.layers: list[Layer] = [
            (np.ascontiguousarray(weights, dtype=np.float32), bias.astype(np.float32))
            for weights, bias in layers
        ]

    def choose(
        self, vectors: np.ndarray, sentences: Sequence[np.ndarray], least: float
    ) -> list[np.ndarray]:
        """Choose the sentences that may hold PHI, and for context those beside them.

        vectors (np.ndarray): The embeddings of all words of some docs.
        sentences (Sequence[np.ndarray]): The lengths of the sentences of each doc.
        least (float): The probability from which on a sentence may hold PHI.
        RETURNS (list[np.ndarray]): For each doc, whether each sentence is chosen.
        """
        scores = self.score(vectors, [int(lengths.sum()) for lengths in sentences])
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

    def score(self, vectors: np.ndarray, doc_lengths: Sequence[int]) -> np.ndarray:
        """The log-odds of each word to show that its sentence may hold PHI. *Shape:* `(n_words,)`

        doc_lengths (Sequence[int]): The number of words of each doc: none sees those of another.
        """
        first, *middle, last = self.layers
        margin = KERNEL // 2
        places = np.arange(len(vectors)) + margin
        places += margin * np.repeat(np.arange(len(doc_lengths)), doc_lengths)
        values = np.maximum(_apply(first, vectors), 0)
        for layer in middle:
            n_rows = len(values) + margin * (len(doc_lengths) + 1)
            padded = np.zeros((n_rows, values.shape[1]), dtype=np.float32)
            padded[places] = values
            windows = np.hstack([padded[places + i] for i in range(-margin, margin + 1)])
            values = np.maximum(_apply(layer, windows), 0)
        return _apply(last, values)[:, 0]


def _apply(layer: Layer, values: np.ndarray) -> np.ndarray:
    return multiply(values, layer[0]) + layer[1]
