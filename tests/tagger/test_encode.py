"""Each encoder against a loop written by hand, alone and in company."""

from functools import partial

import numpy as np
import pytest
import torch

from spacy_deid.tagger.encode import (
    build_context_window,
    build_recurrent_encoder,
    build_transformer_encoder,
)
from spacy_deid.tagger.recurrent import CELLS, CoupledLSTM, Recurrent
from spacy_deid.tagger.torch_layer import torch_module
from spacy_deid.tagger.transformer import TransformerLayer, positions

WIDTH = 3
BUILDERS = {
    **{cell: partial(build_recurrent_encoder, hidden_width=4, cell=cell) for cell in CELLS},
    "ahead": partial(build_recurrent_encoder, hidden_width=4, bidirectional=False),
    "transformer": partial(build_transformer_encoder, width=8, n_heads=2, inner_width=8),
    "window": partial(build_context_window, window=2),
}


def segments_of(*lengths: int) -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [generator.normal(size=(length, WIDTH)).astype("float32") for length in lengths]


@pytest.fixture(params=BUILDERS)
def encoder(request):
    torch.manual_seed(0)
    model = BUILDERS[request.param]()
    model.initialize(X=segments_of(2))
    return model


def test_a_segment_alone_equals_itself_in_any_company(encoder):
    segments = segments_of(5, 1, 9, 5, *[2] * 70, 30)
    together = encoder.predict(segments)
    for segment, encoded in zip(segments, together, strict=True):
        assert encoded.shape == (len(segment), encoder.get_dim("nO"))
        np.testing.assert_allclose(encoder.predict([segment])[0], encoded, atol=1e-5)


def test_gradient_equals_torch(encoder):
    segments = segments_of(4, 2, 6)
    outputs, backprop = encoder.begin_update(segments)
    generator = np.random.default_rng(1)
    d_outputs = [generator.normal(size=output.shape).astype("float32") for output in outputs]
    gradients = backprop(d_outputs)
    flat = torch.tensor(np.concatenate(segments), requires_grad=True)
    output = torch_module(encoder)(flat, np.asarray([4, 2, 6]))
    output.backward(torch.tensor(np.concatenate(d_outputs)))
    np.testing.assert_allclose(np.concatenate(gradients), flat.grad, atol=1e-5)


def test_unknown_cell_is_an_error():
    with pytest.raises(ValueError, match="no recurrent cell 'gru'"):
        build_recurrent_encoder(cell="gru").initialize(X=segments_of(1))


def test_without_inputs_an_encoder_cannot_be_initialised():
    with pytest.raises(ValueError, match="without inputs"):
        build_context_window().initialize()


@pytest.mark.parametrize("cell", CELLS)
def test_directions_read_forward_and_backward(cell):
    torch.manual_seed(0)
    network = Recurrent(cell, WIDTH, 4)
    inputs = torch.tensor(segments_of(5)[0])
    outputs = network(inputs, np.asarray([5]))
    ahead, back = outputs.chunk(2, dim=1)
    assert torch.allclose(ahead, network.ahead(inputs[:, None])[0][:, 0])
    assert torch.allclose(back.flip(0), network.back(inputs.flip(0)[:, None])[0][:, 0])
    last = network.last_states(inputs, np.asarray([5]))
    assert torch.equal(last, torch.cat([ahead[-1:], back[:1]], dim=1))


def test_elman_equals_its_definition():
    torch.manual_seed(0)
    network = CELLS["elman"](WIDTH, 4)
    inputs = torch.tensor(segments_of(6)[0])
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
    inputs = torch.tensor(segments_of(6)[0])
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
    model = build_context_window(window=2)
    first, second = np.asarray([[1], [2], [3]], "float32"), np.asarray([[9]], "float32")
    model.initialize(X=[first])
    windows, alone = model.predict([first, second])
    assert windows.tolist() == [[0, 0, 1, 2, 3], [0, 1, 2, 3, 0], [1, 2, 3, 0, 0]]
    assert alone.tolist() == [[0, 0, 9, 0, 0]]


def test_positions_are_sines_and_cosines_at_falling_rates():
    expected = [[np.sin(2), np.cos(2), np.sin(0.02), np.cos(0.02)]]
    np.testing.assert_allclose(positions(3, 4, torch.device("cpu"))[2:], expected, rtol=1e-5)


def test_attention_ignores_padding_and_mixes_the_rest():
    torch.manual_seed(0)
    layer = TransformerLayer(4, 2, 8, torch.nn.Dropout(0.0))
    states = torch.randn(1, 3, 4)
    there = torch.tensor([[True, True, False]])
    changed = states.clone()
    changed[0, 2, 0] += 1.0
    assert torch.equal(layer(states, there)[0, :2], layer(changed, there)[0, :2])
    changed[0, 1, 0] += 1.0
    assert not torch.allclose(layer(states, there)[0, 0], layer(changed, there)[0, 0])


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="3 heads"):
        build_transformer_encoder(width=8, n_heads=3)


def test_dropout_falls_on_the_states_where_it_is_wanted():
    segments = segments_of(6)
    for wanted in (True, False):
        torch.manual_seed(0)
        model = build_recurrent_encoder(hidden_width=8, output_dropout=wanted)
        model.initialize(X=segments)
        assert ("dropout_rate" in model.attrs) == wanted
        if wanted:
            model.attrs["dropout_rate"] = 0.5
        states = model(segments, is_train=True)[0][0]
        assert ((states == 0).mean() > 0.3) == wanted
        assert (model.predict(segments)[0] != 0).all()
