"""Learning rates of a training, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from spacy.util import registry


@registry.schedules("spacy_deid.WarmupDecline.v1")
def create_warmup_decline(
    *, initial_rate: float, final_rate: float, warmup_steps: int, total_steps: int
) -> Iterator[float]:
    """From 0 up to `initial_rate`, then straight down to `final_rate`, and no further.

    The average of the weights (`use_averages` of the optimizer) gains from weights that still move
    at the end, as they do not at a rate of 0 (Izmailov et al. 2018, "Averaging weights leads to
    wider optima and better generalization").

    initial_rate (float): The highest rate, after `warmup_steps`.
    final_rate (float): The rate from step `total_steps` on.
    """
    for step in count():
        if step < warmup_steps:
            yield initial_rate * step / warmup_steps
        else:
            done = (step - warmup_steps) / max(1, total_steps - warmup_steps)
            yield initial_rate + min(1.0, done) * (final_rate - initial_rate)
