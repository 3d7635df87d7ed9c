"""Decoders: from encodings to tag scores, and their loss; `lattice.decode` has the tags."""

# No `from __future__ import annotations`: spaCy validates config values against the annotations of
# registered classes, which must not be strings.
import torch
from spacy.util import registry
from torch import Tensor, nn

from ..annotation.tagging import find_scheme
from .likelihood import Likelihood
from .padding import is_inside
from .torch_layer import RowLinear, SizedModule

Scores = tuple[Tensor, ...]


class Decoder(SizedModule):
    """A decoder of segments: its layers and its loss."""

    def __init__(self, scheme: str) -> None:
        super().__init__()
        self.scheme = find_scheme(scheme)

    def forward(self, inputs: Tensor) -> Scores:
        """Score the tags of the segments of a `Bucket`.

        inputs (Tensor): *Shape:* `(n_steps, n_segments, width)`
        RETURNS (tuple): First the score of each tag for each token, *Shape:*
            `(n_steps, n_segments, n_tags)`, then the `transitions`, `start` and `end` of a CRF.
        """
        raise NotImplementedError

    def loss(self, scores: Scores, lengths: Tensor, gold: Tensor) -> Tensor:
        """Loss against gold tags, summed over segments.

        gold (Tensor): Tags of this scheme, -1 where unknown; padding is ignored.
            *Shape:* `(n_steps, n_segments)`
        """
        raise NotImplementedError


@registry.architectures("spacy_deid.CrfDecoder.v1")
class CrfDecoder(Decoder):
    """A linear-chain conditional random field (Lafferty et al. 2001) over tag scores.

    Decoding is exact and yields only legal sequences; confidences are marginals.

    scheme (str): "BIOES" or "BIO".
    feed_forward (bool): Whether a tanh layer precedes the tag scores (Dernoncourt et al. 2017).
    """

    def __init__(self, *, scheme: str = "BIOES", feed_forward: bool = True) -> None:
        super().__init__(scheme)
        self.feed_forward = feed_forward

    def make_layers(self, *, width: int, n_tags: int) -> None:
        self.emit = _emitter(width, n_tags, self.feed_forward)
        self.transitions = nn.Parameter(torch.zeros(n_tags, n_tags))
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))

    def forward(self, inputs: Tensor) -> Scores:
        return self.emit(inputs), self.transitions, self.start, self.end

    def loss(self, scores: Scores, lengths: Tensor, gold: Tensor) -> Tensor:
        return Likelihood.build(scores, lengths, self.scheme).negative_log_likelihood(gold)


@registry.architectures("spacy_deid.SoftmaxDecoder.v1")
class SoftmaxDecoder(Decoder):
    """Predicts each token's tag independently.

    No tagged token of an illegal sequence is dropped (`decode_tags`).

    scheme (str): "BIOES" or "BIO".
    feed_forward (bool): Whether a tanh layer precedes the tag scores.
    """

    def __init__(self, *, scheme: str = "BIOES", feed_forward: bool = False) -> None:
        super().__init__(scheme)
        self.feed_forward = feed_forward

    def make_layers(self, *, width: int, n_tags: int) -> None:
        self.emit = _emitter(width, n_tags, self.feed_forward)

    def forward(self, inputs: Tensor) -> Scores:
        return (self.emit(inputs),)

    def loss(self, scores: Scores, lengths: Tensor, gold: Tensor) -> Tensor:
        inside = is_inside(len(gold), lengths)
        return nn.functional.cross_entropy(
            scores[0][inside], gold[inside], ignore_index=-1, reduction="sum"
        )


@registry.architectures("spacy_deid.JordanDecoder.v1")
class JordanDecoder(SoftmaxDecoder):
    """A recurrent network whose hidden layer sees its previous output (Jordan 1986).

    `h_t = tanh(W x_t + V y_{t-1} + b)`, `y_t = softmax(U h_t + c)`, with `y_0 = 0`. The network's
    own outputs are also fed back in training. Otherwise like `SoftmaxDecoder.v1`.

    scheme (str): "BIOES" or "BIO".
    hidden_width (int): Width of the hidden layer.
    """

    def __init__(self, *, scheme: str = "BIOES", hidden_width: int = 100) -> None:
        super().__init__(scheme=scheme)
        self.hidden_width = hidden_width

    def make_layers(self, *, width: int, n_tags: int) -> None:
        self.from_input = nn.Linear(width, self.hidden_width)
        self.from_output = nn.Linear(n_tags, self.hidden_width, bias=False)
        self.emit = nn.Linear(self.hidden_width, n_tags)

    def forward(self, inputs: Tensor) -> Scores:
        output = inputs.new_zeros(inputs.shape[1], self.from_output.in_features)
        emitted = []
        for step in self.from_input(inputs).unbind(0):
            emitted.append(self.emit(torch.tanh(step + self.from_output(output))))
            output = emitted[-1].softmax(1)
        return (torch.stack(emitted),)


class _Tanh(nn.Module):
    """The hyperbolic tangent, computed in place as `2 sigmoid(2x) - 1` in prediction.

    In single precision, `torch.tanh` takes up to ten times as long and allocates a new tensor. It
    is still used in half precision, where this formula would lose digits.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        if inputs.requires_grad or inputs.dtype != torch.float32:
            return torch.tanh(inputs)
        return inputs.mul_(2).sigmoid_().mul_(2).sub_(1)


def _emitter(width: int, n_tags: int, feed_forward: bool) -> nn.Module:
    output = RowLinear(width, n_tags)
    return nn.Sequential(RowLinear(width, width), _Tanh(), output) if feed_forward else output
