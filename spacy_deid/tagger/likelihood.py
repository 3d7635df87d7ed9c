"""The CRF's log-likelihood, for training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor, nn

from ..annotation.tagging import Scheme
from .lattice import legal_moves
from .padding import is_inside


@dataclass(frozen=True)
class Likelihood:
    """Scores of a batch of sequences, laid out as in a `Bucket`; illegal transitions score -inf.

    emissions (Tensor): *Shape:* `(n_steps, n_sequences, n_tags)`, with any padding.
    lengths (Tensor): Lengths of the sequences, longest first. *Shape:* `(n_sequences,)`
    transitions, start, end (Tensor): *Shape:* `(n_tags, n_tags)`, `(n_tags,)`, `(n_tags,)`.
    """

    emissions: Tensor
    lengths: Tensor
    transitions: Tensor
    start: Tensor
    end: Tensor

    @classmethod
    def build(cls, scores: tuple[Tensor, ...], lengths: Tensor, scheme: Scheme) -> Likelihood:
        """Mask the illegal transitions among emissions and the CRF's parameters."""
        emissions, *parameters = scores
        legal = map(torch.from_numpy, legal_moves(scheme, emissions.shape[2]))
        transitions, start, end = (
            values.masked_fill(~allowed.to(values.device), -torch.inf)
            for values, allowed in zip(parameters, legal, strict=True)
        )
        return cls(emissions, lengths, transitions, start, end)

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

    def _sum_steps(self, values: Tensor) -> Tensor:
        return torch.where(self.inside, values, 0).sum(0)
