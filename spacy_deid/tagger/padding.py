"""Concatenated sequences in padded buckets of similar length, for modules that run over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

_BUCKET_SIZE = 64


@dataclass(frozen=True)
class Bucket:
    """Some of the sequences, to be laid out time first and padded.

    starts (np.ndarray): First row of each sequence among the concatenated ones. *Shape:* `(n,)`
    sizes (np.ndarray): Lengths of the sequences. *Shape:* `(n,)`
    """

    starts: np.ndarray
    sizes: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """Rows of all its tokens, sequence by sequence. *Shape:* `(sum(sizes),)`"""
        return np.repeat(self.starts, self.sizes) + _positions(self.sizes)

    def sources(self, reverse: bool) -> np.ndarray:
        """Row for each padded place; padding, last, repeats a token. *Shape:* `(steps, n)`"""
        step = np.minimum(np.arange(self.sizes.max())[:, None], self.sizes - 1)
        return self.starts + (self.sizes - 1 - step if reverse else step)

    def places(self, reverse: bool) -> np.ndarray:
        """Place in the flattened padded layout for each of `rows`. *Shape:* `(sum(sizes),)`"""
        step = _positions(self.sizes)
        if reverse:
            step = np.repeat(self.sizes, self.sizes) - 1 - step
        return step * len(self.sizes) + np.repeat(np.arange(len(self.sizes)), self.sizes)


class Padding:
    """The buckets of a batch of concatenated sequences, and the way back into their order.

    lengths (np.ndarray): Lengths of the sequences, none of them 0. *Shape:* `(n_sequences,)`
    """

    def __init__(self, lengths: np.ndarray) -> None:
        offsets = np.cumsum(lengths) - lengths
        self.buckets = [Bucket(offsets[some], lengths[some]) for some in _buckets(lengths)]
        rows = np.concatenate([bucket.rows for bucket in self.buckets])
        self._back = np.empty_like(rows)
        self._back[rows] = np.arange(len(rows))

    def apply(
        self,
        run: Callable[[Tensor, np.ndarray], Tensor],
        inputs: Tensor,
        *,
        reverse: bool = False,
    ) -> Tensor:
        """Run a function of padded tensors over concatenated sequences.

        run (Callable): From `(steps, n, width)` and the lengths, `(n,)`, to `(steps, n, out)`.
        inputs (Tensor): *Shape:* `(sum(lengths), width)`
        reverse (bool): Whether it reads each sequence from its end.
        RETURNS (Tensor): Outputs in the order of `inputs`. *Shape:* `(sum(lengths), out)`
        """
        outputs, places, n_places = [], [], 0
        for bucket in self.buckets:
            sources = bucket.sources(reverse)
            padded = inputs.index_select(0, _index(sources.ravel(), inputs))
            outputs.append(run(padded.view(*sources.shape, -1), bucket.sizes).flatten(0, 1))
            places.append(n_places + bucket.places(reverse))
            n_places += sources.size
        back = np.concatenate(places)[self._back]
        return torch.cat(outputs).index_select(0, _index(back, inputs))


def _buckets(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Positions of sequences of similar length, longest first."""
    order = np.argsort(-lengths, kind="stable")
    start = 0
    for end in range(1, len(order) + 1):
        full = (
            end - start >= _BUCKET_SIZE
            and lengths[order[end - 1]] != lengths[order[end % len(order)]]
        )
        if full or end == len(order):
            yield order[start:end]
            start = end


def _positions(sizes: np.ndarray) -> np.ndarray:
    """0, 1, … within each sequence, concatenated."""
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _index(array: np.ndarray, like: Tensor) -> Tensor:
    return torch.from_numpy(array).to(like.device)
