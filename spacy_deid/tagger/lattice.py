"""The CRF's lattice: log-likelihood, exact Viterbi decoding and marginals.

All functions take sequences sorted by falling length and laid out time first, so that the sequences
still running at a step are always the first ones and nothing needs a mask.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from .scheme import Scheme

_SURE = 0.49  # a little below one half, for rounding


@dataclass(frozen=True)
class Layout:
    """How concatenated sequences are laid out, longest first and time first.

    index (Tensor): Row of each step of each sequence; -1 where it is over.
        *Shape:* `(n_steps, n_sequences)`
    running (list[int]): Number of sequences still running at each step; never grows.
    order (np.ndarray): The position of each column's sequence among the given ones.
        *Shape:* `(n_sequences,)`
    """

    index: Tensor
    running: list[int]
    order: np.ndarray

    @classmethod
    def of(cls, lengths: list[int], device: torch.device) -> Layout:
        """The layout of sequences of these lengths, none of them 0."""
        sizes = np.asarray(lengths)
        order = np.argsort(-sizes, kind="stable")
        offsets = (np.cumsum(sizes) - sizes)[order]
        step = np.arange(sizes.max())[:, None]
        alive = step < sizes[order][None]
        index = torch.from_numpy(np.where(alive, offsets[None] + step, -1)).to(device)
        return cls(index, alive.sum(1).tolist(), order)


@dataclass(frozen=True)
class Lattice:
    """Emissions and transition scores of a batch of sequences; impossible moves score -inf.

    emissions (Tensor): *Shape:* `(n_steps, n_sequences, n_tags)`, padded anyhow.
    running (list[int]): Number of sequences still running at each step; never grows.
    transitions, start, end (Tensor): *Shape:* `(n_tags, n_tags)`, `(n_tags,)`, `(n_tags,)`.
    scheme (Scheme): Says which moves are possible.
    """

    emissions: Tensor
    running: list[int]
    transitions: Tensor
    start: Tensor
    end: Tensor
    scheme: Scheme

    @classmethod
    def build(
        cls,
        emissions: Tensor,
        running: list[int],
        transitions: Tensor,
        start: Tensor,
        end: Tensor,
        scheme: Scheme,
    ) -> Lattice:
        """A lattice from the CRF's parameters; here the impossible moves are forbidden."""
        moves, opens, closes = scheme.legal_moves(scheme.n_labels(len(start)))
        forbid = -torch.inf
        return cls(
            emissions,
            running,
            transitions.masked_fill(~moves.to(transitions.device), forbid),
            start.masked_fill(~opens.to(start.device), forbid),
            end.masked_fill(~closes.to(end.device), forbid),
            scheme,
        )

    def log_partition(self) -> Tensor:
        """Log of the summed exponentiated scores of all paths. *Shape:* `(n_sequences,)`

        The forward recursion, with one matrix product a step: scores are exponentiated for it
        relative to the best of their step, which equals log-sum-exp and is much faster. In double
        precision, as confident emissions that contradict each other make for odds of 1 to 1e40;
        but for Apple's GPUs, which have none.
        """
        wide = torch.float32 if self.start.device.type == "mps" else torch.float64
        least = torch.finfo(wide).tiny ** 0.9  # its inverse, times a transition, is still a number
        transitions = self.transitions.to(wide).exp()
        # Unbound, because the gradient of a slice would be a zero tensor of full size at each step.
        emissions = self.emissions.unbind(0)
        score = self.start + emissions[0]
        offset = torch.zeros_like(score[:, 0])
        finished: list[Tensor] = []
        for step in range(1, len(self.running)):
            n = self.running[step]
            if n < len(score):
                finished.append((score[n:] + self.end).logsumexp(1) + offset[n:])
            best = score[:n].detach().amax(1, keepdim=True)
            reached = (score[:n] - best).to(wide).exp() @ transitions
            score = reached.clamp_min(least).log().to(best.dtype) + emissions[step][:n]
            offset = offset[:n] + best.squeeze(1)
        finished.append((score + self.end).logsumexp(1) + offset)
        return torch.cat(finished[::-1])

    def score(self, tags: Tensor) -> Tensor:
        """Score of one path a sequence.

        tags (Tensor): *Shape:* `(n_steps, n_sequences)`, padded with any tag.
        RETURNS (Tensor): *Shape:* `(n_sequences,)`.
        """
        emitted = self.emissions.gather(2, tags[:, :, None]).squeeze(2)
        moved = torch.zeros_like(emitted)
        moved[1:] = self._masked(self.transitions[tags[:-1], tags[1:]], self.running[1:])
        lengths = self.lengths()
        last = tags[lengths - 1, torch.arange(tags.shape[1], device=tags.device)]
        return self.start[tags[0]] + self._sum_running(emitted) + moved.sum(0) + self.end[last]

    def marginals(self) -> Tensor:
        """Probability of each tag at each step: the gradient of the log partition.

        RETURNS (Tensor): *Shape:* `(n_steps, n_sequences, n_tags)`.
        """
        with torch.enable_grad():
            emissions = self.emissions.detach().requires_grad_()
            partition = replace(self, emissions=emissions).log_partition()
            (gradient,) = torch.autograd.grad(partition.sum(), emissions)
        return gradient

    def best_paths(self, marginals: Tensor) -> list[np.ndarray]:
        """The best path of each sequence, exactly, searched for only where there is doubt.

        The path of each step's likeliest tag has at least the probability `1 - sum(1 - p)`, by the
        union bound; above one half it is the best.

        marginals (Tensor): What `marginals` gives.
        RETURNS (list[np.ndarray]): Tags, *Shape:* `(length,)` each.
        """
        likeliest, tags = marginals.max(2)
        doubted = torch.nonzero(self._sum_running(1 - likeliest) >= _SURE).flatten()
        lengths = self.lengths().tolist()
        paths = [row[:length] for row, length in zip(tags.T.cpu().numpy(), lengths, strict=True)]
        if len(doubted):
            for column, path in zip(doubted.tolist(), self._only(doubted).viterbi(), strict=True):
                paths[column] = path
        return paths

    def viterbi(self) -> list[np.ndarray]:
        """The best path of each sequence, exactly.

        Uses what the scheme forbids: an opening tag can only follow a closing one, and one that
        goes on only B or I of its own type, which leaves few of the moves to look at.
        RETURNS (list[np.ndarray]): Tags, *Shape:* `(length,)` each.
        """
        n_tags = self.emissions.shape[2]
        k = self.scheme.n_labels(n_tags)
        opening, closing, entered = (
            torch.tensor(tags, device=self.emissions.device)
            for tags in (self.scheme.opening(k), self.scheme.closing(k), self.scheme.continuing(k))
        )
        jumps = self.transitions[closing][:, opening]
        begun = 1 + (entered - 1) % k  # the B tag of each type; its I tag comes k later
        continued = begun + k
        from_begin = self.transitions[begun, entered]
        from_inside = self.transitions[continued, entered]
        score = self.start + self.emissions[0]
        scores = [score]
        for step in range(1, len(self.running)):
            before = score[: self.running[step]]
            via_begin = before[:, begun] + from_begin
            via_inside = before[:, continued] + from_inside
            score = torch.empty_like(before)
            score[:, opening] = (before[:, closing, None] + jumps).amax(1)
            score[:, entered] = torch.maximum(via_begin, via_inside)
            score += self.emissions[step, : len(score)]
            scores.append(score)
        return self._trace(scores)

    def lengths(self) -> Tensor:
        """Length of each sequence. *Shape:* `(n_sequences,)`"""
        running = torch.tensor(self.running, device=self.emissions.device)
        order = torch.arange(self.running[0], device=self.emissions.device)
        return (running[:, None] > order[None]).sum(0)

    def _only(self, columns: Tensor) -> Lattice:
        """The lattice of some of the sequences, in the same order."""
        lengths = self.lengths()[columns]
        running = [int((lengths > step).sum()) for step in range(int(lengths[0]))]
        emissions = self.emissions[: len(running), columns]
        return replace(self, emissions=emissions, running=running)

    def _trace(self, scores: list[Tensor]) -> list[np.ndarray]:
        """The paths that lead to the best scores.

        Which move led to a score is found here, on the way back, for the tags of one path; noting
        it on the way ahead, for all tags, took several times as long.
        scores (list[Tensor]): Of the best path to each tag, by step. *Shape:* `(running, n_tags)`
        """
        steps: list[Tensor] = []
        moves_to = self.transitions.T
        later = torch.empty(0, dtype=torch.long, device=self.emissions.device)
        for score in reversed(scores):
            n = len(later)
            going_on = (score[:n] + moves_to[later]).argmax(1)
            ending = (score[n:] + self.end).argmax(1)
            later = torch.cat([going_on, ending])
            steps.append(later)
        tags = nn.utils.rnn.pad_sequence(steps[::-1], batch_first=True).T.cpu().numpy()
        return [row[:n] for row, n in zip(tags, self.lengths().tolist(), strict=True)]

    def _masked(self, values: Tensor, running: list[int]) -> Tensor:
        order = torch.arange(values.shape[1], device=values.device)
        alive = torch.tensor(running, device=values.device)[:, None] > order[None]
        return torch.where(alive, values, torch.zeros_like(values))

    def _sum_running(self, values: Tensor) -> Tensor:
        return self._masked(values, self.running).sum(0)


def negative_log_likelihood(lattice: Lattice, tags: Tensor) -> Tensor:
    """Mean negative log-likelihood of the gold tags.

    Where the gold is unknown (-1), all tags count: the likelihood is summed over every path that
    agrees with what is known (Tsuboi et al. 2008).
    tags (Tensor): *Shape:* `(n_steps, n_sequences)`.
    """
    known = tags >= 0
    if bool(known.all()):
        gold = lattice.score(tags)
    else:
        n_tags = lattice.emissions.shape[2]
        wrong = nn.functional.one_hot(tags.clamp(min=0), n_tags) == 0
        agreeing = lattice.emissions.masked_fill(wrong & known[:, :, None], -torch.inf)
        gold = replace(lattice, emissions=agreeing).log_partition()
    return (lattice.log_partition() - gold).mean()
