"""Padded batches of sequences of similar length, for recurrent networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from thinc.api import CupyOps, Model

_BUCKET_SIZE = 64
_TIMES_ON_GPU = 8


@dataclass(frozen=True)
class Bucket:
    """Some of the sequences of a batch, time-major and sorted by length, longest first.

    The sequences still active at a step are therefore always the first ones.

    rows (np.ndarray): Row of each step in the concatenated sequences; padding repeats a sequence's
        last row. *Shape:* `(n_steps, n_sequences)`
    lengths (np.ndarray): Lengths of the sequences. *Shape:* `(n_sequences,)`
    """

    rows: np.ndarray
    lengths: np.ndarray


TagScores = list[tuple[Bucket, tuple[Any, ...]]]
"""What `Decoder` returns for each bucket of segments: arrays, or in training torch tensors."""


def uses_gpu(model: Model) -> bool:
    """Whether a model runs on an NVIDIA GPU: it was made after `spacy.require_gpu()`."""
    return isinstance(model.ops, CupyOps)


def batch_scale(model: Model) -> int:
    """How many times as much as on a processor a model computes at once.

    More on a GPU: a step of a recurrent network takes it as long for many sequences as for few.
    """
    return _TIMES_ON_GPU if uses_gpu(model) else 1


def make_buckets(lengths: Sequence[int], scale: int = 1, least: int = 1) -> list[Bucket]:
    """Group concatenated sequences of these lengths, all positive, into buckets.

    scale (int): How many times as many sequences as usual a bucket gets.
    least (int): Number of buckets, at least, if there are enough sequences of different lengths.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    starts = sizes.cumsum() - sizes
    buckets = []
    for chosen in by_length(sizes, min(scale * _BUCKET_SIZE, -(-len(sizes) // least))):
        step = np.arange(sizes[chosen[0]])[:, None]
        rows = starts[chosen] + np.minimum(step, sizes[chosen] - 1)
        buckets.append(Bucket(rows, sizes[chosen]))
    return buckets


def by_length(lengths: np.ndarray, size: int = _BUCKET_SIZE) -> Iterator[np.ndarray]:
    """Indices of sequences of similar length, longest first; equal lengths stay together.

    size (int): Number of sequences to group, or more of the same length.
    """
    order = np.argsort(-lengths, kind="stable")
    ordered = lengths[order].tolist()
    start = 0
    for end in range(1, len(ordered) + 1):
        is_last = end == len(ordered)
        if is_last or (end - start >= size and ordered[end - 1] != ordered[end]):
            yield order[start:end]
            start = end
