"""Export of trained taggers, for prediction without torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor, nn

from .decoders import CrfDecoder
from .exported_parts import PARTS
from .model import network_of
from .onnx_graph import build_graph, exported_weights, not_exportable, read_constants, to_array
from .onnx_model import OnnxShim, is_onnx_tagger, onnx_shim, torch_tagger
from .parts.base import WordPart
from .parts.chars import CharBiLSTM
from .parts.form import Orthography, WordLists
from .parts.identity import HashedWords, WordVectors
from .pipe import PhiTagger
from .torch_layer import torch_module


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
    # spaCy's `resume_training` reads these settings as they stand, with no variable resolved
    copy.config["training"]["optimizer"] = copy.config.interpolate()["training"]["optimizer"]
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
            part.table.weight.data = torch.from_numpy(_rounded(to_array(part.table.weight), 128))
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
    constants = read_constants(state["graph"])
    if "emitter_0" not in constants:  # of 0.17, which saved all weights twice
        return
    for part, (_, arguments) in zip(_used_parts(model), state["parts"], strict=True):
        if isinstance(part, HashedWords):
            yield part.table.weight, arguments["table"]
    yield from exported_weights(network_of(model), constants, state["bounds"])


def export_network(model: Model, vocab: Vocab, *, quantize: bool) -> dict[str, Any]:
    """The state of an `OnnxNetwork`: the layers of a trained `PhiTagger.v1`."""
    tok2vec = model.get_ref("tok2vec")
    if tok2vec.name != "word_embed":
        raise not_exportable(tok2vec.name)
    parts = [(type(part).__name__, _arguments(part)) for part in _used_parts(model)]
    bounds = [PARTS[name](**arguments).bound(vocab) for name, arguments in parts]
    divisors = np.maximum(np.concatenate(bounds), np.float32(1e-6))
    if not quantize:
        divisors = np.ones_like(divisors)
    network = network_of(model)
    graph = build_graph(network, divisors, quantize=quantize)
    crf = isinstance(network.decoder, CrfDecoder)
    names = ("transitions", "start", "end") if crf else ()
    return {
        "graph": graph,
        "n_tags": model.get_dim("nO"),
        "crf": [to_array(getattr(network.decoder, name)) for name in names],
        "parts": parts,
        "bounds": divisors,
    }


def _used_parts(model: Model) -> list[WordPart]:
    return [part for part in torch_module(model.get_ref("tok2vec")).types.parts if part.width]


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
            return {"table": to_array(part.table.weight).astype(np.float16)}
        case WordLists() | WordVectors(table=None, project=nn.Linear()):
            return {
                "weights": to_array(layers.project.weight.T),
                "bias": to_array(layers.project.bias),
            }
    raise not_exportable(type(part).__name__)


def _halved(tensors: list[Any]) -> np.ndarray:
    return np.stack([to_array(one) for one in tensors]).astype(np.float16)
