"""Training on two cores: each takes one of the two buckets of a batch.

Torch's own threads gain less on matrices this small, and lose much when other processes compete for
the cores.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from .torch_layer import one_thread

T = TypeVar("T")

TRAINING_THREADS = 2
"""Buckets of a batch, also on one core or many: the result does not depend on the machine."""

_LEAST = 1e-6  # of what is kept is scaled up

_drawing = threading.local()


def in_threads(function: Callable[..., T], *arguments: Sequence[Any]) -> list[T]:
    """Map a function in threads, but in this one if torch has one thread, or there is one item.

    What `Dropout` draws in the function does not depend on the threads.
    """
    n_items = len(arguments[0])
    if n_items <= 1:
        with one_thread():
            return [function(*items) for items in zip(*arguments, strict=True)]
    seeds = torch.randint(2**62, (n_items,)).tolist()

    def call(seed: int, *items: Any) -> T:
        _drawing.generator = torch.Generator().manual_seed(seed)
        try:
            return function(*items)
        finally:
            del _drawing.generator

    n_threads = min(torch.get_num_threads(), TRAINING_THREADS)
    if n_threads == 1:
        return list(map(call, seeds, *arguments))
    with ThreadPoolExecutor(n_threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return list(pool.map(call, seeds, *arguments))


def backpropagate(
    module: nn.Module, losses: Sequence[Tensor], inputs: Sequence[Tensor]
) -> list[Tensor]:
    """Add the gradients of a module's weights, and return those of the inputs.

    losses (Sequence[Tensor]): Of graphs that share nothing but the weights.
    inputs (Sequence[Tensor]): The inputs of each graph.
    """
    weights = [weight for weight in module.parameters() if weight.requires_grad]

    def differentiate(loss: Tensor, inputs: Tensor) -> tuple[Tensor, ...]:
        return torch.autograd.grad(loss, [inputs, *weights], materialize_grads=True)

    of_inputs = []
    for first, *others in in_threads(differentiate, losses, inputs):
        of_inputs.append(first)
        for weight, gradient in zip(weights, others, strict=True):
            weight.grad = gradient if weight.grad is None else weight.grad.add_(gradient)
    return of_inputs


class Dropout(nn.Module):
    """Dropout; on a processor, what `in_threads` calls draws from a generator of its own."""

    def __init__(self, p: float = 0.0) -> None:
        super().__init__()
        self.p = p

    def forward(self, inputs: Tensor) -> Tensor:
        """Set a share `p` of the inputs to zero in training, and scale up the rest."""
        if not self.training or not self.p:
            return inputs
        generator = None if inputs.is_cuda else getattr(_drawing, "generator", None)
        kept = torch.empty_like(inputs).bernoulli_(1 - self.p, generator=generator)
        return inputs * kept.div_(max(1 - self.p, _LEAST))
