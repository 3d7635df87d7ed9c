"""A tagger that predicts with onnxruntime, in place of torch, and loads torch to train on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import srsly
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model, set_dropout_rate
from thinc.shims import Shim

from ..errors import install
from .buckets import Bucket, TagScores, make_buckets, uses_gpu
from .exported_parts import N_CONSTANTS, PARTS
from .screen import Screen
from .segments import segment_lengths, sentence_lengths
from .words import WordTypes

ENGINES = ("onnx", "torch")

_ONNX_TAGGER = "onnx_tagger"
_AT_ONCE = 16


@registry.architectures("spacy_deid.OnnxTagger.v1")
def build_onnx_tagger(
    *, max_segment: int = 128, engine: str = "onnx", screen: float = 0.05
) -> Model[list[Doc], TagScores]:
    """Compute tag scores as the `PhiTagger.v1` does that `export_pipeline` exported.

    It holds that tagger, too, for fine-tuning. Once trained, it predicts with torch until it is
    exported again.

    max_segment (int): Maximum tokens of a segment, which is a run of whole sentences.
    engine (str): What to predict with: "onnx", which needs no torch, or "torch". On a GPU
        (`spacy.require_gpu()`), it is always torch.
    screen (float): Probability of holding PHI below which the network does not read a sentence, by
        the exported network's screen, if it has one. 0 reads all sentences, as torch does.
    RAISES (ValueError): If there is no such engine, or `screen` is not in [0, 1).
    """
    if engine not in ENGINES:
        raise ValueError(f"OnnxTagger.v1: engine is '{engine}', but must be {' or '.join(ENGINES)}")
    if not 0 <= screen < 1:
        raise ValueError(f"OnnxTagger.v1: screen is {screen}, but must be from 0 to below 1")
    return Model(
        _ONNX_TAGGER,
        _forward,
        init=_init,
        shims=[OnnxShim({}, {}, engine, screen)],
        attrs={
            "max_segment": max_segment,
            "scheme": "",
            "dropout_rate": 0.0,
            "mixed_precision": False,
        },
        dims={"nO": None},
    )


def is_onnx_tagger(model: Model[list[Doc], TagScores]) -> bool:
    """Whether a tagger is an `OnnxTagger.v1`."""
    return model.name == _ONNX_TAGGER


def onnx_shim(model: Model[list[Doc], TagScores]) -> OnnxShim:
    """The two forms of an `OnnxTagger.v1`."""
    return cast(OnnxShim, model.shims[0])


def torch_tagger(model: Model[list[Doc], TagScores]) -> Model[list[Doc], TagScores]:
    """The `PhiTagger.v1` of a tagger: that of an `OnnxTagger.v1`, or the tagger itself.

    RAISES (ImportError): If torch is not installed.
    """
    if not is_onnx_tagger(model):
        return model
    inner = onnx_shim(model).torch_tagger
    inner.attrs["mixed_precision"] = model.attrs["mixed_precision"]
    set_dropout_rate(inner, model.attrs["dropout_rate"])
    return inner


def drop_network(model: Model[list[Doc], TagScores]) -> None:
    """Make an `OnnxTagger.v1` predict with torch, since its torch weights have changed."""
    if is_onnx_tagger(model):
        shim = onnx_shim(model)
        assert shim.is_loaded, "torch weights that are not loaded cannot have changed"
        shim.network = None


def predicts_with_onnx(model: Model[list[Doc], TagScores]) -> bool:
    """Whether a tagger predicts with onnxruntime, which uses the processor."""
    if not is_onnx_tagger(model) or uses_gpu(model):
        return False
    shim = onnx_shim(model)
    return shim.engine == "onnx" and shim.network is not None


class OnnxNetwork:
    """The exported layers of a tagger.

    state (dict): What is saved: `graph`, encoder and decoder as ONNX; `n_tags`; `crf`, the
        decoder's `transitions`, `start` and `end`, if any; `parts`, for each part of the word
        embedding the name of its torch original and the arguments of its `ExportedPart`; `bounds`,
        divisors of the columns of the embedding; and `screen`, the layers of its `Screen`, if any.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.screen = Screen(state["screen"]) if "screen" in state else None
        self._types = WordTypes([PARTS[name](**arguments) for name, arguments in state["parts"]])

    def embed(self, orths: np.ndarray, vocab: Vocab) -> tuple[np.ndarray, np.ndarray]:
        """The embeddings of word types, and the row of each word there, given its `ORTH` hash.

        RETURNS (tuple[np.ndarray, np.ndarray]): The columns after the first `width` are what the
            screen makes of a word type. *Shapes:* `(n_types, n_columns)` and `(len(orths),)`
        """
        return self._types.embed(orths, vocab, self._embed_types)

    @property
    def width(self) -> int:
        """The width of the network's embeddings."""
        return len(self.state["bounds"]) + N_CONSTANTS

    def score(self, vectors: np.ndarray, bucket: Bucket) -> tuple[np.ndarray, ...]:
        """Score the tags of the segments of a bucket, as `Network` does.

        A few segments at a time: their states stay in the processor's cache.

        vectors (np.ndarray): Embeddings, of which the bucket has the rows.
        """
        rows, lengths = bucket.rows, bucket.lengths.astype(np.int32)
        emissions = np.zeros((*rows.shape, self.state["n_tags"]), dtype=np.float32)
        for start in range(0, len(lengths), _AT_ONCE):
            few = slice(start, start + _AT_ONCE)
            longest = lengths[start]
            inputs = {"vectors": vectors[rows[:longest, few]], "lengths": lengths[few]}
            (emissions[:longest, few],) = self._session.run(None, inputs)
        return (emissions, *self.state["crf"])

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # as in `blas.multiply`
        options.enable_cpu_mem_arena = False  # it would keep buffers of all shapes
        return onnxruntime.InferenceSession(
            self.state["graph"], options, providers=["CPUExecutionProvider"]
        )

    def _embed_types(self, types: np.ndarray) -> np.ndarray:
        """The parts' embeddings, in the range from -1 to 1, the columns `export.py` needs, and what
        the screen makes of them.
        """
        known = self._types
        assert known.vocab is not None
        parts = [
            part.embed(features[types], known.vocab)
            for part, features in zip(known.parts, known.features, strict=True)
        ]
        ones = np.ones((len(types), 1), dtype=np.float32)
        vectors = np.hstack([np.hstack(parts) / self.state["bounds"], ones, -ones])
        return np.hstack([vectors, self.screen.describe(vectors)]) if self.screen else vectors


class OnnxShim(Shim):
    """Both forms of a tagger: its exported network, and its torch original.

    original (dict): The `config` of the `PhiTagger.v1`, and its `weights` but for those that the
        exported network has.
    network (dict): The state of the `OnnxNetwork`, or empty: it is dropped in training.
    engine (str): What to predict with. Not saved: it belongs to the config.
    screen (float): Probability below which a sentence is not read. Not saved, either.
    """

    def __init__(
        self, original: dict[str, Any], network: dict[str, Any], engine: str, screen: float
    ) -> None:
        super().__init__(None)
        self.engine = engine
        self.screen = screen
        self.original = original
        self.network = OnnxNetwork(network) if network else None

    def __reduce__(self) -> tuple:
        return (OnnxShim, (*self._state(), self.engine, self.screen))

    @cached_property
    def torch_tagger(self) -> Model[list[Doc], TagScores]:
        """The torch original, built when it is first needed."""
        try:
            import torch  # noqa: F401

            from .export import restore_weights
        except ImportError as error:
            raise ImportError(
                "the tagger needs torch and onnx for training, GPUs and the engine 'torch': "
                f"{install('train')}"
            ) from error
        model = registry.resolve({"model": self.original["config"]})["model"]
        model.from_bytes(self.original["weights"])
        if self.network is not None:
            restore_weights(model, self.network.state)
        return model

    @property
    def is_loaded(self) -> bool:
        """Whether `torch_tagger` is there already; its weights may have changed."""
        return "torch_tagger" in self.__dict__

    def finish_update(self, optimizer: Any) -> None:
        """Update the torch original; the exported network no longer fits it."""
        if self.is_loaded:
            self.torch_tagger.finish_update(optimizer)
            self.network = None

    @contextmanager
    def use_params(self, params: Any) -> Iterator[None]:
        if not self.is_loaded:
            yield
            return
        with self.torch_tagger.use_params(params):
            yield

    def to_bytes(self) -> bytes:
        return srsly.msgpack_dumps(self._state())

    def from_bytes(self, data: bytes) -> OnnxShim:
        original, network = srsly.msgpack_loads(data)
        self.__dict__ = OnnxShim(original, network, self.engine, self.screen).__dict__
        return self

    def to_device(self, device_type: str, device_id: int) -> None:
        """Do nothing: onnxruntime uses the processor, and torch what spaCy prefers at the time."""

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        original = self.original
        if self.network is not None:
            return original, self.network.state
        if self.is_loaded:
            original = {**original, "weights": self.torch_tagger.to_bytes()}
        return original, {}


def _init(model: Model[list[Doc], TagScores], X: list[Doc] | None = None, Y: object = None) -> None:
    torch_tagger(model).initialize(X=X)


def _forward(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> tuple[TagScores, Callable]:
    shim = onnx_shim(model)
    network = shim.network
    if is_train or network is None or not predicts_with_onnx(model):
        return torch_tagger(model)(docs, is_train)
    orths = np.concatenate([doc.to_array("ORTH") for doc in docs])
    embeddings, types = network.embed(orths, docs[0].vocab)
    vectors, described = np.hsplit(embeddings, [network.width])
    sentences = [sentence_lengths(doc) for doc in docs if len(doc)]
    places = np.arange(len(orths))
    if network.screen and shim.screen and sentences:
        chosen = network.screen.choose(described[types], sentences, shim.screen)
        pairs = list(zip(chosen, sentences, strict=True))
        places = places[np.concatenate([np.repeat(*pair) for pair in pairs])]
        sentences = [lengths[is_chosen] for is_chosen, lengths in pairs]
    max_segment = model.attrs["max_segment"]
    lengths = [n for one in sentences for n in segment_lengths(one.tolist(), max_segment)]
    scores: TagScores = []
    for bucket in make_buckets(lengths):
        rows = places[bucket.rows]
        scored = network.score(vectors, replace(bucket, rows=types[rows]))
        scores.append((replace(bucket, rows=rows), scored))
    return scores, _fixed


def _fixed(loss: Any) -> Any:
    raise NotImplementedError("a prediction of onnxruntime cannot be trained on")
