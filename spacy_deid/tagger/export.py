"""Export of trained taggers to ONNX, for prediction without torch.

In the quantised network, weights and layer inputs are integers. ONNX's quantised LSTM derives the
scale of its inputs and states from the range of their values in the whole batch, so that a note's
scores would depend on the notes beside it. Two constant columns prevent this: each input and state
is in the range from -1 to 1, and has a column that is always 1 and one that is always -1, which no
weight uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from spacy.language import Language
from torch import nn

from .decode import CrfDecoder, Decoder, SoftmaxDecoder
from .encode import RecurrentEncoder
from .exported_parts import PARTS
from .model import network_of
from .parts.base import WordPart
from .parts.chars import CharBiLSTM
from .parts.form import Orthography, WordLists
from .parts.identity import HashedWords, WordVectors
from .pipe import PhiTagger
from .recurrent import Recurrent
from .torch_layer import torch_module

_MAX_WEIGHT = 63  # 7 bits: sums of two products fit into the 16 bits of processors without VNNI
_GATES = [0, 3, 1, 2]  # from torch's order (input, forget, cell, output) to ONNX's
_CLOSED, _OPEN = -100.0, 100.0


def export_pipeline(nlp: Language, *, quantize: bool = True) -> Language:
    """A copy of a trained pipeline whose taggers need no torch; its words are forgotten.

    quantize (bool): Whether to multiply integers of 8 bits: three times as fast as single
        precision, while a few detections in a thousand differ.
    RAISES (ValueError): If there is no tagger, or it has layers that cannot be exported.
    """
    taggers = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhiTagger)}
    if not taggers:
        raise ValueError("the pipeline has no phi_tagger to export")
    if any(tagger.is_exported for tagger in taggers.values()):
        raise ValueError("the pipeline was exported to ONNX and cannot be exported again")
    config = nlp.config.copy()
    for name, tagger in taggers.items():
        config["components"][name]["model"] = {
            "@architectures": "spacy_deid.OnnxTagger.v1",
            "max_segment": tagger.model.attrs["max_segment"],
        }
    copy = nlp.__class__.from_config(config)
    copy.from_bytes(nlp.to_bytes(exclude=["strings", *taggers]), exclude=list(taggers))
    for name, tagger in taggers.items():
        exported: Any = copy.get_pipe(name)
        exported.cfg = dict(tagger.cfg)
        exported.model.attrs["scheme"] = tagger.model.attrs["scheme"]
        exported.model.shims[0].state = export_tagger(tagger, quantize=quantize)
    return copy


def export_tagger(tagger: PhiTagger, *, quantize: bool = True) -> dict[str, Any]:
    """The state of an `OnnxShim`: the layers of a trained tagger."""
    tok2vec = tagger.model.get_ref("tok2vec")
    if tok2vec.name != "word_embed":
        raise _not_exportable(tok2vec.name)
    used = [part for part in torch_module(tok2vec).types.parts if part.width]
    parts = [(type(part).__name__, _arguments(part)) for part in used]
    bounds = [PARTS[name](**arguments).bound(tagger.vocab) for name, arguments in parts]
    network = network_of(tagger.model)
    if not isinstance(network.encoder, RecurrentEncoder):
        raise _not_exportable(type(network.encoder).__name__)
    divisors = np.maximum(np.concatenate(bounds), np.float32(1e-6))
    graph = _Graph(quantize)
    graph.add_lstm(network.encoder.recurrent, divisors)
    graph.add_emitter(network.decoder)
    crf = isinstance(network.decoder, CrfDecoder)
    names = ("transitions", "start", "end") if crf else ()
    return {
        "network": graph.to_bytes(),
        "n_tags": tagger.model.get_dim("nO"),
        "crf": [_array(getattr(network.decoder, name)) for name in names],
        "parts": parts,
        "bounds": divisors,
    }


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
        directions = [lstm for lstm in (recurrent.ahead, recurrent.back) if lstm is not None]
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
            inputs, input_scales = self._quantized(from_input.transpose(0, 2, 1))
            hidden, hidden_scales = self._quantized(from_hidden.transpose(0, 2, 1))
            names: tuple[str, ...] = (inputs, hidden, *common, "", *input_scales, *hidden_scales)
            kind, settings["domain"] = "DynamicQuantizeLSTM", "com.microsoft"
        else:
            names = (self._constant(from_input), self._constant(from_hidden), *common)
            kind = "LSTM"
        states = self._add(kind, self.output, *names, **settings)
        by_step = self._add("Transpose", states, perm=[0, 2, 1, 3])
        self.output = self._add("Reshape", by_step, self._constant(np.asarray([0, 0, -1])))
        self.n_directions = len(directions)

    def _initial_state(self, n_directions: int, width: int) -> tuple[str, str]:
        """The hidden state and the cell of each segment: zeros, and the constant units."""
        state = np.zeros((n_directions, 1, width), dtype=np.float32)
        state[..., -2:] = 1, -1
        before, after = (self._constant(np.asarray([size])) for size in (n_directions, width))
        shape = self._add("Concat", before, self._add("Shape", "lengths"), after, axis=0)
        hidden = self._add("Expand", self._constant(state), shape)
        return hidden, self._add("Expand", self._constant(state * _OPEN), shape)

    def add_emitter(self, decoder: Decoder) -> None:
        """Add the emitter of a decoder, after `add_lstm`."""
        if type(decoder) not in (CrfDecoder, SoftmaxDecoder):
            raise _not_exportable(type(decoder).__name__)
        emitter: Any = decoder.emit
        layers = [layer for layer in emitter.modules() if isinstance(layer, nn.Linear)]
        for layer in layers:
            weights = _array(layer.weight)
            if layer is layers[0]:
                by_direction = weights.reshape(len(weights), self.n_directions, -1)
                padded = np.pad(by_direction, ((0, 0), (0, 0), (0, 2)))
                weights = padded.reshape(len(weights), -1)
            else:
                self.output = self._add("Tanh", self.output)
            self._add_linear(weights.T, _array(layer.bias))

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

    def _add_linear(self, weights: np.ndarray, bias: np.ndarray) -> None:
        """Add a linear layer whose inputs are in the range from -1 to 1."""
        if not self.quantize:
            product = self._add("MatMul", self.output, self._constant(weights))
            self.output = self._add("Add", product, self._constant(bias))
            return
        scale, zero = self._constant(np.float32(1 / 127)), self._constant(np.uint8(128))
        inputs = self._add("QuantizeLinear", self.output, scale, zero)
        quantized, (scales, zeros) = self._quantized(weights)
        self.output = self._add(
            "MatMulIntegerToFloat",
            *(inputs, quantized, scale, scales, zero, zeros, self._constant(bias)),
            domain="com.microsoft",
        )

    def _quantized(self, weights: np.ndarray) -> tuple[str, tuple[str, str]]:
        """Weights as integers; their scales and zero points, one for each column."""
        scales = np.maximum(np.abs(weights).max(-2), np.float32(1e-12)) / _MAX_WEIGHT
        integers = np.rint(weights / scales[..., None, :]).astype(np.int8)
        zeros = np.zeros(scales.shape, dtype=np.int8)
        return self._constant(integers), (self._constant(scales), self._constant(zeros))

    def _add(self, kind: str, *inputs: str, **settings: Any) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **settings))
        return output

    def _constant(self, array: Any) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name


def _gates(lstm: nn.Module, divisors: np.ndarray) -> list[np.ndarray]:
    """The input weights, hidden weights and bias of an LSTM, with two constant units.

    RETURNS (list): *Shapes:* `(4 * width, n_inputs)`, `(4 * width, width)`, `(4 * width,)`
    """
    if not isinstance(lstm, nn.LSTM):
        raise _not_exportable(type(lstm).__name__)
    from_input = _array(lstm.weight_ih_l0) * divisors
    from_hidden, bias = _array(lstm.weight_hh_l0), _array(lstm.bias_ih_l0) + _array(lstm.bias_hh_l0)
    padded = []
    for values in (from_input, from_hidden, bias):
        gates = values.reshape(4, lstm.hidden_size, *values.shape[1:])[_GATES]
        padded.append(np.pad(gates, [(0, 0), *[(0, 2)] * (gates.ndim - 1)]))
    padded[-1][:3, -2:] = [[_CLOSED], [_OPEN], [_OPEN]]  # input, output, forget: the state stays
    return [gates.reshape(-1, *gates.shape[2:]) for gates in padded]


def _arguments(part: WordPart) -> dict[str, Any]:
    """The arguments of the `ExportedPart` of a part."""
    layers: Any = part
    match part:
        case CharBiLSTM(cell="lstm"):
            directions = layers.recurrent.ahead, layers.recurrent.back
            tables = [
                layers.chars.weight @ lstm.weight_ih_l0.T + lstm.bias_ih_l0 + lstm.bias_hh_l0
                for lstm in directions
            ]
            return {
                "max_chars": part.max_chars,
                "from_chars": np.stack([_array(table) for table in tables]),
                "from_hidden": np.stack([_array(lstm.weight_hh_l0.T) for lstm in directions]),
            }
        case HashedWords() | Orthography():
            return {"table": _array(part.table.weight)}
        case WordLists() | WordVectors(table=None, project=nn.Linear()):
            return {"weights": _array(layers.project.weight.T), "bias": _array(layers.project.bias)}
    raise _not_exportable(type(part).__name__)


def _array(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values.detach().cpu().numpy())


def _not_exportable(name: str) -> ValueError:
    return ValueError(
        f"cannot export {name}: only the layers of en_deid can be exported (LSTM encoder, CRF or "
        f"softmax decoder, and the parts {', '.join(PARTS)} of WordEmbed.v1)"
    )
