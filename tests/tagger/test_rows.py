"""Linear layers for any number of rows."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from spacy_deid.tagger.torch_layer import RowLinear


@pytest.fixture
def seen(monkeypatch):
    """Numbers of rows that reach torch."""
    numbers = set()
    forward = nn.Linear.forward

    def count(self, inputs):
        numbers.add(inputs.shape[0])
        return forward(self, inputs)

    monkeypatch.setattr("spacy_deid.tagger.torch_layer.has_bfloat16", lambda: True)
    monkeypatch.setattr(nn.Linear, "forward", count)
    return numbers


def test_few_numbers_of_rows_are_multiplied_with_the_same_result(seen):
    layer = RowLinear(8, 3).eval()
    for count in range(0, 5000, 7):
        inputs = torch.ones(count, 1, 8)
        assert torch.allclose(layer(inputs), inputs @ layer.weight.T + layer.bias)
    assert len(seen) < 60 and max(seen) <= 5000 * 1.25


def test_training_is_left_alone(seen):
    RowLinear(8, 3).train()(torch.ones(5, 8))
    assert seen == {5}
