"""Padded batches of sequences of similar length, for recurrent modules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

_BUCKET_SIZE = 64


@dataclass(frozen=True)
class Bucket:
    """Some of the sequences of a batch, time-major and sorted by length, longest first.

    The sequences still active at a step are therefore always the first ones.

    rows (Tensor): Row of each step in the concatenated sequences; padding repeats a sequence's last
        row. *Shape:* `(n_steps, n_sequences)`
    lengths (Tensor): Lengths of the sequences. *Shape:* `(n_sequences,)`
    """

    rows: Tensor
    lengths: Tensor


def make_buckets(lengths: Sequence[int], device: torch.device) -> list[Bucket]:
    """Group concatenated sequences of these lengths, all positive, into buckets."""
    sizes = torch.tensor(lengths, dtype=torch.long)
    starts = sizes.cumsum(0) - sizes
    buckets = []
    for chosen in by_length(sizes):
        step = torch.arange(int(sizes[chosen[0]]))[:, None]
        rows = starts[chosen] + torch.minimum(step, sizes[chosen] - 1)
        buckets.append(Bucket(rows.to(device), sizes[chosen].to(device)))
    return buckets


def by_length(lengths: Tensor) -> Iterator[Tensor]:
    """Indices of sequences of similar length, longest first; equal lengths stay together."""
    order = lengths.argsort(descending=True, stable=True)
    ordered = lengths[order].tolist()
    start = 0
    for end in range(1, len(ordered) + 1):
        is_last = end == len(ordered)
        if is_last or (end - start >= _BUCKET_SIZE and ordered[end - 1] != ordered[end]):
            yield order[start:end]
            start = end


def is_inside(n_steps: int, lengths: Tensor) -> Tensor:
    """Mask that is False for padding. *Shape:* `(n_steps, n_sequences)`"""
    return torch.arange(n_steps, device=lengths.device)[:, None] < lengths


def reverse(sequences: Tensor, lengths: Tensor) -> Tensor:
    """Reverse each sequence; its padding stays at the end. *Shape:* `(n_steps, n, width)`"""
    n_steps, n, _ = sequences.shape
    step = torch.arange(n_steps, device=lengths.device)[:, None]
    steps = torch.where(step < lengths, lengths - 1 - step, step)
    places = steps * n + torch.arange(n, device=lengths.device)
    return sequences.flatten(0, 1).index_select(0, places.flatten()).view_as(sequences)
