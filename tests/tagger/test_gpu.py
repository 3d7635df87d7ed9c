"""What a GPU changes, on the processor: its operations are those of a GPU in name only."""

from __future__ import annotations

import numpy as np
import pytest
import spacy
from small_tagger import MODEL
from spacy.language import Language
from spacy.vectors import Vectors
from thinc.api import CupyOps, Model, NumpyOps

from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.tagger.buckets import batch_scale, make_buckets
from spacy_deid.tagger.export import export_pipeline
from spacy_deid.tagger.features import VectorRow
from spacy_deid.tagger.onnx_model import predicts_with_onnx

TEXTS = ["Seen by Dr. Maria Lopez on 3/4/61 .", "", "No acute distress ."]


class GpuOps(NumpyOps, CupyOps):
    """Operations on the processor that pass for those of a GPU."""


@pytest.fixture
def exported(train) -> Language:
    return export_pipeline(train(MODEL, 15, min_score=0.0, mixed_precision=True).nlp)


def found(nlp: Language) -> list[list[tuple[int, str, float]]]:
    return [
        [(span.start, span.label_, score) for span, score in read_candidates(doc, "phi_tagger")]
        for doc in nlp.pipe(TEXTS)
    ]


def test_an_exported_tagger_predicts_with_torch_on_a_gpu(exported, monkeypatch):
    expected = found(exported)
    tagger = exported.get_pipe("phi_tagger")
    assert predicts_with_onnx(tagger.model)
    monkeypatch.setattr(tagger.model, "ops", GpuOps())
    monkeypatch.setattr("spacy_deid.tagger.onnx_model.OnnxNetwork.score", None)
    with monkeypatch.context() as bfloat16:
        bfloat16.setattr("spacy_deid.tagger.torch_layer.has_bfloat16", lambda: True)
        assert not predicts_with_onnx(tagger.model) and not tagger.uses_bfloat16
    for with_onnx, with_torch in zip(expected, found(exported), strict=True):
        assert [one[:2] for one in with_torch] == [one[:2] for one in with_onnx]
        assert [one[2] for one in with_torch] == pytest.approx(
            [one[2] for one in with_onnx], abs=0.01
        )


def test_batches_are_larger_on_a_gpu(exported, monkeypatch):
    tagger = exported.get_pipe("phi_tagger")
    tagger.max_batch_tokens = 10
    sizes: list[int] = []

    def predict(docs: list) -> list:
        sizes.append(len(docs))
        return []

    monkeypatch.setattr(tagger, "_predict_batch", predict)
    docs = [exported.make_doc("word " * 10) for _ in range(16)]
    tagger.predict(docs)
    monkeypatch.setattr(tagger.model, "ops", GpuOps())
    tagger.predict(docs)
    assert sizes == [1] * 16 + [8, 8]


def test_buckets_are_larger_on_a_gpu():
    model: Model = Model("any", lambda *_: None, ops=GpuOps())
    lengths = list(range(1, 1025))
    sizes = [len(bucket.lengths) for bucket in make_buckets(lengths, batch_scale(model))]
    assert sizes == [512, 512] and len(make_buckets(lengths)) == 16


def test_vectors_are_read_from_where_they_are():
    vocab = spacy.blank("en").vocab
    vocab.vectors = Vectors(data=np.asarray([[1, -1], [0.5, 2]], dtype="float16"))
    rows = VectorRow.vectors(np.asarray([1, -1]), vocab)
    assert rows.dtype == np.float32 and rows.tolist() == [[0.5, 2], [0, 0]]
