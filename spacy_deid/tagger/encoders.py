"""Encoders: they contextualise token vectors within a segment."""

# No `from __future__ import annotations`: spaCy validates config values against the annotations of
# registered classes, which must not be strings.
from collections.abc import Iterable

import torch
from spacy.util import registry
from torch import Tensor, nn

from .padding import is_inside
from .recurrent import Recurrent
from .threads import Dropout
from .torch_layer import RowLinear, SizedModule
from .transformer import TransformerStack


class Encoder(SizedModule):
    """An encoder of segments.

    output_width (int): Width of the output, once built.
    """

    output_width: int

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """Encode segments of a `Bucket`.

        inputs (Tensor): *Shape:* `(n_steps, n_segments, width)`
        lengths (Tensor): Lengths of the segments. *Shape:* `(n_segments,)`
        RETURNS (Tensor): Undefined in padding. *Shape:* `(n_steps, n_segments, output_width)`
        """
        raise NotImplementedError


@registry.architectures("spacy_deid.RecurrentEncoder.v1")
class RecurrentEncoder(Encoder):
    """A recurrent network over each segment; the states of both directions are concatenated.

    hidden_width (int): Hidden width of each direction.
    cell (str): "lstm", "coupled_lstm" (forget gate = 1 - input gate) or "elman" (plain).
    bidirectional (bool): Whether there is a backward direction.
    output_dropout (bool): Whether to apply the training's dropout to the states, too.
    """

    def __init__(
        self,
        *,
        hidden_width: int = 100,
        cell: str = "lstm",
        bidirectional: bool = True,
        output_dropout: bool = True,
    ) -> None:
        super().__init__()
        self.hidden_width, self.cell, self.bidirectional = hidden_width, cell, bidirectional
        self.output_width = hidden_width * (2 if bidirectional else 1)
        self.dropout = Dropout() if output_dropout else nn.Identity()

    def make_layers(self, *, width: int) -> None:
        self.recurrent = Recurrent(
            self.cell, width, self.hidden_width, bidirectional=self.bidirectional
        )

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        return self.dropout(self.recurrent(inputs, lengths))


@registry.architectures("spacy_deid.TransformerEncoder.v1")
class TransformerEncoder(Encoder):
    """A Transformer encoder (Vaswani et al. 2017) over each segment, trained from scratch.

    Positions are sinusoidal; pre-norm layers make warm-up unnecessary (Xiong et al. 2020).

    width (int): Width of the states and the output; the input is projected to it.
    depth (int): Number of layers.
    n_heads (int): Number of attention heads; `width` must be a multiple of twice this number.
    inner_width (int): Width inside the feed-forward blocks.
    """

    def __init__(
        self, *, width: int = 128, depth: int = 2, n_heads: int = 4, inner_width: int = 512
    ) -> None:
        super().__init__()
        if width % (2 * n_heads):
            raise ValueError(f"{n_heads} heads of even width do not divide the width {width}")
        self.output_width, self.depth = width, depth
        self.n_heads, self.inner_width = n_heads, inner_width

    def make_layers(self, *, width: int) -> None:
        self.project = RowLinear(width, self.output_width)
        self.stack = TransformerStack(self.output_width, self.depth, self.n_heads, self.inner_width)

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        return self.stack(self.project(inputs), lengths)


@registry.architectures("spacy_deid.ContextWindow.v1")
class ContextWindow(Encoder):
    """Concatenates each token's vector with its neighbours'; zeros beyond the segment's ends.

    window (int): Neighbours on each side; the output is `2 * window + 1` times as wide.
    """

    def __init__(self, *, window: int = 5) -> None:
        super().__init__()
        self.window = window

    def make_layers(self, *, width: int) -> None:
        self.output_width = (2 * self.window + 1) * width

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        inside = is_inside(len(inputs), lengths)[:, :, None]
        padded = nn.functional.pad(inputs * inside, (0, 0, 0, 0, self.window, self.window))
        shifts = range(2 * self.window + 1)
        return torch.cat([padded[shift : shift + len(inputs)] for shift in shifts], dim=2)


@registry.architectures("spacy_deid.EncoderChain.v1")
class EncoderChain(Encoder):
    """Encoders applied one after the other.

    encoders (Encoder): In a config, `[...encoder.*.first]`, `[...encoder.*.second]`, …
    """

    def __init__(self, *encoders: Encoder) -> None:
        super().__init__()
        self.encoders: Iterable[Encoder] = nn.ModuleList(encoders)  # type: ignore[assignment]

    def make_layers(self, *, width: int) -> None:
        for encoder in self.encoders:
            encoder.build(width=width)
            width = encoder.output_width
        self.output_width = width

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        for encoder in self.encoders:
            inputs = encoder(inputs, lengths)
        return inputs
