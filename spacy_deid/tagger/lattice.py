"""Decoding of tag scores: exact Viterbi paths and marginals of a CRF, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..annotation.tagging import Scheme
from .blas import multiply

Decoded = Iterator[tuple[np.ndarray, np.ndarray]]
"""The tags of each segment and their probabilities, `(length,)` and `(length, n_tags)`."""

_MAX_UNCERTAINTY = 0.49  # one half, less a margin for rounding
_LEAST = np.finfo(np.float64).tiny ** 0.9  # its inverse times a transition is still finite


def decode(scores: tuple[np.ndarray, ...], lengths: np.ndarray, scheme: Scheme) -> Decoded:
    """The tags of each segment of a `Bucket`, and the probability of each tag at each token.

    scores (tuple): The score of each tag for each token, *Shape:* `(n_steps, n_segments, n_tags)`;
        then, from a CRF, its `transitions`, `start` and `end`. Without them, each token's tag is
        independent of the others.
    """
    if len(scores) > 1:
        lattice = Lattice.build(scores, lengths, scheme)
        probabilities = lattice.marginals()
        paths = lattice.best_paths(probabilities)
    else:
        (emissions,) = scores
        probabilities = np.exp(emissions - emissions.max(2, keepdims=True))
        probabilities /= probabilities.sum(2, keepdims=True)
        paths = _unpad(emissions.argmax(2), lengths)
    for column, path in enumerate(paths):
        yield path, probabilities[: len(path), column]


@dataclass(frozen=True)
class Lattice:
    """Scores of a batch of sequences, laid out as in a `Bucket`; illegal transitions score -inf.

    emissions (np.ndarray): *Shape:* `(n_steps, n_sequences, n_tags)`, with any padding.
    lengths (np.ndarray): Lengths of the sequences, longest first. *Shape:* `(n_sequences,)`
    transitions, start, end (np.ndarray): *Shape:* `(n_tags, n_tags)`, `(n_tags,)`, `(n_tags,)`.
    scheme (Scheme): Defines the legal transitions.
    """

    emissions: np.ndarray
    lengths: np.ndarray
    transitions: np.ndarray
    start: np.ndarray
    end: np.ndarray
    scheme: Scheme

    @classmethod
    def build(cls, scores: tuple[np.ndarray, ...], lengths: np.ndarray, scheme: Scheme) -> Lattice:
        """Mask the illegal transitions among emissions and a CRF's parameters."""
        emissions, *parameters = scores
        legal = legal_moves(scheme, emissions.shape[2])
        transitions, start, end = (
            np.where(allowed, values, -np.inf).astype(emissions.dtype)
            for values, allowed in zip(parameters, legal, strict=True)
        )
        return cls(emissions, lengths, transitions, start, end, scheme)

    @cached_property
    def running(self) -> list[int]:
        """Number of sequences still active at each step: always the first ones."""
        return self._inside.sum(1).tolist()

    def marginals(self) -> np.ndarray:
        """Probability of each tag at each step, by the forward-backward algorithm.

        In double precision: confident emissions that contradict each other can produce odds of 1 to
        1e40.
        RETURNS (np.ndarray): Undefined in padding. *Shape:* `(n_steps, n_sequences, n_tags)`.
        """
        emissions = np.exp(self.emissions - self.emissions.max(2, keepdims=True), dtype=np.float64)
        # No transition is exactly 0: some path must remain where emissions contradict each other.
        transitions, start, end = (
            np.maximum(np.exp(values, dtype=np.float64), _LEAST)
            for values in (self.transitions, self.start, self.end)
        )
        marginals = np.ones_like(emissions)
        before = np.tile(start, (len(self.lengths), 1))
        for step, n in enumerate(self.running):
            here = np.multiply(before[:n], emissions[step, :n], out=marginals[step, :n])
            here /= here.sum(1, keepdims=True)
            multiply(here, transitions, out=before[:n])
        after = np.tile(end, (len(self.lengths), 1))
        backwards = np.ascontiguousarray(transitions.T)
        for step, n in reversed([*enumerate(self.running)]):
            marginals[step, :n] *= after[:n]
            here = np.multiply(emissions[step, :n], after[:n], out=emissions[step, :n])
            here /= here.sum(1, keepdims=True)
            multiply(here, backwards, out=after[:n])
        marginals /= marginals.sum(2, keepdims=True)
        return marginals.astype(self.emissions.dtype)

    def best_paths(self, marginals: np.ndarray) -> list[np.ndarray]:
        """The exact best path of each sequence; Viterbi runs only where it may be needed.

        By the union bound, the path of each step's most probable tag has a probability of at least
        `1 - sum(1 - p)`; above one half, it is the best path.

        marginals (np.ndarray): The result of `marginals`.
        """
        paths = _unpad(marginals.argmax(2), self.lengths)
        doubt = np.where(self._inside, 1 - marginals.max(2), 0).sum(0)
        columns = np.flatnonzero(doubt >= _MAX_UNCERTAINTY)
        if len(columns):
            lengths = self.lengths[columns]
            emissions = self.emissions[: lengths[0], columns]
            uncertain = replace(self, emissions=emissions, lengths=lengths)
            for column, path in zip(columns.tolist(), uncertain.viterbi(), strict=True):
                paths[column] = path
        return paths

    def viterbi(self) -> list[np.ndarray]:
        """The best path of each sequence, by exact Viterbi decoding.

        Only legal transitions are computed: an opening tag follows a closing one, and a continuing
        tag follows B or I of its own type.
        RETURNS (list[np.ndarray]): Tags, *Shape:* `(length,)` each.
        """
        k = self.scheme.n_labels(len(self.start))
        opening, closing, entered = (
            np.asarray(tags)
            for tags in (self.scheme.opening(k), self.scheme.closing(k), self.scheme.continuing(k))
        )
        jumps = self.transitions[closing][:, opening]
        begun = 1 + (entered - 1) % k  # the B tag of each type; its I tag is k further
        from_begin = self.transitions[begun, entered]
        from_inside = self.transitions[begun + k, entered]
        score = self.start + self.emissions[0]
        scores = [score]
        for n, emitted in zip(self.running[1:], self.emissions[1:], strict=True):
            before = score[:n]
            score = np.empty_like(before)
            score[:, opening] = (before[:, closing, None] + jumps).max(1)
            score[:, entered] = np.maximum(
                before[:, begun] + from_begin, before[:, begun + k] + from_inside
            )
            score += emitted[:n]
            scores.append(score)
        return self._trace(scores)

    @cached_property
    def _inside(self) -> np.ndarray:
        """False for padding. *Shape:* `(n_steps, n_sequences)`"""
        return np.arange(len(self.emissions))[:, None] < self.lengths

    def _trace(self, scores: list[np.ndarray]) -> list[np.ndarray]:
        """Trace the best paths back, from the score of the best path to each tag at each step.

        Back-pointers are computed here, for the tags of one path only; storing them for all tags
        in the forward pass took several times as long.
        """
        tags = np.zeros(self.emissions.shape[:2], dtype=np.int64)
        moves_to = np.ascontiguousarray(self.transitions.T)
        later = tags[0, :0]
        for step, score in reversed([*enumerate(scores)]):
            n = len(later)
            moving = (score[:n] + moves_to[later]).argmax(1)
            ending = (score[n:] + self.end).argmax(1)
            later = tags[step, : len(score)] = np.concatenate([moving, ending])
        return _unpad(tags, self.lengths)


def legal_moves(scheme: Scheme, n_tags: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The legal transitions from row to column, first tags and last tags, as boolean arrays."""
    n_labels = scheme.n_labels(n_tags)
    opens, closes = np.zeros((2, n_tags), dtype=bool)
    opens[scheme.opening(n_labels)] = True
    closes[scheme.closing(n_labels)] = True
    moves = closes[:, None] & opens[None]
    for tag in scheme.continuing(n_labels):
        begin = 1 + (tag - 1) % n_labels
        moves[[begin, begin + n_labels], tag] = True
    return moves, opens, closes


def _unpad(tags: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """The tags of each sequence without padding."""
    return [column[:length] for column, length in zip(tags.T, lengths.tolist(), strict=True)]
