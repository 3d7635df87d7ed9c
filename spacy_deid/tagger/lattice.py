"""The CRF's lattice: log-likelihood, exact Viterbi decoding and marginals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

from ..annotation.tagging import Scheme
from .buckets import is_inside

_MAX_UNCERTAINTY = 0.49  # one half, less a margin for rounding


@dataclass(frozen=True)
class Lattice:
    """Scores of a batch of sequences, laid out as in a `Bucket`; illegal transitions score -inf.

    emissions (Tensor): *Shape:* `(n_steps, n_sequences, n_tags)`, with any padding.
    lengths (Tensor): Lengths of the sequences, longest first. *Shape:* `(n_sequences,)`
    transitions, start, end (Tensor): *Shape:* `(n_tags, n_tags)`, `(n_tags,)`, `(n_tags,)`.
    scheme (Scheme): Defines the legal transitions.
    """

    emissions: Tensor
    lengths: Tensor
    transitions: Tensor
    start: Tensor
    end: Tensor
    scheme: Scheme

    @classmethod
    def build(cls, scores: tuple[Tensor, ...], lengths: Tensor, scheme: Scheme) -> Lattice:
        """Mask the illegal transitions among emissions and the CRF's parameters."""
        emissions, *parameters = scores
        legal = legal_moves(scheme, emissions.shape[2])
        transitions, start, end = (
            values.masked_fill(~allowed.to(values.device), -torch.inf)
            for values, allowed in zip(parameters, legal, strict=True)
        )
        return cls(emissions, lengths, transitions, start, end, scheme)

    @cached_property
    def inside(self) -> Tensor:
        """False for padding. *Shape:* `(n_steps, n_sequences)`"""
        return is_inside(len(self.emissions), self.lengths)

    @cached_property
    def running(self) -> list[int]:
        """Number of sequences still active at each step: always the first ones."""
        return self.inside.sum(1).tolist()

    def negative_log_likelihood(self, tags: Tensor) -> Tensor:
        """Negative log-likelihood of the gold tags, summed over the sequences.

        With unknown gold tags (-1), the likelihood is summed over all paths that agree with the
        known ones (Tsuboi et al. 2008).
        tags (Tensor): *Shape:* `(n_steps, n_sequences)`.
        """
        known = tags >= 0
        if bool(known.all()):
            gold = self.score(tags)
        else:
            wrong = nn.functional.one_hot(tags.clamp(min=0), self.emissions.shape[2]) == 0
            agreeing = self.emissions.masked_fill(wrong & known[:, :, None], -torch.inf)
            gold = replace(self, emissions=agreeing).log_partition()
        return (self.log_partition() - gold).sum()

    def log_partition(self) -> Tensor:
        """Log partition function. *Shape:* `(n_sequences,)`

        The forward algorithm, with one matrix product per step: scores are exponentiated relative
        to the maximum of the step, which equals log-sum-exp and is much faster.
        """
        transitions = self.transitions.to(self._wide).exp()
        # Unbound, since the gradient of each slice would be a full-size tensor of zeros.
        emissions = self.emissions.unbind(0)
        score = self.start + emissions[0]
        offset = torch.zeros_like(score[:, 0])
        finished: list[Tensor] = []
        for n, emitted in zip(self.running[1:], emissions[1:], strict=True):
            if n < len(score):
                finished.append((score[n:] + self.end).logsumexp(1) + offset[n:])
            best = score[:n].detach().amax(1, keepdim=True)
            reached = (score[:n] - best).to(self._wide).exp() @ transitions
            score = reached.clamp_min(self._least).log().to(best.dtype) + emitted[:n]
            offset = offset[:n] + best.squeeze(1)
        finished.append((score + self.end).logsumexp(1) + offset)
        return torch.cat(finished[::-1])

    def score(self, tags: Tensor) -> Tensor:
        """Score of one path per sequence, given its tags padded with any tag."""
        scores = self.emissions.gather(2, tags[:, :, None]).squeeze(2)
        moves = self.transitions[tags[:-1], tags[1:]]
        scores = scores + torch.cat([self.start[tags[:1]], moves])
        last = tags.gather(0, self.lengths[None] - 1)[0]
        return self._sum_steps(scores) + self.end[last]

    @torch.no_grad()
    def marginals(self) -> Tensor:
        """Probability of each tag at each step, by the forward-backward algorithm.

        RETURNS (Tensor): Undefined in padding. *Shape:* `(n_steps, n_sequences, n_tags)`.
        """
        best = self.emissions.amax(2, keepdim=True)
        emissions = (self.emissions - best).to(self._wide).exp()
        # No transition is exactly 0: some path must remain where emissions contradict each other.
        transitions, start, end = (
            values.to(self._wide).exp().clamp_min(self._least)
            for values in (self.transitions, self.start, self.end)
        )
        marginals = torch.ones_like(emissions)
        before = start.expand_as(emissions[0])
        for step, n in enumerate(self.running):
            here = torch.mul(before[:n], emissions[step, :n], out=marginals[step, :n])
            here /= here.sum(1, keepdim=True)
            before = here @ transitions
        after = end.repeat(len(self.lengths), 1)
        for step, n in reversed([*enumerate(self.running)]):
            marginals[step, :n] *= after[:n]
            here = emissions[step, :n] * after[:n]
            here /= here.sum(1, keepdim=True)
            torch.mm(here, transitions.T, out=after[:n])
        marginals /= marginals.sum(2, keepdim=True)
        return marginals.to(self.emissions.dtype)

    def best_paths(self, marginals: Tensor) -> list[np.ndarray]:
        """The exact best path of each sequence; Viterbi runs only where it may be needed.

        By the union bound, the path of each step's most probable tag has a probability of at least
        `1 - sum(1 - p)`; above one half, it is the best path.

        marginals (Tensor): The result of `marginals`.
        """
        highest, tags = marginals.max(2)
        columns = torch.nonzero(self._sum_steps(1 - highest) >= _MAX_UNCERTAINTY).flatten()
        paths = self._unpad(tags)
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
        k = self.scheme.n_labels(self.emissions.shape[2])
        opening, closing, entered = (
            torch.tensor(tags, device=self.emissions.device)
            for tags in (self.scheme.opening(k), self.scheme.closing(k), self.scheme.continuing(k))
        )
        jumps = self.transitions[closing][:, None, opening]
        begun = 1 + (entered - 1) % k  # the B tag of each type; its I tag is k further
        continued = begun + k
        from_begin = self.transitions[begun, entered]
        from_inside = self.transitions[continued, entered]
        score = self.start + self.emissions[0]
        scores = [score]
        for n, emitted in zip(self.running[1:], self.emissions[1:], strict=True):
            before = score[:n]
            via_begin = before[:, begun] + from_begin
            via_inside = before[:, continued] + from_inside
            score = torch.empty_like(before)
            score[:, opening] = _largest(before.T[closing, :, None] + jumps)
            score[:, entered] = torch.maximum(via_begin, via_inside)
            score += emitted[:n]
            scores.append(score)
        return self._trace(scores)

    @property
    def _wide(self) -> torch.dtype:
        """Double precision, except on Apple's GPUs, which do not support it.

        Confident emissions that contradict each other can produce odds of 1 to 1e40.
        """
        return torch.float32 if self.start.device.type == "mps" else torch.float64

    @property
    def _least(self) -> float:
        """Nearly the smallest number; its inverse times a transition is still finite."""
        return torch.finfo(self._wide).tiny ** 0.9

    def _trace(self, scores: list[Tensor]) -> list[np.ndarray]:
        """Trace the best paths back, from the score of the best path to each tag at each step.

        Back-pointers are computed here, for the tags of one path only; storing them for all tags
        in the forward pass took several times as long.
        """
        steps: list[Tensor] = []
        moves_to = self.transitions.T
        later = torch.empty(0, dtype=torch.long, device=self.emissions.device)
        for score in reversed(scores):
            n = len(later)
            moving = (score[:n] + moves_to[later]).argmax(1)
            ending = (score[n:] + self.end).argmax(1)
            later = torch.cat([moving, ending])
            steps.append(later)
        return self._unpad(nn.utils.rnn.pad_sequence(steps[::-1], batch_first=True))

    def _unpad(self, tags: Tensor) -> list[np.ndarray]:
        """The tags of each sequence without padding."""
        columns = zip(tags.T.cpu().numpy(), self.lengths.tolist(), strict=True)
        return [column[:length] for column, length in columns]

    def _sum_steps(self, values: Tensor) -> Tensor:
        return torch.where(self.inside, values, 0).sum(0)


def _largest(values: Tensor) -> Tensor:
    """The maximum over the first dimension; overwrites `values`.

    Halving takes a third of the time of `torch.amax` on a CPU.
    """
    while len(values) > 1:
        half = len(values) // 2
        torch.maximum(values[:half], values[-half:], out=values[:half])
        values = values[: len(values) - half]
    return values[0]


def legal_moves(scheme: Scheme, n_tags: int) -> tuple[Tensor, Tensor, Tensor]:
    """The legal transitions from row to column, first tags and last tags, as boolean tensors."""
    n_labels = scheme.n_labels(n_tags)
    opens, closes = torch.zeros(2, n_tags, dtype=torch.bool)
    opens[scheme.opening(n_labels)] = True
    closes[scheme.closing(n_labels)] = True
    moves = closes[:, None] & opens[None]
    for tag in scheme.continuing(n_labels):
        begin = 1 + (tag - 1) % n_labels
        moves[[begin, begin + n_labels], tag] = True
    return moves, opens, closes
