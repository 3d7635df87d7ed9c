"""Decoders: from encodings to tag scores, their loss against the gold, and PHI with confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from spacy.util import registry
from thinc.api import ArgsKwargs, Model, torch2xp, xp2torch
from thinc.types import Floats2d, FloatsXd
from torch import Tensor, nn

from .lattice import Lattice, Layout, negative_log_likelihood
from .scheme import SCHEMES
from .torch_layer import Pieces, SizedModule, flatten_sequences, torch_module, wrap_module


@dataclass(frozen=True)
class TagScores:
    """What a decoder's model says of a batch of segments (and the gradient of it).

    lengths (list[int]): Tokens of each segment.
    arrays (tuple[FloatsXd, ...]): First the score of each tag for each token, *Shape:*
        `(sum(lengths), n_tags)`, then whatever else the decoder needs.
    """

    lengths: list[int]
    arrays: tuple[FloatsXd, ...]

    def tensors(self, requires_grad: bool = False) -> tuple[Tensor, ...]:
        """The arrays as torch tensors."""
        return tuple(xp2torch(array, requires_grad=requires_grad) for array in self.arrays)


DecoderModel = Model[list[Floats2d], TagScores]


@registry.architectures("spacy_deid.CrfDecoder.v1")
def build_crf_decoder(*, scheme: str = "BIOES", feed_forward: bool = True) -> DecoderModel:
    """A linear-chain conditional random field (Lafferty et al. 2001) over tag scores.

    Decodes the best possible sequence of tags exactly; confidences are marginals.

    scheme (str): "BIOES" or "BIO".
    feed_forward (bool): Whether a tanh layer stands before the tag scores, as in Dernoncourt et al.
        2017.
    """
    return _wrap("crf_decoder", CrfDecoder(scheme, feed_forward))


@registry.architectures("spacy_deid.SoftmaxDecoder.v1")
def build_softmax_decoder(*, scheme: str = "BIOES", feed_forward: bool = False) -> DecoderModel:
    """Each token's tag by itself.

    Impossible sequences are read so that nothing tagged is dropped (`Scheme.spans`).

    scheme (str): "BIOES" or "BIO".
    feed_forward (bool): Whether a tanh layer stands before the tag scores.
    """
    return _wrap("softmax_decoder", SoftmaxDecoder(scheme, feed_forward))


@registry.architectures("spacy_deid.JordanDecoder.v1")
def build_jordan_decoder(*, scheme: str = "BIOES", hidden_width: int = 100) -> DecoderModel:
    """A recurrent network whose hidden layer sees its own last output (Jordan 1986).

    `h_t = tanh(W x_t + V y_{t-1} + b)`, `y_t = softmax(U h_t + c)`, with `y_0 = 0`; training, too,
    feeds back the network's own outputs. Otherwise as `SoftmaxDecoder.v1`.

    scheme (str): "BIOES" or "BIO".
    hidden_width (int): Width of the hidden layer.
    """
    return _wrap("jordan_decoder", JordanDecoder(scheme, hidden_width))


class Decoder(SizedModule):
    """The torch side of a decoder: its layers, its loss, and its reading of the scores.

    scheme (str): A name in `SCHEMES`.
    """

    def __init__(self, scheme: str) -> None:
        super().__init__()
        if scheme not in SCHEMES:
            raise ValueError(f"there is no tagging scheme '{scheme}'; choose among {[*SCHEMES]}")
        self.scheme = SCHEMES[scheme]

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> tuple[Tensor, ...]:
        """From concatenated segments `(sum(lengths), width)` to the arrays of `TagScores`."""
        raise NotImplementedError

    def loss(self, scores: tuple[Tensor, ...], lengths: list[int], gold: Tensor) -> Tensor:
        """Loss against gold tags, a mean over segments.

        gold (Tensor): Tags of this scheme, -1 where unknown. *Shape:* `(sum(lengths),)`
        """
        raise NotImplementedError

    def decode(
        self, scores: tuple[Tensor, ...], lengths: list[int]
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Each segment's position, its tags, and the chance of each tag at each token.

        RETURNS (Iterator): *Shape:* `(length,)` and `(length, n_tags)`
        """
        raise NotImplementedError


class CrfDecoder(Decoder):
    """The torch side of `CrfDecoder.v1`."""

    def __init__(self, scheme: str, feed_forward: bool) -> None:
        super().__init__(scheme)
        self.feed_forward = feed_forward

    def make_layers(self, *, width: int, n_tags: int) -> None:  # type: ignore[override]
        self.emit = _emitter(width, n_tags, self.feed_forward)
        self.transitions = nn.Parameter(torch.zeros(n_tags, n_tags))
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> tuple[Tensor, ...]:
        return self.emit(inputs), self.transitions, self.start, self.end

    def loss(self, scores: tuple[Tensor, ...], lengths: list[int], gold: Tensor) -> Tensor:
        lattice, layout = self.lattice(scores, lengths)
        # A segment that is over has index -1; the tag that stands there is never looked at.
        tags = torch.where(layout.index >= 0, gold[layout.index], 0)
        return negative_log_likelihood(lattice, tags)

    def decode(
        self, scores: tuple[Tensor, ...], lengths: list[int]
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        lattice, layout = self.lattice(scores, lengths)
        marginals = lattice.marginals()
        chances = marginals.cpu().numpy()
        for column, path in enumerate(lattice.best_paths(marginals)):
            yield int(layout.order[column]), path, chances[: len(path), column]

    def lattice(self, scores: tuple[Tensor, ...], lengths: list[int]) -> tuple[Lattice, Layout]:
        """The lattice of a batch of segments, and how it is laid out."""
        emissions, transitions, start, end = scores
        layout = Layout.of(lengths, emissions.device)
        lattice = Lattice.build(
            emissions[layout.index], layout.running, transitions, start, end, self.scheme
        )
        return lattice, layout


class SoftmaxDecoder(Decoder):
    """The torch side of `SoftmaxDecoder.v1`."""

    def __init__(self, scheme: str, feed_forward: bool) -> None:
        super().__init__(scheme)
        self.feed_forward = feed_forward

    def make_layers(self, *, width: int, n_tags: int) -> None:  # type: ignore[override]
        self.emit = _emitter(width, n_tags, self.feed_forward)

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> tuple[Tensor, ...]:
        return (self.emit(inputs),)

    def loss(self, scores: tuple[Tensor, ...], lengths: list[int], gold: Tensor) -> Tensor:
        total = nn.functional.cross_entropy(scores[0], gold, ignore_index=-1, reduction="sum")
        return total / len(lengths)

    def decode(
        self, scores: tuple[Tensor, ...], lengths: list[int]
    ) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        chances = Pieces(scores[0].softmax(1).cpu().numpy(), lengths)
        for position, segment in enumerate(chances):
            yield position, segment.argmax(1), segment


class JordanDecoder(SoftmaxDecoder):
    """The torch side of `JordanDecoder.v1`."""

    def __init__(self, scheme: str, hidden_width: int) -> None:
        super().__init__(scheme, feed_forward=False)
        self.hidden_width = hidden_width

    def make_layers(self, *, width: int, n_tags: int) -> None:  # type: ignore[override]
        self.from_input = nn.Linear(width, self.hidden_width)
        self.from_output = nn.Linear(n_tags, self.hidden_width, bias=False)
        self.emit = nn.Linear(self.hidden_width, n_tags)

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> tuple[Tensor, ...]:
        layout = Layout.of(lengths.tolist(), inputs.device)
        from_input = self.from_input(inputs)
        output = inputs.new_zeros(len(lengths), self.from_output.in_features)
        emitted = []
        for step, n in enumerate(layout.running):
            rows = from_input[layout.index[step, :n]]
            emitted.append(self.emit(torch.tanh(rows + self.from_output(output[:n]))))
            output = emitted[-1].softmax(1)
        back = torch.argsort(layout.index[layout.index >= 0])
        return (torch.cat(emitted)[back],)


class _Tanh(nn.Module):
    """The hyperbolic tangent, in prediction in place and as `2 sigmoid(2x) - 1`.

    Torch's own takes up to ten times as long in single precision, and a new array besides. In half
    precision, where the detour would cost digits, it is torch's own.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        if inputs.requires_grad or inputs.dtype != torch.float32:
            return torch.tanh(inputs)
        return inputs.mul_(2).sigmoid_().mul_(2).sub_(1)


def _emitter(width: int, n_tags: int, feed_forward: bool) -> nn.Module:
    output = nn.Linear(width, n_tags)
    return nn.Sequential(nn.Linear(width, width), _Tanh(), output) if feed_forward else output


def _wrap(name: str, module: Decoder) -> DecoderModel:
    return wrap_module(name, module, flatten_sequences, _convert_outputs, init=_init, attrs={})


def _init(model: DecoderModel, X: list[Floats2d] | None = None, Y: object = None) -> None:
    module = torch_module(model)
    if not module.is_built:
        if not X:
            raise ValueError(f"'{model.name}' cannot be initialised without inputs")
        module.build(width=X[0].shape[1], n_tags=model.get_dim("nO"))
    model.set_dim("nI", module.sizes["width"])


def _convert_outputs(
    model: DecoderModel, inputs_outputs: tuple[list[Floats2d], tuple[Tensor, ...]], is_train: bool
) -> tuple[TagScores, Callable[[TagScores], ArgsKwargs]]:
    segments, outputs = inputs_outputs
    outputs = tuple(output.float() for output in outputs)

    def backprop(gradient: TagScores) -> ArgsKwargs:
        return ArgsKwargs(args=(outputs,), kwargs={"grad_tensors": gradient.tensors()})

    arrays: Any = tuple(torch2xp(output.detach()) for output in outputs)
    return TagScores([len(segment) for segment in segments], arrays), backprop
