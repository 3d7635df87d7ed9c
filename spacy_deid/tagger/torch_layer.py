"""Torch modules as thinc layers: built once their sizes are known, safe to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread inside the block.

    Matrices this small gain nothing from more, and lose much where other processes want the cores;
    and torch's threads do not survive a fork: a worker of `nlp.pipe(n_process=2)` would deadlock.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def torch_module(model: Model) -> Any:
    """The torch module inside a layer made by `wrap_module`."""
    return model.shims[0]._model


def split_rows(rows: Any, lengths: Sequence[int]) -> list[Any]:
    """Cut the rows of an array into pieces of these lengths (views, no copies)."""
    bounds = np.cumsum([0, *lengths]).tolist()
    return [rows[start:end] for start, end in pairwise(bounds)]


class BiLSTM(nn.Module):
    """A bidirectional LSTM over concatenated sequences, each on its own whatever shares its batch.

    Sequences run in buckets of similar length, padded; the backward direction reads each sequence
    reversed, so that padding always comes last and changes nothing. (Torch's packed sequences give
    the same, three times slower to train on a CPU.)
    width (int): Width of the inputs.
    hidden_width (int): Hidden width in each direction.
    """

    def __init__(self, width: int, hidden_width: int) -> None:
        super().__init__()
        self.ahead = nn.LSTM(width, hidden_width)
        self.back = nn.LSTM(width, hidden_width)

    def forward(self, inputs: Tensor, lengths: np.ndarray) -> tuple[Tensor, Tensor]:
        """Run both directions.

        inputs (Tensor): *Shape:* `(sum(lengths), width)`
        lengths (np.ndarray): Lengths of the sequences, none of them 0. *Shape:* `(n_sequences,)`
        RETURNS (tuple): Outputs in the order of `inputs`, *Shape:* `(sum(lengths), 2 * hidden)`;
            last states of each sequence in both directions, *Shape:* `(n_sequences, 2 * hidden)`.
        """
        outputs, rows, last = [], [], []
        order = np.argsort(-lengths, kind="stable")
        offsets = np.cumsum(lengths) - lengths
        for bucket in _buckets(lengths, order):
            sizes, starts = lengths[bucket], offsets[bucket]
            both, ends = self._run_bucket(inputs, starts, sizes)
            outputs.append(both)
            rows.append(np.repeat(starts, sizes) + _positions(sizes))
            last.append(ends)
        back = _inverse(np.concatenate(rows), inputs.device)
        return (
            torch.cat(outputs).index_select(0, back),
            torch.cat(last).index_select(0, _inverse(order, inputs.device)),
        )

    def _run_bucket(
        self, inputs: Tensor, starts: np.ndarray, sizes: np.ndarray
    ) -> tuple[Tensor, Tensor]:
        n_steps, n = int(sizes.max()), len(sizes)
        step = np.minimum(np.arange(n_steps)[:, None], sizes - 1)  # repeats the last as padding
        column, position = np.repeat(np.arange(n), sizes), _positions(sizes)
        mirrored = np.repeat(sizes, sizes) - 1 - position
        outputs, ends = [], []
        for lstm, read, write in (
            (self.ahead, starts + step, position * n + column),
            (self.back, starts + sizes - 1 - step, mirrored * n + column),
        ):
            padded = inputs.index_select(0, _tensor(read.ravel(), inputs.device))
            hidden, _ = lstm(padded.view(n_steps, n, -1))
            flat = hidden.flatten(0, 1)
            outputs.append(flat.index_select(0, _tensor(write, inputs.device)))
            final = (sizes - 1) * n + np.arange(n)
            ends.append(flat.index_select(0, _tensor(final, inputs.device)))
        return torch.cat(outputs, dim=1), torch.cat(ends, dim=1)


_BUCKET_SIZE = 64


def _buckets(lengths: np.ndarray, order: np.ndarray) -> Iterator[np.ndarray]:
    """Positions of sequences of similar length, longest first."""
    start = 0
    for end in range(1, len(order) + 1):
        full = (
            end - start >= _BUCKET_SIZE
            and lengths[order[end - 1]] != lengths[order[end % len(order)]]
        )
        if full or end == len(order):
            yield order[start:end]
            start = end


def _positions(sizes: np.ndarray) -> np.ndarray:
    """0, 1, … within each sequence, concatenated."""
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _inverse(order: np.ndarray, device: torch.device) -> Tensor:
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.arange(len(order))
    return _tensor(inverse, device)


def _tensor(array: np.ndarray, device: torch.device) -> Tensor:
    return torch.from_numpy(array).to(device)


def _load(module: SizedModule, state_bytes: bytes, device: torch.device) -> SizedModule:
    state = torch.load(BytesIO(state_bytes), map_location=device, weights_only=True)
    sizes = state["_extra_state"]
    if sizes != module.sizes:
        module.build(**sizes)
    module.load_state_dict(state)
    return module.to(device)
