"""Each encoder against a loop written by hand, alone and in company."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_deid.tagger.encoders import (
    ContextWindow,
    Encoder,
    EncoderChain,
    RecurrentEncoder,
    TransformerEncoder,
)
from spacy_deid.tagger.recurrent import CELLS, CoupledLSTM, Recurrent
from spacy_deid.tagger.transformer import TransformerLayer, positions

WIDTH = 3
ENCODERS = {
    **{cell: partial(RecurrentEncoder, hidden_width=4, cell=cell) for cell in CELLS},
    "ahead": partial(RecurrentEncoder, hidden_width=4, bidirectional=False),
    "transformer": partial(TransformerEncoder, width=8, n_heads=2, inner_width=8),
    "window": partial(ContextWindow, window=2),
    "chain": lambda: EncoderChain(ContextWindow(window=1), RecurrentEncoder(hidden_width=4)),
}


def padded(*lengths: int) -> tuple[Tensor, Tensor]:
    """Random segments of these falling lengths, with random padding."""
    torch.manual_seed(0)
    return torch.randn(lengths[0], len(lengths), WIDTH), torch.tensor(lengths)


@pytest.fixture(params=ENCODERS)
def encoder(request) -> Encoder:
    torch.manual_seed(0)
    encoder = ENCODERS[request.param]()
    encoder.build(width=WIDTH)
    return encoder.eval()


def test_a_segment_alone_equals_itself_in_any_company(encoder):
    inputs, lengths = padded(9, 5, 5, *[2] * 7, 1)
    together = encoder(inputs, lengths)
    assert together.shape == (9, len(lengths), encoder.output_width)
    for column, length in enumerate(lengths.tolist()):
        alone = encoder(inputs[:length, column : column + 1], lengths[column : column + 1])
        assert torch.allclose(alone[:, 0], together[:length, column], atol=1e-5)


def test_no_gradient_comes_from_padding(encoder):
    inputs, lengths = padded(4, 2)
    inputs.requires_grad_()
    outputs = encoder(inputs, lengths)
    (gradient,) = torch.autograd.grad(outputs[:2, 1].square().sum(), inputs)
    assert gradient[:2, 1].any() and not gradient[2:].any() and not gradient[:, 0].any()


def test_unknown_cell_is_an_error():
    with pytest.raises(ValueError, match="no recurrent cell 'gru'"):
        RecurrentEncoder(cell="gru").build(width=1)


@pytest.mark.parametrize("cell", CELLS)
def test_directions_read_forward_and_backward(cell):
    torch.manual_seed(0)
    network = Recurrent(cell, WIDTH, 4)
    inputs, lengths = padded(5, 3)
    outputs = network(inputs, lengths)
    for column, length in enumerate(lengths.tolist()):
        segment = inputs[:length, column : column + 1]
        ahead, back = outputs[:length, column : column + 1].chunk(2, dim=2)
        assert torch.allclose(ahead, network.ahead(segment)[0], atol=1e-6)
        assert torch.allclose(back.flip(0), network.back(segment.flip(0))[0], atol=1e-6)
        last = network.last_states(inputs, lengths)[column : column + 1]
        assert torch.equal(last, torch.cat([ahead[-1], back[0]], dim=1))


def test_elman_equals_its_definition():
    torch.manual_seed(0)
    network = CELLS["elman"](WIDTH, 4)
    inputs = padded(6)[0][:, 0]
    hidden = torch.zeros(4)
    for step, output in zip(inputs, network(inputs[:, None])[0][:, 0], strict=True):
        hidden = torch.tanh(
            network.weight_ih_l0 @ step
            + network.weight_hh_l0 @ hidden
            + network.bias_ih_l0
            + network.bias_hh_l0
        )
        assert torch.allclose(hidden, output, atol=1e-6)


def test_coupled_lstm_forgets_what_it_does_not_let_in():
    torch.manual_seed(0)
    network = CoupledLSTM(WIDTH, 2)
    torch.nn.init.normal_(network.peepholes)
    inputs = padded(6)[0][:, 0]
    outputs, last_cell = network(inputs[:, None])
    hidden = cell = torch.zeros(2)
    w_in, w_cell, w_out = network.from_input.weight.split(2)
    v_in, v_cell, v_out = network.from_hidden.weight.split(2)
    b_in, b_cell, b_out = network.from_input.bias.split(2)
    for step, output in zip(inputs, outputs[:, 0], strict=True):
        let_in = torch.sigmoid(w_in @ step + v_in @ hidden + network.peepholes[0] * cell + b_in)
        forget = 1 - let_in
        cell = forget * cell + let_in * torch.tanh(w_cell @ step + v_cell @ hidden + b_cell)
        gate = torch.sigmoid(w_out @ step + v_out @ hidden + network.peepholes[1] * cell + b_out)
        hidden = gate * torch.tanh(cell)
        assert torch.allclose(hidden, output, atol=1e-6)
    assert torch.allclose(cell, last_cell[0])


def test_closed_input_gate_keeps_the_cell():
    network = CoupledLSTM(1, 1)
    with torch.no_grad():
        network.from_input.bias[:] = torch.tensor([-100.0, 1.0, 0.0])
    _, cell = network(torch.randn(5, 1, 1))
    assert cell.abs().max() < 1e-6


def test_window_holds_the_neighbours_in_order_and_zeros_beyond_the_segment():
    encoder = ContextWindow(window=2)
    encoder.build(width=1)
    segments = torch.tensor([[1.0, 9], [2, 8], [3, 8]])[:, :, None]
    windows, alone = encoder(segments, torch.tensor([3, 1])).unbind(1)
    assert windows.tolist() == [[0, 0, 1, 2, 3], [0, 1, 2, 3, 0], [1, 2, 3, 0, 0]]
    assert alone[0].tolist() == [0, 0, 9, 0, 0]


def test_positions_are_sines_and_cosines_at_falling_rates():
    expected = [[np.sin(2), np.cos(2), np.sin(0.02), np.cos(0.02)]]
    np.testing.assert_allclose(positions(3, 4, torch.device("cpu"))[2:], expected, rtol=1e-5)


def test_attention_ignores_padding_and_mixes_the_rest():
    torch.manual_seed(0)
    layer = TransformerLayer(4, 2, 8)
    states = torch.randn(1, 3, 4)
    inside = torch.tensor([[True, True, False]])
    changed = states.clone()
    changed[0, 2, 0] += 1.0
    assert torch.equal(layer(states, inside)[0, :2], layer(changed, inside)[0, :2])
    changed[0, 1, 0] += 1.0
    assert not torch.allclose(layer(states, inside)[0, 0], layer(changed, inside)[0, 0])


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="3 heads"):
        TransformerEncoder(width=8, n_heads=3)
