"""A tagger exported to ONNX: it computes what its torch original does, faster and without torch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import srsly
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.shims import Shim

from .buckets import Bucket, TagScores, make_buckets
from .exported_parts import PARTS
from .segments import segment_lengths
from .words import WordTypes

ONNX_TAGGER = "onnx_tagger"
"""Name of the model."""

_AT_ONCE = 16


@registry.architectures("spacy_deid.OnnxTagger.v1")
def build_onnx_tagger(*, max_segment: int = 128) -> Model[list[Doc], TagScores]:
    """Compute tag scores as the `PhiTagger.v1` did that `export_pipeline` exported.

    max_segment (int): Maximum tokens of a segment, which is a run of whole sentences.
    """
    return Model(
        ONNX_TAGGER,
        _forward,
        shims=[OnnxShim({})],
        attrs={"max_segment": max_segment, "scheme": ""},
        dims={"nO": None},
    )


class OnnxShim(Shim):
    """The exported layers of a tagger.

    state (dict): What is saved: `network`, encoder and decoder as ONNX; `n_tags`; `crf`, the
        decoder's `transitions`, `start` and `end`, if any; `parts`, for each part of the word
        embedding the name of its torch original and the arguments of its `ExportedPart`; and
        `bounds`, divisors of the columns of the embedding.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__(None)
        self.state = state

    def __reduce__(self) -> tuple:
        return (OnnxShim, (self.state,))

    def embed(self, orths: np.ndarray, vocab: Vocab) -> np.ndarray:
        """Embed tokens, given their `ORTH` hashes. *Shape:* `(n_tokens, width)`"""
        return self._types.embed(orths, vocab, self._embed_types)

    def score(self, vectors: np.ndarray, bucket: Bucket) -> tuple[np.ndarray, ...]:
        """Score the tags of the segments of a bucket, as `Network` does.

        A few segments at a time: their states stay in the processor's cache.

        vectors (np.ndarray): Embeddings of all tokens.
        """
        rows, lengths = bucket.rows, bucket.lengths.astype(np.int32)
        emissions = np.zeros((*rows.shape, self.state["n_tags"]), dtype=np.float32)
        for start in range(0, len(lengths), _AT_ONCE):
            few = slice(start, start + _AT_ONCE)
            longest = lengths[start]
            inputs = {"vectors": vectors[rows[:longest, few]], "lengths": lengths[few]}
            (emissions[:longest, few],) = self._session.run(None, inputs)
        return (emissions, *self.state["crf"])

    def to_bytes(self) -> bytes:
        return srsly.msgpack_dumps(self.state)

    def from_bytes(self, data: bytes) -> OnnxShim:
        self.__dict__ = OnnxShim(srsly.msgpack_loads(data)).__dict__
        return self

    def to_device(self, device_type: str, device_id: int) -> None:
        """Do nothing: it always runs on the processor."""

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # as in `blas.multiply`
        options.enable_cpu_mem_arena = False  # it would keep buffers of all shapes
        return onnxruntime.InferenceSession(
            self.state["network"], options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _types(self) -> WordTypes:
        return WordTypes([PARTS[name](**arguments) for name, arguments in self.state["parts"]])

    def _embed_types(self, types: np.ndarray) -> np.ndarray:
        """The parts' embeddings, in the range from -1 to 1, and the columns `export.py` needs."""
        known = self._types
        parts = [
            part.embed(features[types], known.vocab)
            for part, features in zip(known.parts, known.features, strict=True)
        ]
        ones = np.ones((len(types), 1), dtype=np.float32)
        return np.hstack([np.hstack(parts) / self.state["bounds"], ones, -ones])


def _forward(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> tuple[TagScores, Callable]:
    shim: Any = model.shims[0]
    lengths = [n for doc in docs for n in segment_lengths(doc, model.attrs["max_segment"])]
    vectors = shim.embed(np.concatenate([doc.to_array("ORTH") for doc in docs]), docs[0].vocab)
    scores = [(bucket, shim.score(vectors, bucket)) for bucket in make_buckets(lengths)]
    return scores, _no_backprop


def _no_backprop(loss: Any) -> Any:
    raise NotImplementedError("an exported tagger cannot be trained")
