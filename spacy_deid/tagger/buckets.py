"""Padded batches of sequences of similar length, for recurrent networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_BUCKET_SIZE = 64


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


def make_buckets(lengths: Sequence[int]) -> list[Bucket]:
    """Group concatenated sequences of these lengths, all positive, into buckets."""
    sizes = np.asarray(lengths, dtype=np.int64)
    starts = sizes.cumsum() - sizes
    buckets = []
    for chosen in by_length(sizes):
        step = np.arange(sizes[chosen[0]])[:, None]
        rows = starts[chosen] + np.minimum(step, sizes[chosen] - 1)
        buckets.append(Bucket(rows, sizes[chosen]))
    return buckets


def by_length(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Indices of sequences of similar length, longest first; equal lengths stay together."""
    order = np.argsort(-lengths, kind="stable")
    ordered = lengths[order].tolist()
    start = 0
    for end in range(1, len(ordered) + 1):
        is_last = end == len(ordered)
        if is_last or (end - start >= _BUCKET_SIZE and ordered[end - 1] != ordered[end]):
            yield order[start:end]
            start = end
