"""Export of trained taggers to ONNX, for prediction without torch.

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
import torch
from onnx import TensorProto, helper, numpy_helper
from spacy.language import Language
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor, nn

from .decode import CrfDecoder, Decoder, SoftmaxDecoder
from .encode import RecurrentEncoder
from .exported_parts import PARTS
from .model import network_of
from .onnx_model import OnnxShim, is_onnx_tagger, onnx_shim, torch_tagger
from .parts.base import WordPart
from .parts.chars import CharBiLSTM
from .parts.form import Orthography, WordLists
from .parts.identity import HashedWords, WordVectors
from .pipe import PhiTagger
from .recurrent import Recurrent
from .torch_layer import torch_module

_MAX_PAIR = 127  # after rounding 128: 255 * 128 fits into 16 bits
_GATES = [0, 3, 1, 2]  # from torch's order (input, forget, cell, output) to ONNX's
_CLOSED, _OPEN = -100.0, 100.0


def export_pipeline(nlp: Language, *, quantize: bool = False) -> Language:
    """A copy of a trained pipeline whose taggers predict without torch; its words are forgotten.

    Weights are rounded to half precision, and multiplied in single precision. Those of hashed words
    and the word vectors are rounded further (`_rounded`). What the exported network holds is saved
    there only: torch weights are restored from it, so with `quantize` they are of 8 bits, too.

    quantize (bool): Whether the LSTM and the emitter's hidden layer multiply integers of 8 bits:
        they are more than twice as fast, while 3 detections in 1,000 differ. The same integers on
        every processor.
    RAISES (ValueError): If there is no tagger, or it has layers that cannot be exported.
    """
    taggers = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhiTagger)}
    if not taggers:
        raise ValueError("the pipeline has no phi_tagger to export")
    config = nlp.config.copy()
    for name, tagger in taggers.items():
        config["components"][name]["model"] = {
            "@architectures": "spacy_deid.OnnxTagger.v1",
            "max_segment": tagger.model.attrs["max_segment"],
        }
    copy = nlp.__class__.from_config(config)
    copy.from_bytes(nlp.to_bytes(exclude=["strings", *taggers]), exclude=list(taggers))
    copy.vocab.vectors.data = _rounded(copy.vocab.vectors.data, 32)
    for name, tagger in taggers.items():
        exported: Any = copy.get_pipe(name)
        exported.cfg = dict(tagger.cfg)
        exported.model.attrs["scheme"] = tagger.model.attrs["scheme"]
        exported.model.set_dim("nO", tagger.model.get_dim("nO"))
        original = {
            "config": _config_of(tagger, nlp.config.interpolate()["components"][name]),
            "weights": torch_tagger(tagger.model).to_bytes(),
        }
        blank = onnx_shim(exported.model)
        states = _export(original, copy.vocab, quantize=quantize)
        exported.model.shims[0] = OnnxShim(*states, blank.engine, blank.screen)
    return copy


def _config_of(tagger: PhiTagger, config: dict[str, Any]) -> Any:
    """The config of the `PhiTagger.v1` of a tagger."""
    if is_onnx_tagger(tagger.model):
        return onnx_shim(tagger.model).original["config"]
    return config["model"]


def _export(
    original: dict[str, Any], vocab: Vocab, *, quantize: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both forms of a tagger, given its torch original; neither repeats the other's weights."""
    model = OnnxShim(original, {}, "onnx", 0.0).torch_tagger
    modules = [shim._model for layer in model.walk() for shim in layer.shims]
    for module in modules:
        module.half().float()
    for part in torch_module(model.get_ref("tok2vec")).types.parts:
        if isinstance(part, HashedWords):
            part.table.weight.data = torch.from_numpy(_rounded(_array(part.table.weight), 128))
    network = export_network(model, vocab, quantize=quantize)
    for module in modules:
        module.half()
    for parameter, _ in _shared_weights(model, network):
        parameter.data = parameter.data.new_zeros(1).expand(parameter.shape)  # saves as one number
    return {**original, "weights": model.to_bytes()}, network


def _rounded(values: np.ndarray, parts: int) -> np.ndarray:
    """Values as multiples of a power of 2, about `1 / parts` of their size: they compress better.

    Packages are compressed: vectors take a third less room by it, at no cost when they are loaded.
    """
    single = values.astype(np.float32)
    if not single.any():
        return values
    step = np.exp2(np.rint(np.log2(np.sqrt(np.square(single).mean()) / parts)))
    return (np.rint(single / step) * step).astype(values.dtype)


def restore_weights(model: Model, network: dict[str, Any]) -> None:
    """Give a torch tagger the weights that were saved only in its exported network.

    network (dict): The state of the `OnnxNetwork`.
    """
    for parameter, values in _shared_weights(model, network):
        parameter.data.copy_(torch.tensor(values))


def _shared_weights(model: Model, state: dict[str, Any]) -> Iterator[tuple[Tensor, np.ndarray]]:
    """The largest parameters of a torch tagger, and their values in its exported network."""
    tensors = onnx.load_model_from_string(state["graph"]).graph.initializer
    arrays = {one.name: numpy_helper.to_array(one) for one in tensors}
    if "emitter_0" not in arrays:  # of 0.17, which saved all weights twice
        return
    for part, (_, arguments) in zip(_used_parts(model), state["parts"], strict=True):
        if isinstance(part, HashedWords):
            yield part.table.weight, arguments["table"]
    network: Any = network_of(model)
    lstms: list[Any] = _directions(network.encoder.recurrent)
    for name, divisors in (("weight_ih_l0", state["bounds"]), ("weight_hh_l0", 1)):
        for i, lstm in enumerate(lstms):
            values, parameter = arrays[name][i], getattr(lstm, name)
            if values.dtype == np.int8:
                values = (values * arrays[f"{name}_scales"][i]).T
            gates = values.reshape(4, lstm.hidden_size + 2, -1)[np.argsort(_GATES), :-2]
            yield parameter, gates.reshape(len(parameter), -1)[:, : parameter.shape[1]] / divisors
    for i, layer in enumerate(_linear_layers(network.decoder)):
        rows, columns = layer.weight.shape
        values = arrays[f"emitter_{i}"]
        if values.dtype == np.int8:
            values = values * arrays[f"emitter_{i}_scales"]
        by_direction = values.T.reshape(rows, 1 if i else len(lstms), -1)
        yield layer.weight, by_direction[..., : columns // by_direction.shape[1]].reshape(rows, -1)


def export_network(model: Model, vocab: Vocab, *, quantize: bool) -> dict[str, Any]:
    """The state of an `OnnxNetwork`: the layers of a trained `PhiTagger.v1`."""
    tok2vec = model.get_ref("tok2vec")
    if tok2vec.name != "word_embed":
        raise _not_exportable(tok2vec.name)
    parts = [(type(part).__name__, _arguments(part)) for part in _used_parts(model)]
    bounds = [PARTS[name](**arguments).bound(vocab) for name, arguments in parts]
    network = network_of(model)
    if not isinstance(network.encoder, RecurrentEncoder):
        raise _not_exportable(type(network.encoder).__name__)
    divisors = np.maximum(np.concatenate(bounds), np.float32(1e-6))
    if not quantize:
        divisors = np.ones_like(divisors)
    graph = _Graph(quantize)
    graph.add_lstm(network.encoder.recurrent, divisors)
    graph.add_emitter(network.decoder)
    crf = isinstance(network.decoder, CrfDecoder)
    names = ("transitions", "start", "end") if crf else ()
    return {
        "graph": graph.to_bytes(),
        "n_tags": model.get_dim("nO"),
        "crf": [_array(getattr(network.decoder, name)) for name in names],
        "parts": parts,
        "bounds": divisors,
    }


def _used_parts(model: Model) -> list[WordPart]:
    return [part for part in torch_module(model.get_ref("tok2vec")).types.parts if part.width]


def _directions(recurrent: Recurrent) -> list[nn.Module]:
    return [lstm for lstm in (recurrent.ahead, recurrent.back) if lstm is not None]


def _linear_layers(decoder: nn.Module) -> list[nn.Linear]:
    return [layer for layer in decoder.modules() if isinstance(layer, nn.Linear)]


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
        state[..., -2:] = 1, -1
        before, after = (self._constant(np.asarray([size])) for size in (n_directions, width))
        shape = self._add("Concat", before, self._add("Shape", "lengths"), after, axis=0)
        hidden = self._add("Expand", self._constant(state), shape)
        return hidden, self._add("Expand", self._constant(state * _OPEN), shape)

    def add_emitter(self, decoder: Decoder) -> None:
        """Add the emitter of a decoder, after `add_lstm`."""
        if type(decoder) not in (CrfDecoder, SoftmaxDecoder):
            raise _not_exportable(type(decoder).__name__)
        layers = _linear_layers(decoder)
        for i, layer in enumerate(layers):
            weights = _array(layer.weight)
            if i == 0:
                by_direction = weights.reshape(len(weights), self.n_directions, -1)
                padded = np.pad(by_direction, ((0, 0), (0, 0), (0, 2)))
                weights = padded.reshape(len(weights), -1)
            else:
                self.output = self._add("Tanh", self.output)
            name, bias = f"emitter_{i}", self._constant(_array(layer.bias))
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
                "from_chars": _halved(tables),
                "from_hidden": _halved([lstm.weight_hh_l0.T for lstm in directions]),
            }
        case HashedWords() | Orthography():
            return {"table": _array(part.table.weight).astype(np.float16)}
        case WordLists() | WordVectors(table=None, project=nn.Linear()):
            return {"weights": _array(layers.project.weight.T), "bias": _array(layers.project.bias)}
    raise _not_exportable(type(part).__name__)


def _halved(tensors: list[Any]) -> np.ndarray:
    return np.stack([_array(one) for one in tensors]).astype(np.float16)


def _array(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values.detach().cpu().numpy())


def _not_exportable(name: str) -> ValueError:
    return ValueError(
        f"cannot export {name}: only the layers of en_deid can be exported (LSTM encoder, CRF or "
        f"softmax decoder, and the parts {', '.join(PARTS)} of WordEmbed.v1)"
    )
