"""Padded sequences in torch."""

from __future__ import annotations

import torch
from torch import Tensor


def is_inside(n_steps: int, lengths: Tensor) -> Tensor:
    """Mask that is False for padding. *Shape:* `(n_steps, n_sequences)`"""
    return torch.arange(n_steps, device=lengths.device)[:, None] < lengths


def reverse(sequences: Tensor, lengths: Tensor) -> Tensor:
    """Reverse each sequence; its padding stays at the end. *Shape:* `(n_steps, n, width)`"""
    n_steps, n, _ = sequences.shape
    step = torch.arange(n_steps, device=lengths.device)[:, None]
    steps = torch.where(step < lengths, lengths - 1 - step, step)
    places = steps * n + torch.arange(n, device=lengths.device)
    return sequences.flatten(0, 1).index_select(0, places.flatten()).view_as(sequences)
