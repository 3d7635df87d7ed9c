"""Torch modules as thinc layers: built once their sizes are known, safe to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import Any

import torch
from thinc.api import Model, PyTorchShim, xp2torch
from torch import Tensor, nn


class SizedModule(nn.Module):
    """A torch module whose layers wait for what only data can tell, such as the inputs' width.

    These sizes are saved with the weights, so that one and the same empty module can be initialised
    from data or filled from disk, without pickle (`torch.load(weights_only=True)`). Settings belong
    to the constructor. Modules of this kind may be nested.
    """

    make_layers: Callable[..., None]
    """Assigns the layers; `build` calls it with the sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, int] | None = None

    def build(self, **sizes: int) -> None:
        """Make the layers."""
        self.sizes = sizes
        self.make_layers(**sizes)
        self.train(self.training)  # new layers would begin in training mode

    def get_extra_state(self) -> dict[str, int] | None:
        return self.sizes

    def set_extra_state(self, state: dict[str, int] | None) -> None:
        """Nothing is left to do: `_load` built the module from its sizes."""


class TorchShim(PyTorchShim):
    """thinc's shim, made to know averaged weights (`use_averages = true`).

    Its own `use_params` looks for other keys than those an optimizer keeps averages under, finds
    none and changes nothing, so that the last weights would be scored and saved.
    """

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


def torch_layer(name: str, module: SizedModule, forward: Callable, **settings: Any) -> Model:
    """A thinc layer that trains, moves and saves the weights of `module`.

    forward (Callable): The layer's own, which runs the module.
    settings (Any): Other arguments of thinc's `Model`.
    """
    shim = TorchShim(module.eval(), deserialize_model=_load)
    return Model(name, forward, shims=[shim], dims={"nI": None, "nO": None}, **settings)


def torch_module(model: Model) -> Any:
    """The torch module inside a layer made by `torch_layer`."""
    return model.shims[0]._model


@contextmanager
def training_mode(module: nn.Module, is_train: bool) -> Iterator[None]:
    """Run a module inside the block with gradients and dropout, or without.

    Afterwards it stays in that mode: switched back to training, it would apply dropout for any
    other thread that is predicting.
    """
    module.train(is_train)
    with torch.set_grad_enabled(is_train):
        yield


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


def _load(module: SizedModule, state_bytes: bytes, device: torch.device) -> SizedModule:
    state = torch.load(BytesIO(state_bytes), map_location=device, weights_only=True)
    for name, part in list(module.named_modules()):
        if isinstance(part, SizedModule):
            sizes = state[f"{name}._extra_state".lstrip(".")]
            if sizes is not None:
                part.build(**sizes)
    module.load_state_dict(state)
    return module.to(device)
