"""Encoders: they put each token's vector into the context of its segment.

Each is a layer from a list of segments to a list of segments, and so they chain: thinc's `chain.v1`
puts one after the other (`[...encoder] @layers = "chain.v1"`, `[...encoder.*.first]`, …).
"""

from __future__ import annotations

import numpy as np
import torch
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d
from torch import Tensor, nn

from .recurrent import Recurrent
from .torch_layer import SizedModule, flatten_sequences, split_output, torch_module, wrap_module
from .transformer import TransformerStack

Encoder = Model[list[Floats2d], list[Floats2d]]


@registry.architectures("spacy_deid.RecurrentEncoder.v1")
def build_recurrent_encoder(
    *,
    hidden_width: int = 100,
    cell: str = "lstm",
    bidirectional: bool = True,
    output_dropout: bool = True,
) -> Encoder:
    """A recurrent network over each segment; both directions' states are concatenated.

    hidden_width (int): Hidden width in each direction.
    cell (str): "lstm", "coupled_lstm" (forget gate = 1 - input gate) or "elman" (plain).
    bidirectional (bool): Whether there is a backward direction.
    output_dropout (bool): Whether the dropout of the training falls on the states, too.
    """
    module = RecurrentModule(hidden_width, cell, bidirectional)
    return _wrap("recurrent_encoder", module, dropout=output_dropout)


@registry.architectures("spacy_deid.TransformerEncoder.v1")
def build_transformer_encoder(
    *, width: int = 128, depth: int = 2, n_heads: int = 4, inner_width: int = 512
) -> Encoder:
    """A Transformer encoder (Vaswani et al. 2017), trained from scratch, over each segment.

    Positions are sinusoidal; layers are normalised before each block, which needs no warm-up
    (Xiong et al. 2020).

    width (int): Width of its states and output, into which the input is projected.
    depth (int): Number of layers.
    n_heads (int): Attention heads; they divide `width`.
    inner_width (int): Width inside the feed-forward blocks.
    """
    module = TransformerModule(width, depth, n_heads, inner_width)
    return _wrap("transformer_encoder", module)


@registry.architectures("spacy_deid.ContextWindow.v1")
def build_context_window(*, window: int = 5) -> Encoder:
    """Each token's vector between those of its neighbours; beyond the segment's ends they are zero.

    window (int): Neighbours on each side; the output is `2 * window + 1` times as wide.
    """
    return _wrap("context_window", WindowModule(window), dropout=False)


class EncoderModule(SizedModule):
    """The torch side of an encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.0)

    @property
    def output_width(self) -> int:
        """Width of the output, once built."""
        raise NotImplementedError

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> Tensor:
        """From concatenated segments `(sum(lengths), width)` to `(sum(lengths), output_width)`."""
        raise NotImplementedError


class RecurrentModule(EncoderModule):
    """The torch side of `RecurrentEncoder.v1`; dropout falls on its output."""

    def __init__(self, hidden_width: int, cell: str, bidirectional: bool) -> None:
        super().__init__()
        self.hidden_width, self.cell, self.bidirectional = hidden_width, cell, bidirectional

    @property
    def output_width(self) -> int:
        return self.hidden_width * (2 if self.bidirectional else 1)

    def make_layers(self, *, width: int) -> None:  # type: ignore[override]
        self.recurrent = Recurrent(
            self.cell, width, self.hidden_width, bidirectional=self.bidirectional
        )

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> Tensor:
        return self.dropout(self.recurrent(inputs, lengths))


class TransformerModule(EncoderModule):
    """The torch side of `TransformerEncoder.v1`."""

    def __init__(self, width: int, depth: int, n_heads: int, inner_width: int) -> None:
        super().__init__()
        if width % (2 * n_heads):
            raise ValueError(f"{n_heads} heads of even width do not divide the width {width}")
        self.width, self.depth, self.n_heads, self.inner_width = width, depth, n_heads, inner_width

    @property
    def output_width(self) -> int:
        return self.width

    def make_layers(self, *, width: int) -> None:  # type: ignore[override]
        self.project = nn.Linear(width, self.width)
        self.stack = TransformerStack(
            self.width, self.depth, self.n_heads, self.inner_width, self.dropout
        )

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> Tensor:
        return self.stack(self.project(inputs), lengths)


class WindowModule(EncoderModule):
    """The torch side of `ContextWindow.v1`."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self.window = window

    @property
    def output_width(self) -> int:
        return (2 * self.window + 1) * (self.sizes or {})["width"]

    def make_layers(self, *, width: int) -> None:  # type: ignore[override]
        """There is nothing to learn."""

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> Tensor:
        ends = np.repeat(np.cumsum(lengths), lengths)[:, None]
        starts = ends - np.repeat(lengths, lengths)[:, None]
        rows = np.arange(len(inputs))[:, None] + np.arange(-self.window, self.window + 1)
        rows = np.where((rows >= starts) & (rows < ends), rows, len(inputs))
        padded = nn.functional.pad(inputs, (0, 0, 0, 1))
        return padded[torch.from_numpy(rows).to(inputs.device)].flatten(1)


def _wrap(name: str, module: EncoderModule, *, dropout: bool = True) -> Encoder:
    attrs = {"dropout_rate": 0.0} if dropout else {}
    return wrap_module(name, module, _convert_inputs, split_output, init=_init, attrs=attrs)


def _init(model: Encoder, X: list[Floats2d] | None = None, Y: object = None) -> None:
    module = torch_module(model)
    if not module.is_built:
        if not X:
            raise ValueError(f"'{model.name}' cannot be initialised without inputs")
        module.build(width=X[0].shape[1])
    model.set_dim("nI", module.sizes["width"])
    model.set_dim("nO", module.output_width)


def _convert_inputs(model: Encoder, segments: list[Floats2d], is_train: bool) -> tuple:
    torch_module(model).dropout.p = model.attrs.get("dropout_rate", 0.0)
    return flatten_sequences(model, segments, is_train)
