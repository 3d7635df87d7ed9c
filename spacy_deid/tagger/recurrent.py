"""Recurrent networks over padded sequences, in one or both directions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .padding import reverse


class CoupledLSTM(nn.Module):
    """An LSTM with coupled gates: forget gate = 1 - input gate.

    Has peepholes from the cell to both gates (Greff et al. 2017, "CIFG"; used by Lample et al. 2016
    and Jiang et al. 2017).
    width (int): Width of the inputs.
    hidden_width (int): Width of the states.
    """

    def __init__(self, width: int, hidden_width: int) -> None:
        super().__init__()
        self.from_input = nn.Linear(width, 3 * hidden_width)
        self.from_hidden = nn.Linear(hidden_width, 3 * hidden_width, bias=False)
        self.peepholes = nn.Parameter(torch.zeros(2, hidden_width))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """*Shape:* `(steps, n, width)` to states `(steps, n, hidden_width)` and the last cell."""
        hidden = cell = inputs.new_zeros(inputs.shape[1], self.from_hidden.in_features)
        peep_in, peep_out = self.peepholes
        states = []
        for step in self.from_input(inputs).unbind(0):
            gate, candidate, out = (step + self.from_hidden(hidden)).chunk(3, dim=1)
            let_in = torch.sigmoid(gate + peep_in * cell)
            cell = (1 - let_in) * cell + let_in * torch.tanh(candidate)
            hidden = torch.sigmoid(out + peep_out * cell) * torch.tanh(cell)
            states.append(hidden)
        return torch.stack(states), cell


CELLS: dict[str, type[nn.Module]] = {
    "lstm": nn.LSTM,
    "coupled_lstm": CoupledLSTM,
    "elman": nn.RNN,
}
"""Recurrent cells by name; Elman's (1990) is plain, h_t = tanh(W x_t + V h_{t-1} + b)."""


class Recurrent(nn.Module):
    """A recurrent network over padded sequences; results do not depend on the rest of the batch.

    The backward direction reads each sequence reversed, so that padding comes last and has no
    effect. (Torch's packed sequences are equivalent, but three times slower to train on a CPU.)
    cell (str): One of `CELLS`.
    width (int): Width of the inputs.
    hidden_width (int): Hidden width of each direction.
    bidirectional (bool): Whether there is a backward direction.
    """

    def __init__(
        self, cell: str, width: int, hidden_width: int, *, bidirectional: bool = True
    ) -> None:
        super().__init__()
        if cell not in CELLS:
            raise ValueError(f"there is no recurrent cell '{cell}'; choose among {sorted(CELLS)}")
        self.ahead = CELLS[cell](width, hidden_width)
        self.back = CELLS[cell](width, hidden_width) if bidirectional else None

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """*Shape:* `(steps, n, width)` and `(n,)` to `(steps, n, n_directions * hidden_width)`."""
        outputs = self.ahead(inputs)[0]
        if self.back is None:
            return outputs
        backward = reverse(self.back(reverse(inputs, lengths))[0], lengths)
        return torch.cat([outputs, backward], dim=2)

    def last_states(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """The final states of both directions. *Shape:* `(n, 2 * hidden_width)`"""
        ahead, back = self(inputs, lengths).chunk(2, dim=2)
        columns = torch.arange(len(lengths), device=lengths.device)
        return torch.cat([ahead[lengths - 1, columns], back[0]], dim=1)
