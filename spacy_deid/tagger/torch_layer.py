"""Torch modules as thinc layers: built once their sizes are known, safe to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import pairwise
from operator import is_
from typing import Any

import numpy as np
import torch
from thinc.api import ArgsKwargs, Model, PyTorchShim, PyTorchWrapper_v3, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor, nn


class SizedModule(nn.Module):
    """A torch module whose layers wait for what only data can tell, such as the inputs' width.

    These sizes are saved with the weights, so that one and the same empty module can be initialised
    from data or filled from disk, without pickle (`torch.load(weights_only=True)`). Settings belong
    to the constructor. Modules of this kind may be nested.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, int] | None = None

    @property
    def is_built(self) -> bool:
        """Whether the layers are there."""
        return self.sizes is not None

    def build(self, **sizes: int) -> None:
        """Make the layers."""
        self.sizes = sizes
        self.make_layers(**sizes)
        self.train(self.training)  # new layers would begin in training mode

    def make_layers(self, **sizes: int) -> None:
        """Assign the layers; called by `build`."""
        raise NotImplementedError

    def get_extra_state(self) -> dict[str, int] | None:
        return self.sizes

    def set_extra_state(self, state: dict[str, int] | None) -> None:
        """Nothing is left to do: `_load` built the module from its sizes."""


class TorchShim(PyTorchShim):
    """thinc's shim, made safe for threads and for averaged weights (`use_averages = true`).

    Its own `use_params` looks for other keys than those an optimizer keeps averages under, finds
    none and changes nothing, so that the last weights would be scored and saved.
    """

    def predict(self, inputs: ArgsKwargs) -> Any:
        """Run the module without gradients.

        thinc's shim sets the module back to training afterwards: with dropout, for any other thread
        that is predicting. Here it stays as it is until the next `begin_update`.
        """
        if self._model.training:
            self._model.eval()
        with torch.no_grad():
            return self._model(*inputs.args, **inputs.kwargs)

    @contextmanager
    def use_params(self, params: Mapping[Any, Any]) -> Iterator[None]:
        """Have the module use these weights, by (id of the shim, name), inside the block."""
        own: list[tuple[nn.Parameter, Tensor]] = []
        for name, parameter in self._model.named_parameters():
            if (self.id, name) in params:
                own.append((parameter, parameter.data))
                parameter.data = xp2torch(params[self.id, name], device=parameter.device)
        try:
            yield
        finally:
            for parameter, data in own:
                parameter.data = data


def wrap_module(
    name: str,
    module: SizedModule,
    convert_inputs: Callable,
    convert_outputs: Callable,
    *,
    init: Callable,
    attrs: dict[str, Any],
) -> Model:
    """A thinc layer around `module`; `init(model, X, Y)` must build it and set "nO"."""
    module.eval()
    model = PyTorchWrapper_v3(module, convert_inputs, convert_outputs)
    model.shims[:] = [TorchShim(module, deserialize_model=_load)]
    model.name = name
    model.init = init
    for key, value in attrs.items():
        model.attrs[key] = value
    return model


def torch_module(model: Model) -> Any:
    """The torch module inside a layer made by `wrap_module`."""
    return model.shims[0]._model


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


def bfloat16_products(wanted: bool) -> torch.autocast:
    """Multiply in bfloat16 inside the block, if wanted and the processor does so in hardware.

    Any other processor would take longer for it than for single precision, and keeps to that; so
    does a GPU. A row's products do not depend on what shares its batch.
    """
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=wanted and has_bfloat16())


@cache
def has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 in hardware (AMX, AVX-512 BF16).

    Older torch cannot tell; then it has not.
    """
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(capabilities.get(name) for name in ("amx_bf16", "avx512_bf16"))


class Pieces(list[Any]):
    """All rows of one array, cut into consecutive pieces (views, no copies).

    rows (Any): The array.
    lengths (Sequence[int]): Rows of each piece; they sum to those of the array.
    """

    def __init__(self, rows: Any, lengths: Sequence[int]) -> None:
        bounds = np.cumsum([0, *lengths]).tolist()
        super().__init__(rows[start:end] for start, end in pairwise(bounds))
        self.rows = rows
        self.cut = tuple(self)

    def is_whole(self) -> bool:
        """Whether the pieces are still those that the array was cut into."""
        return len(self) == len(self.cut) and all(map(is_, self, self.cut))


def join_rows(model: Model, pieces: list[Any]) -> Any:
    """The rows of all pieces in one array; that of `Pieces` is at hand and needs no copy."""
    if isinstance(pieces, Pieces) and pieces.is_whole():
        return pieces.rows
    # A doc without tokens may have vectors without width.
    return model.ops.xp.concatenate([piece for piece in pieces if len(piece)] or pieces)


def flatten_sequences(
    model: Model, sequences: list[Floats2d], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], list[Floats2d]]]:
    """Sequences as the arguments `(flat tensor, lengths)` of a torch module, and the way back."""
    lengths = [len(sequence) for sequence in sequences]
    flat = xp2torch(join_rows(model, sequences), requires_grad=is_train)

    def gradient(d_inputs: ArgsKwargs) -> list[Floats2d]:
        return Pieces(torch2xp(d_inputs.args[0]), lengths)

    return ArgsKwargs(args=(flat, np.asarray(lengths)), kwargs={}), gradient


def split_output(
    model: Model, inputs_output: tuple[list[Any], Tensor], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], ArgsKwargs]]:
    """A flat tensor as one array for each of the inputs (docs or sequences), and the way back."""
    inputs, output = inputs_output
    output = output.float()

    def backprop(d_outputs: list[Floats2d]) -> ArgsKwargs:
        gradient = xp2torch(join_rows(model, d_outputs))
        return ArgsKwargs(args=((output,),), kwargs={"grad_tensors": (gradient,)})

    return Pieces(torch2xp(output.detach()), [len(x) for x in inputs]), backprop


def _load(module: SizedModule, state_bytes: bytes, device: torch.device) -> SizedModule:
    state = torch.load(BytesIO(state_bytes), map_location=device, weights_only=True)
    for name, part in list(module.named_modules()):
        if isinstance(part, SizedModule):
            sizes = state[f"{name}._extra_state".lstrip(".")]
            if sizes is not None and sizes != part.sizes:
                part.build(**sizes)
    module.load_state_dict(state)
    return module.to(device)
