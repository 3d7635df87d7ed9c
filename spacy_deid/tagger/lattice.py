"""Decoding of tag scores: exact Viterbi paths and marginals of a CRF, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..annotation.tagging import Scheme
from .blas import multiply
from .buckets import make_buckets

_MAX_UNCERTAINTY = 0.49  # one half, less a margin for rounding
_LEAST = np.finfo(np.float64).tiny ** 0.9  # its inverse times a transition is still finite


class Decoded(NamedTuple):
    """Tokens of the segments of a `Bucket`, segment by segment, and their tags.

    segments (np.ndarray): The segment of each token. *Shape:* `(n_tokens,)`
    steps (np.ndarray): Its place in the segment. *Shape:* `(n_tokens,)`
    tags (np.ndarray): Its tag. *Shape:* `(n_tokens,)`
    probabilities (np.ndarray): The probability of each tag. *Shape:* `(n_tokens, n_tags)`
    """

    segments: np.ndarray
    steps: np.ndarray
    tags: np.ndarray
    probabilities: np.ndarray


def decode(
    scores: tuple[np.ndarray, ...], lengths: np.ndarray, scheme: Scheme, least: float = 0.0
) -> Decoded:
    """The tags of tokens that may be in an entity; all others are plainly outside.

    scores (tuple): The score of each tag for each token, *Shape:* `(n_steps, n_segments, n_tags)`;
        then, from a CRF, its `transitions`, `start` and `end`. Without them, each token's tag is
        independent of the others.
    lengths (np.ndarray): Lengths of the segments, longest first.
    least (float): Probability of being in an entity from which on a token may be in one.
    """
    emissions = scores[0]
    lattice = Lattice.build(scores, lengths, scheme) if len(scores) > 1 else None
    odds = lattice.odds() if lattice else np.exp(emissions - emissions.max(2, keepdims=True))
    totals = odds.sum(2)
    is_open = odds[:, :, 0] <= (1 - least) * totals
    is_open &= np.arange(len(emissions))[:, None] < lengths
    segments, steps = np.nonzero(is_open.T)
    probabilities = odds[steps, segments] / totals[steps, segments, None]
    if lattice:
        tags = lattice.best_tags(segments, steps, probabilities)
    else:
        tags = emissions[steps, segments].argmax(1)
    return Decoded(segments, steps, tags, probabilities.astype(emissions.dtype))


@dataclass(frozen=True)
class Lattice:
    """Scores of a batch of sequences, laid out as in a `Bucket`; illegal transitions score -inf.

    emissions (np.ndarray): *Shape:* `(n_steps, n_sequences, n_tags)`, with any padding.
    lengths (np.ndarray): Lengths of the sequences, longest first. *Shape:* `(n_sequences,)`
    transitions (np.ndarray): *Shape:* `(n_tags, n_tags)`
    start, end (np.ndarray): Scores of the first and last tags. *Shape:* `(n_sequences, n_tags)`
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
        start, end = (np.tile(values, (len(lengths), 1)) for values in (start, end))
        return cls(emissions, lengths, transitions, start, end, scheme)

    @cached_property
    def running(self) -> list[int]:
        """Number of sequences still active at each step: always the first ones."""
        return (np.arange(len(self.emissions))[:, None] < self.lengths).sum(1).tolist()

    def odds(self) -> np.ndarray:
        """The marginals of each step, times some factor, by the forward-backward algorithm.

        In double precision: confident emissions that contradict each other can produce odds of 1 to
        1e40.
        RETURNS (np.ndarray): Undefined in padding. *Shape:* `(n_steps, n_sequences, n_tags)`.
        """
        emissions = np.exp(self.emissions - self.emissions.max(2, keepdims=True), dtype=np.float64)
        # No transition is exactly 0: some path must remain where emissions contradict each other.
        transitions, before, after = (
            np.maximum(np.exp(values, dtype=np.float64), _LEAST)
            for values in (self.transitions, self.start, self.end)
        )
        odds = np.ones_like(emissions)
        for step, n in enumerate(self.running):
            here = np.multiply(before[:n], emissions[step, :n], out=odds[step, :n])
            here *= 1 / here.sum(1, keepdims=True)
            multiply(here, transitions, out=before[:n])
        backwards = np.ascontiguousarray(transitions.T)
        for step, n in reversed([*enumerate(self.running)]):
            odds[step, :n] *= after[:n]
            here = np.multiply(emissions[step, :n], after[:n], out=emissions[step, :n])
            here *= 1 / here.sum(1, keepdims=True)
            multiply(here, backwards, out=after[:n])
        return odds

    def best_tags(
        self, segments: np.ndarray, steps: np.ndarray, probabilities: np.ndarray
    ) -> np.ndarray:
        """The tags of tokens in the best path, which is outside at all other tokens.

        Each run of tokens has a best path of its own. By the union bound, the path of each step's
        most probable tag has a probability of at least `1 - sum(1 - p)`; above one half, it is the
        best path. Viterbi runs only on the other runs.

        segments, steps, probabilities (np.ndarray): The tokens and their marginals, see `Decoded`.
        """
        tags = probabilities.argmax(1)
        is_first = (np.diff(segments, prepend=-1) != 0) | (np.diff(steps, prepend=-1) != 1)
        firsts = np.flatnonzero(is_first)
        lengths = np.diff(firsts, append=len(tags))
        doubt = np.add.reduceat(1 - probabilities.max(1), firsts) if len(tags) else lengths
        uncertain = doubt >= _MAX_UNCERTAINTY
        tokens = np.flatnonzero(np.repeat(uncertain, lengths))
        for bucket in make_buckets(lengths[uncertain].tolist()):
            rows = tokens[bucket.rows]
            runs = self._of_runs(segments[rows], steps[rows], bucket.lengths)
            for first, path in zip(rows[0].tolist(), runs.viterbi(), strict=True):
                tags[first : first + len(path)] = path
        return tags

    def _of_runs(self, segments: np.ndarray, steps: np.ndarray, lengths: np.ndarray) -> Lattice:
        """The lattice of runs of tokens between tokens that are outside, or ends of segments.

        segments, steps (np.ndarray): The tokens of each run. *Shape:* `(n_steps, n_runs)`
        """
        of, begin = segments[0], steps[0]
        is_after, is_before = begin[:, None] > 0, (begin + lengths < self.lengths[of])[:, None]
        return replace(
            self,
            emissions=self.emissions[steps, segments],
            lengths=lengths,
            start=np.where(is_after, self.transitions[0], self.start[of]),
            end=np.where(is_before, self.transitions[:, 0], self.end[of]),
        )

    def viterbi(self) -> list[np.ndarray]:
        """The best path of each sequence, by exact Viterbi decoding.

        Only legal transitions are computed: an opening tag follows a closing one, and a continuing
        tag follows B or I of its own type.
        RETURNS (list[np.ndarray]): Tags, *Shape:* `(length,)` each.
        """
        k = self.scheme.n_labels(len(self.transitions))
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
            ending = (score[n:] + self.end[n : len(score)]).argmax(1)
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
