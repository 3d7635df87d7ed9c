"""The ONNX graph of an LSTM and an emitter, and their weights in it.

In the quantised LSTM, weights, inputs and states are integers of 8 bits. ONNX derives the scale of
inputs and states from the range of their values in the whole batch, so that a note's scores would
depend on the notes beside it. Two constant columns prevent this: each input and state is in the
range from -1 to 1, and has a column that is always 1 and one that is always -1, which no weight
uses. The hidden layer of the emitter is quantised with a fixed scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from .decoders import CrfDecoder, Decoder, SoftmaxDecoder
from .encoders import RecurrentEncoder
from .exported_parts import N_CONSTANTS, PARTS
from .model import Network
from .recurrent import Recurrent

_MAX_PAIR = 127  # after rounding 128: 255 * 128 fits into 16 bits
_GATES = [0, 3, 1, 2]  # from torch's order (input, forget, cell, output) to ONNX's
_CLOSED, _OPEN = -100.0, 100.0


def build_graph(network: Network, divisors: np.ndarray, *, quantize: bool) -> bytes:
    """The ONNX model of the encoder and the emitter of a `Network`.

    divisors (np.ndarray): What the columns of the inputs are divided by. *Shape:* `(n_inputs,)`
    quantize (bool): Whether the LSTM and the emitter's hidden layer multiply integers of 8 bits.
    RAISES (ValueError): If they have layers that cannot be exported.
    """
    if not isinstance(network.encoder, RecurrentEncoder):
        raise not_exportable(type(network.encoder).__name__)
    graph = _Graph(quantize)
    graph.add_lstm(network.encoder.recurrent, divisors)
    graph.add_emitter(network.decoder)
    return graph.to_bytes()


def read_constants(graph: bytes) -> dict[str, np.ndarray]:
    """The constants of an ONNX model, by name."""
    tensors = onnx.load_model_from_string(graph).graph.initializer
    return {one.name: numpy_helper.to_array(one) for one in tensors}


def exported_weights(
    network: Network, constants: dict[str, np.ndarray], divisors: np.ndarray
) -> Iterator[tuple[Tensor, np.ndarray]]:
    """The weights of a `Network`, and their values in what `build_graph` made of it."""
    encoder: Any = network.encoder
    lstms: list[Any] = _directions(encoder.recurrent)
    for name, scale in (("weight_ih_l0", divisors), ("weight_hh_l0", 1)):
        for i, lstm in enumerate(lstms):
            values, parameter = constants[name][i], getattr(lstm, name)
            if values.dtype == np.int8:
                values = (values * constants[f"{name}_scales"][i]).T
            gates = values.reshape(4, lstm.hidden_size + N_CONSTANTS, -1)
            gates = gates[np.argsort(_GATES), :-N_CONSTANTS]
            yield parameter, gates.reshape(len(parameter), -1)[:, : parameter.shape[1]] / scale
    for i, layer in enumerate(_linear_layers(network.decoder)):
        rows, columns = layer.weight.shape
        values = constants[f"emitter_{i}"]
        if values.dtype == np.int8:
            values = values * constants[f"emitter_{i}_scales"]
        by_direction = values.T.reshape(rows, 1 if i else len(lstms), -1)
        yield layer.weight, by_direction[..., : columns // by_direction.shape[1]].reshape(rows, -1)


class _Graph:
    """Builds the ONNX graph of an LSTM and an emitter.

    quantize (bool): Whether to quantise it.
    """

    def __init__(self, quantize: bool) -> None:
        self.quantize = quantize
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.output = "vectors"
        self.n_directions = 1

    def add_lstm(self, recurrent: Recurrent, divisors: np.ndarray) -> None:
        """Add an LSTM; its output ends each direction with the two constant columns.

        divisors (np.ndarray): What the columns of the inputs are divided by.
        """
        directions = _directions(recurrent)
        from_input, from_hidden, bias = map(
            np.stack, zip(*(_gates(lstm, divisors) for lstm in directions), strict=True)
        )
        settings: dict[str, Any] = {
            "direction": "bidirectional" if len(directions) == 2 else "forward",
            "hidden_size": from_hidden.shape[2],
        }
        both_biases = self._constant(np.hstack([bias, np.zeros_like(bias)]))
        common = both_biases, "lengths", *self._initial_state(*from_hidden.shape[::2])
        if self.quantize:
            inputs, input_scales = self._quantized(from_input, "weight_ih_l0")
            hidden, hidden_scales = self._quantized(from_hidden, "weight_hh_l0")
            names: tuple[str, ...] = (inputs, hidden, *common, "", *input_scales, *hidden_scales)
            kind, settings["domain"] = "DynamicQuantizeLSTM", "com.microsoft"
        else:
            inputs = self._weights(from_input, "weight_ih_l0")
            names = (inputs, self._weights(from_hidden, "weight_hh_l0"), *common)
            kind = "LSTM"
        states = self._add(kind, self.output, *names, **settings)
        by_step = self._add("Transpose", states, perm=[0, 2, 1, 3])
        self.output = self._add("Reshape", by_step, self._constant(np.asarray([0, 0, -1])))
        self.n_directions = len(directions)

    def _initial_state(self, n_directions: int, width: int) -> tuple[str, str]:
        """The hidden state and the cell of each segment: zeros, and the constant units."""
        state = np.zeros((n_directions, 1, width), dtype=np.float32)
        state[..., -N_CONSTANTS:] = 1, -1
        before, after = (self._constant(np.asarray([size])) for size in (n_directions, width))
        shape = self._add("Concat", before, self._add("Shape", "lengths"), after, axis=0)
        hidden = self._add("Expand", self._constant(state), shape)
        return hidden, self._add("Expand", self._constant(state * _OPEN), shape)

    def add_emitter(self, decoder: Decoder) -> None:
        """Add the emitter of a decoder, after `add_lstm`."""
        if type(decoder) not in (CrfDecoder, SoftmaxDecoder):
            raise not_exportable(type(decoder).__name__)
        layers = _linear_layers(decoder)
        for i, layer in enumerate(layers):
            weights = to_array(layer.weight)
            if i == 0:
                by_direction = weights.reshape(len(weights), self.n_directions, -1)
                padded = np.pad(by_direction, ((0, 0), (0, 0), (0, N_CONSTANTS)))
                weights = padded.reshape(len(weights), -1)
            else:
                self.output = self._add("Tanh", self.output)
            name, bias = f"emitter_{i}", self._constant(to_array(layer.bias))
            if self.quantize and layer is not layers[-1]:
                self._add_quantized_product(weights.T, name, bias)
            else:
                product = self._add("MatMul", self.output, self._weights(weights.T, name))
                self.output = self._add("Add", product, bias)

    def _add_quantized_product(self, weights: np.ndarray, name: str, bias: str) -> None:
        """Multiply inputs in the range from -1 to 1 as integers, and add a bias."""
        scale = self._constant(np.float32(1 / 127)), self._constant(np.uint8(128))
        integers = self._add("QuantizeLinear", self.output, *scale)
        by, (scales, zeros) = self._quantized(weights.T, name)
        inputs = integers, by, scale[0], scales, scale[1], zeros, bias
        self.output = self._add("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def to_bytes(self) -> bytes:
        """The finished model."""
        inputs = [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["step", "segment", None]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["segment"]),
        ]
        shape = ["step", "segment", None]
        output = helper.make_tensor_value_info(self.output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "phi_tagger", inputs, [output], self.constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=8)
        return model.SerializeToString()

    def _weights(self, weights: np.ndarray, name: str) -> str:
        """Weights of single precision, in half precision on disk; they lose nothing by it."""
        halved = self._constant(weights.astype(np.float16), name)
        return self._add("Cast", halved, to=TensorProto.FLOAT)

    def _quantized(self, rows: np.ndarray, name: str) -> tuple[str, tuple[str, str]]:
        """Weights as columns of integers; their scales and zero points, one for each column."""
        weights = rows.swapaxes(-1, -2)
        scales = np.maximum(_largest_pair(weights), np.float32(1e-12)) / _MAX_PAIR
        integers = np.rint(weights / scales[..., None, :]).astype(np.int8)
        zeros = np.zeros(scales.shape, dtype=np.int8)
        scaling = self._constant(scales, f"{name}_scales"), self._constant(zeros)
        return self._constant(integers, name), scaling

    def _add(self, kind: str, *inputs: str, **settings: Any) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **settings))
        return output

    def _constant(self, array: Any, name: str = "") -> str:
        name = name or f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name


def _directions(recurrent: Recurrent) -> list[nn.Module]:
    return [lstm for lstm in (recurrent.ahead, recurrent.back) if lstm is not None]


def _linear_layers(decoder: nn.Module) -> list[nn.Linear]:
    return [layer for layer in decoder.modules() if isinstance(layer, nn.Linear)]


def _largest_pair(weights: np.ndarray) -> np.ndarray:
    """The largest sum of two neighbours of one sign in each column, of rows 0 and 1, 2 and 3, …

    Processors without VNNI add the products of these two with inputs up to 255 in 16 bits, and cut
    off what does not fit.
    """
    rows = np.arange(0, weights.shape[-2], 2)
    above = np.add.reduceat(np.maximum(weights, 0), rows, axis=-2)
    below = np.add.reduceat(np.maximum(-weights, 0), rows, axis=-2)
    return np.maximum(above, below).max(-2)


def _gates(lstm: nn.Module, divisors: np.ndarray) -> list[np.ndarray]:
    """The input weights, hidden weights and bias of an LSTM, with two constant units.

    RETURNS (list): *Shapes:* `(4 * width, n_inputs)`, `(4 * width, width)`, `(4 * width,)`
    """
    if not isinstance(lstm, nn.LSTM):
        raise not_exportable(type(lstm).__name__)
    from_input = to_array(lstm.weight_ih_l0) * divisors
    from_hidden, bias = (
        to_array(lstm.weight_hh_l0),
        to_array(lstm.bias_ih_l0) + to_array(lstm.bias_hh_l0),
    )
    padded = []
    for values in (from_input, from_hidden, bias):
        gates = values.reshape(4, lstm.hidden_size, *values.shape[1:])[_GATES]
        padded.append(np.pad(gates, [(0, 0), *[(0, N_CONSTANTS)] * (gates.ndim - 1)]))
    # Input, output, forget: the state stays.
    padded[-1][:3, -N_CONSTANTS:] = [[_CLOSED], [_OPEN], [_OPEN]]
    return [gates.reshape(-1, *gates.shape[2:]) for gates in padded]


def to_array(tensor: Any) -> np.ndarray:
    """The values of a tensor."""
    return np.ascontiguousarray(tensor.detach().cpu().numpy())


def not_exportable(layer: str) -> ValueError:
    """The error of a layer that cannot be exported, by the name of its kind."""
    return ValueError(
        f"cannot export {layer}: only the layers of en_deid can be exported (LSTM encoder, CRF or "
        f"softmax decoder, and the parts {', '.join(PARTS)} of WordEmbed.v1)"
    )
