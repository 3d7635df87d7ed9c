"""Torch modules as thinc layers: built once their sizes are known, safe to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import Any

import torch
from thinc.api import Model, Optimizer, PyTorchShim, torch2xp, xp2torch
from torch import Tensor, nn


class SizedModule(nn.Module):
    """A torch module whose layers are built once their sizes, such as input widths, are known.

    The sizes are saved with the weights, so that an empty module can be initialised from data or
    loaded from disk without pickle (`torch.load(weights_only=True)`). Settings belong in the
    constructor. Sized modules may be nested.
    """

    make_layers: Callable[..., None]
    """Creates the layers; called by `build` with the sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[str, int] | None = None

    def build(self, **sizes: int) -> None:
        """Make the layers."""
        self.sizes = sizes
        self.make_layers(**sizes)
        self.train(self.training)  # new layers start in training mode

    def get_extra_state(self) -> dict[str, int] | None:
        return self.sizes

    def set_extra_state(self, state: dict[str, int] | None) -> None:
        """Do nothing: `_load` has built the module from its sizes."""


class TorchShim(PyTorchShim):
    """thinc's shim with updates in place, and support for averaged weights (`use_averages = true`).

    thinc's own `finish_update` wraps the weights anew at each step, and each wrapper keeps the one
    before it alive: memory grows by gigabytes in a long training. Its `use_params` looks up keys
    that differ from the optimizer's and so changes nothing: the last weights would be scored and
    saved instead of the averages.
    """

    def finish_update(self, optimizer: Optimizer) -> None:
        """Update the weights from their gradients, and set the gradients to zero."""
        for name, parameter in self._model.named_parameters():
            if parameter.grad is not None:
                both: Any = torch2xp(parameter.data), torch2xp(parameter.grad)
                updated, _ = optimizer((self.id, name), *both)
                parameter.data.copy_(xp2torch(updated, device=parameter.device))
                parameter.grad.zero_()

    @contextmanager
    def use_params(self, params: Mapping[Any, Any]) -> Iterator[None]:
        """Use these weights, keyed by (shim id, name), inside the block."""
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
    """Wrap `module` in a thinc layer that trains, moves and saves its weights.

    settings (Any): Other arguments of thinc's `Model`.
    """
    shim = TorchShim(module.eval(), deserialize_model=_load)
    return Model(name, forward, shims=[shim], dims={"nI": None, "nO": None}, **settings)


def torch_module(model: Model) -> Any:
    """The torch module of a layer made by `torch_layer`."""
    return model.shims[0]._model


class RowLinear(nn.Linear):
    """A linear layer for any number of rows.

    In bfloat16, oneDNN makes a kernel for each number of rows, and never frees it: a server would
    grow by some 50 KB a note. So prediction adds rows of zeros, up to one of few numbers.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shape:* `(..., in_features)` to `(..., out_features)`."""
        if self.training or not has_bfloat16():
            return super().forward(inputs)
        rows = inputs.flatten(0, -2)
        count = len(rows)
        step = max(16, 1 << max(0, count.bit_length() - 3))  # adds a quarter at most
        padded = nn.functional.pad(rows, (0, 0, 0, -count % step))
        return super().forward(padded)[:count].view(*inputs.shape[:-1], self.out_features)


@contextmanager
def training_mode(module: nn.Module, is_train: bool) -> Iterator[None]:
    """Run a module inside the block with or without gradients and dropout.

    The mode is not restored: back in training mode, the module would apply dropout in other
    threads that are predicting.
    """
    module.train(is_train)
    with torch.set_grad_enabled(is_train):
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread inside the block.

    Matrices this small gain nothing from more threads, and lose much when other processes compete
    for the cores. Torch's threads also break after a fork: `nlp.pipe(n_process=2)` would deadlock.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def bfloat16_products(wanted: bool) -> torch.autocast:
    """Multiply in bfloat16 inside the block, if wanted and supported by the processor.

    Without hardware support, bfloat16 would be slower than single precision; GPUs are not
    affected. A row's products do not depend on the rest of its batch.
    """
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=wanted and has_bfloat16())


@cache
def has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 in hardware (AMX, AVX-512 BF16).

    False with older versions of torch, which cannot tell.
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
