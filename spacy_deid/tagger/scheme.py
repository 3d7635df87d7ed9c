"""Tagging schemes: PHI spans as one tag per token.

With `K` PHI types, tag 0 is O, followed by `K` tags for each prefix of the scheme, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Scheme:
    """A tagging scheme.

    prefixes (str): Prefixes of its tags: the first (B), an inner (I), the last (L) or the only (U)
        token of an entity (E and S of BIOES are L and U here, as in spaCy).
    last (str): The prefixes with which an entity may end.
    """

    prefixes: str
    last: str

    def tag_names(self, labels: Sequence[str]) -> list[str]:
        """The tags for these PHI types, in the order of the model's outputs."""
        return ["O", *(f"{prefix}-{label}" for prefix in self.prefixes for label in labels)]

    def n_tags(self, n_labels: int) -> int:
        """Number of tags."""
        return 1 + len(self.prefixes) * n_labels

    def n_labels(self, n_tags: int) -> int:
        """Number of PHI types for this number of tags."""
        return (n_tags - 1) // len(self.prefixes)

    def tags(self, prefixes: str, n_labels: int) -> list[int]:
        """The tags with these prefixes, in that order; prefixes not in the scheme are ignored."""
        places = [self.prefixes.index(prefix) for prefix in prefixes if prefix in self.prefixes]
        return [1 + place * n_labels + label for place in places for label in range(n_labels)]

    def opening(self, n_labels: int) -> list[int]:
        """Tags that may come first: O and those that begin an entity."""
        return [0, *self.tags("BU", n_labels)]

    def closing(self, n_labels: int) -> list[int]:
        """Tags that may come last: O and those that may end an entity."""
        return [0, *self.tags(self.last, n_labels)]

    def continuing(self, n_labels: int) -> list[int]:
        """Tags that continue an entity; only B and I of the same type may precede them."""
        return self.tags("IL", n_labels)

    def legal_moves(self, n_labels: int) -> tuple[Tensor, Tensor, Tensor]:
        """The legal transitions, first tags and last tags.

        RETURNS (tuple): Boolean tensors: transitions from row to column, *Shape:*
            `(n_tags, n_tags)`; first tags and last tags, *Shape:* `(n_tags,)`.
        """
        n_tags = self.n_tags(n_labels)
        opens, closes = torch.zeros(2, n_tags, dtype=torch.bool)
        opens[self.opening(n_labels)] = True
        closes[self.closing(n_labels)] = True
        moves = closes[:, None] & opens[None]
        for tag in self.continuing(n_labels):
            label = (tag - 1) % n_labels
            moves[[1 + label, 1 + n_labels + label], tag] = True
        return moves, opens, closes

    def from_gold(self, tags: np.ndarray, n_labels: int) -> np.ndarray:
        """Convert BIOES gold tags to this scheme; unknown (-1) and O stay as they are."""
        names = [p if p in self.prefixes else {"L": "I", "U": "B"}[p] for p in "BILU"]
        places = np.asarray([self.prefixes.index(name) for name in names])
        prefix, label = np.divmod(tags - 1, n_labels)
        return np.where(tags > 0, 1 + places[prefix] * n_labels + label, tags)

    def spans(self, path: np.ndarray, n_labels: int) -> Iterator[tuple[int, int, int]]:
        """First token, one past the last, and label of each entity on a path of tags.

        Every tag but O is part of an entity even on an illegal path, so no tagged token is dropped:
        a tag that cannot continue the current entity begins another.
        """
        start = end = label = 0
        may_go_on = False
        for position in np.flatnonzero(path).tolist():
            place, next_label = divmod(int(path[position]) - 1, n_labels)
            prefix = self.prefixes[place]
            if not (may_go_on and position == end and label == next_label and prefix in "IL"):
                if end > start:
                    yield start, end, label
                start, label = position, next_label
            end = position + 1
            may_go_on = prefix in "BI"
        if end > start:
            yield start, end, label


SCHEMES = {"BIOES": Scheme("BILU", "LU"), "BIO": Scheme("BI", "BI")}
"""The schemes by their names in a config."""
