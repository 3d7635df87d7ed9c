"""A small Transformer encoder over padded sequences (Vaswani et al. 2017)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .padding import is_inside
from .threads import Dropout


class TransformerStack(nn.Module):
    """Self-attention and feed-forward layers with sinusoidal positions.

    Dropout is applied after adding the positions and to the output of each block.

    width (int): Width of the inputs, states and outputs.
    depth (int): Number of layers.
    n_heads (int): Attention heads.
    inner_width (int): Width inside the feed-forward blocks.
    """

    def __init__(self, width: int, depth: int, n_heads: int, inner_width: int) -> None:
        super().__init__()
        self.dropout = Dropout()
        self.layers = nn.ModuleList(
            TransformerLayer(width, n_heads, inner_width) for _ in range(depth)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """*Shape:* `(n_steps, n, width)` and `(n,)` to `(n_steps, n, width)`."""
        n_steps, _, width = inputs.shape
        states = inputs + positions(n_steps, width, inputs.device)[:, None]
        states = self.dropout(states).transpose(0, 1)
        inside = is_inside(n_steps, lengths).T
        for layer in self.layers:
            states = layer(states, inside)
        return self.norm(states).transpose(0, 1)


class TransformerLayer(nn.Module):
    """A pre-norm layer: attention and a feed-forward block, each with a residual connection."""

    def __init__(self, width: int, n_heads: int, inner_width: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.attention_norm, self.inner_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.to_heads = nn.Linear(width, 3 * width)
        self.from_heads = nn.Linear(width, width)
        self.inner = nn.Sequential(
            nn.Linear(width, inner_width), nn.ReLU(), nn.Linear(inner_width, width)
        )
        self.dropout = Dropout()

    def forward(self, states: Tensor, inside: Tensor) -> Tensor:
        """States of *shape* `(n, steps, width)` to the same; `inside` is False for padding."""
        states = states + self.dropout(self._attend(self.attention_norm(states), inside))
        return states + self.dropout(self.inner(self.inner_norm(states)))

    def _attend(self, states: Tensor, inside: Tensor) -> Tensor:
        heads = self.to_heads(states).unflatten(2, (3, self.n_heads, -1))
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=inside[:, None, None]
        )
        return self.from_heads(mixed.transpose(1, 2).flatten(2))


def positions(n_steps: int, width: int, device: torch.device) -> Tensor:
    """Sinusoidal position encodings. *Shape:* `(n_steps, width)`"""
    step = torch.arange(n_steps, device=device)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, device=device) * (-math.log(10_000.0) / width))
    return torch.stack([torch.sin(step * rate), torch.cos(step * rate)], dim=2).flatten(1)
