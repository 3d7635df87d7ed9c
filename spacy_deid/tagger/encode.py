"""Encoders: they put each token's embedding into the context of its segment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from spacy.util import registry
from thinc.api import ArgsKwargs, Model, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor, nn

from .torch_layer import BiLSTM, SizedModule, split_rows, torch_module, wrap_module


@registry.architectures("spacy_deid.BiLSTMEncoder.v1")
def build_bilstm_encoder(*, hidden_width: int = 100) -> Model[list[Floats2d], list[Floats2d]]:
    """A bidirectional LSTM over each sequence; its output is `2 * hidden_width` wide.

    hidden_width (int): Hidden width in each direction.
    """
    return wrap_module(
        "bilstm_encoder",
        BiLSTMLayer(),
        _convert_inputs,
        _convert_outputs,
        init=_init,
        dims={"nI": None, "nO": 2 * hidden_width},
        attrs={"dropout_rate": 0.0},
    )


class BiLSTMLayer(SizedModule):
    """The torch side of `BiLSTMEncoder.v1`; dropout falls on its output."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.0)

    def make_layers(self, *, width: int, hidden_width: int) -> None:  # type: ignore[override]
        self.lstm = BiLSTM(width, hidden_width)

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> Tensor:
        """*Shape:* `(sum(lengths), width)` to `(sum(lengths), 2 * hidden_width)`."""
        outputs, _ = self.lstm(inputs, lengths)
        return self.dropout(outputs)


def _init(model: Model, X: list[Floats2d] | None = None, Y: object = None) -> None:
    if X is not None and not model.has_dim("nI"):
        model.set_dim("nI", X[0].shape[1])
    module = torch_module(model)
    if not module.sizes:
        module.build(width=model.get_dim("nI"), hidden_width=model.get_dim("nO") // 2)


def _convert_inputs(
    model: Model, sequences: list[Floats2d], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], list[Floats2d]]]:
    torch_module(model).dropout.p = model.attrs["dropout_rate"]
    lengths = [len(sequence) for sequence in sequences]
    flat = xp2torch(model.ops.xp.concatenate(sequences), requires_grad=is_train)

    def gradient(d_inputs: ArgsKwargs) -> list[Floats2d]:
        return split_rows(torch2xp(d_inputs.args[0]), lengths)

    return ArgsKwargs(args=(flat, np.asarray(lengths)), kwargs={}), gradient


def _convert_outputs(
    model: Model, inputs_outputs: tuple[list[Floats2d], Tensor], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], ArgsKwargs]]:
    sequences, encoded = inputs_outputs

    def backprop(d_outputs: list[Floats2d]) -> ArgsKwargs:
        gradient = xp2torch(model.ops.xp.concatenate(d_outputs))
        return ArgsKwargs(args=((encoded,),), kwargs={"grad_tensors": (gradient,)})

    return split_rows(torch2xp(encoded), [len(s) for s in sequences]), backprop
