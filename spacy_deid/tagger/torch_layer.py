"""Torch modules as thinc layers: built once their sizes are known, safe to load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from thinc.api import Model, PyTorchWrapper_v3
from torch import Tensor, nn


class SizedModule(nn.Module):
    """A torch module whose layers wait for their sizes, and which saves the sizes with the weights.

    So that one and the same empty module can be initialised from data or filled from disk, without
    pickle (`torch.load(weights_only=True)`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, int] = {}

    def build(self, **sizes: int) -> None:
        """Make the layers."""
        self.sizes = sizes
        self.make_layers(**sizes)

    def make_layers(self, **sizes: int) -> None:
        """Assign the layers; called once by `build`."""
        raise NotImplementedError

    def get_extra_state(self) -> dict[str, int]:
        return self.sizes

    def set_extra_state(self, state: dict[str, int]) -> None:
        """Nothing is left to do: `_load` built the module from its sizes."""


def wrap_module(
    name: str,
    module: SizedModule,
    convert_inputs: Callable,
    convert_outputs: Callable,
    *,
    init: Callable,
    dims: dict[str, int | None],
    attrs: dict[str, Any],
) -> Model:
    """A thinc layer around `module`; `init(model, X, Y)` must call `module.build`."""
    model = PyTorchWrapper_v3(module, convert_inputs, convert_outputs, deserialize_model=_load)
    model.name = name
    model.init = init
    for dim, size in dims.items():
        if size is not None:
            model.set_dim(dim, size)
    for key, value in attrs.items():
        model.attrs[key] = value
    return model


def torch_module(model: Model) -> Any:
    """The torch module inside a layer made by `wrap_module`."""
    return model.shims[0]._model


def split_rows(rows: np.ndarray, lengths: Sequence[int]) -> list[np.ndarray]:
    """Cut the rows of an array into pieces of these lengths (views, no copies)."""
    bounds = np.cumsum([0, *lengths]).tolist()
    return [rows[start:end] for start, end in pairwise(bounds)]


def packed_order(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How to reorder concatenated sequences into torch's packed layout, without padding.

    lengths (np.ndarray): Lengths of the sequences, *Shape:* `(n_sequences,)`, none of them 0.
    RETURNS (tuple): `order` with `packed = concatenated[order]`, *Shape:* `(sum(lengths),)`;
        `batch_sizes`, *Shape:* `(max(lengths),)`; `rank` of each sequence in the packed batch.
    """
    rank = np.empty(len(lengths), dtype=np.int64)
    rank[np.argsort(-lengths, kind="stable")] = np.arange(len(lengths))
    offsets = np.cumsum(lengths) - lengths
    step = np.arange(int(lengths.sum())) - np.repeat(offsets, lengths)
    order = np.lexsort((np.repeat(rank, lengths), step))
    return order, np.bincount(step), rank


def run_lstm(lstm: nn.LSTM, inputs: Tensor, lengths: np.ndarray) -> tuple[Tensor, Tensor]:
    """Run an LSTM over concatenated sequences, each on its own whatever shares its batch.

    inputs (Tensor): *Shape:* `(sum(lengths), width)`.
    RETURNS (tuple): Outputs in the order of `inputs`, *Shape:* `(sum(lengths), directions * hidden)`,
        and the last states of each sequence, *Shape:* `(n_sequences, directions * hidden)`.
    """
    order, batch_sizes, rank = packed_order(lengths)
    index = torch.from_numpy(order).to(inputs.device)
    packed = nn.utils.rnn.PackedSequence(inputs[index], torch.from_numpy(batch_sizes))
    outputs, (states, _) = lstm(packed)
    back = torch.empty_like(index)
    back[index] = torch.arange(len(order), device=inputs.device)
    last = states.transpose(0, 1).flatten(1)
    return outputs.data[back], last[torch.from_numpy(rank).to(inputs.device)]


def _load(module: SizedModule, state_bytes: bytes, device: torch.device) -> SizedModule:
    state = torch.load(BytesIO(state_bytes), map_location=device, weights_only=True)
    sizes = state["_extra_state"]
    if sizes != module.sizes:
        module.build(**sizes)
    module.load_state_dict(state)
    return module.to(device)
