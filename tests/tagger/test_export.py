"""Taggers exported to ONNX: they find what their originals do, without torch."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.vectors import Vectors

import spacy_deid
from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.tagger.export import export_pipeline
from spacy_deid.tagger.exported_parts import ExportedChars
from spacy_deid.tagger.onnx_model import predicts_with_onnx

MODEL: dict[str, Any] = {
    "tok2vec": {
        "@architectures": "spacy_deid.WordEmbed.v1",
        "parts": {
            "chars": {"@misc": "spacy_deid.CharBiLSTM.v1", "width": 6, "max_chars": 8},
            "lists": {"@misc": "spacy_deid.WordLists.v1"},
            "orthography": {"@misc": "spacy_deid.Orthography.v1"},
            "vectors": {"@misc": "spacy_deid.WordVectors.v1", "width": 5},
            "words": {"@misc": "spacy_deid.HashedWords.v1", "rows": 500},
        },
    },
    "encoder": {"@architectures": "spacy_deid.RecurrentEncoder.v1", "hidden_width": 16},
    "decoder": {"@architectures": "spacy_deid.CrfDecoder.v1"},
    "max_segment": 6,
}
TORCH = {"components.phi_tagger.model.engine": "torch"}
TEXTS = ["Seen by Dr. Maria Lopez on 3/4/61 .", "", "No acute distress .", "\n\n", "word " * 40]


def with_vectors() -> Language:
    nlp = spacy.blank("en")
    data = np.asarray([[1, -1], [0.5, 2]], dtype="float16")
    keys = [nlp.vocab.strings.add(word) for word in ("maria", "seen")]
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=keys)
    return nlp


@pytest.fixture(scope="module")
def nlp(train) -> Language:
    return train(MODEL, 15, nlp=with_vectors(), min_score=0.0).nlp


@pytest.fixture(scope="module")
def exported(nlp) -> Language:
    return export_pipeline(nlp)


@pytest.fixture(scope="module")
def quantized(nlp) -> Language:
    return export_pipeline(nlp, quantize=True)


def found(nlp: Language, texts: list[str]) -> list[list[tuple[int, str, float]]]:
    return [
        [(span.start, span.label_, score) for span, score in read_candidates(doc, "phi_tagger")]
        for doc in nlp.pipe(texts)
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"decoder": {"@architectures": "spacy_deid.SoftmaxDecoder.v1", "scheme": "BIO"}},
        {"encoder": {**MODEL["encoder"], "bidirectional": False}},
    ],
)
def test_both_engines_agree(changed, train, tmp_path):
    nlp = train({**MODEL, **changed}, 15, nlp=with_vectors(), min_score=0.0).nlp
    export_pipeline(nlp).to_disk(tmp_path)
    onnx = found(spacy.load(tmp_path), TEXTS)
    torch = found(spacy.load(tmp_path, config=TORCH), TEXTS)
    for original, expected, same in zip(found(nlp, TEXTS), torch, onnx, strict=True):
        assert [one[:2] for one in same] == [one[:2] for one in expected]
        assert [one[2] for one in same] == pytest.approx([one[2] for one in expected], abs=1e-4)
        # half precision on disk
        assert [one[2] for one in same] == pytest.approx([one[2] for one in original], abs=0.01)


def test_quantized_scores_are_close(nlp, quantized, tmp_path):
    quantized.to_disk(tmp_path)
    for copy in (quantized, spacy.load(tmp_path, config=TORCH)):
        for expected, close in zip(found(nlp, TEXTS), found(copy, TEXTS), strict=True):
            assert [one[:2] for one in close] == [one[:2] for one in expected]
            scores = [one[2] for one in expected]
            assert [one[2] for one in close] == pytest.approx(scores, abs=0.05)


def test_weights_are_saved_once(nlp, quantized):
    original = quantized.get_pipe("phi_tagger").model.shims[0].original
    assert len(original["weights"]) < len(nlp.get_pipe("phi_tagger").model.to_bytes()) / 3


def test_vectors_are_rounded(train):
    nlp = with_vectors()
    nlp.vocab.vectors.data[0, 0] = 0.99
    vectors = export_pipeline(train(MODEL, 1, nlp=nlp).nlp).vocab.vectors.data
    assert vectors.dtype == np.float16
    assert vectors.tolist() == [[1, -1], [0.5, 2]]


def test_quantized_scores_do_not_depend_on_the_notes_beside_them(quantized):
    others = [f"Call John at 555-123{i} , or Zoë !" for i in range(9)]
    alone = [found(quantized, [text])[0] for text in TEXTS]
    assert found(quantized, [*TEXTS, *others])[: len(TEXTS)] == alone


def test_the_embedding_of_a_word_does_not_depend_on_the_words_beside_it():
    random = np.random.default_rng(1)
    width, n_chars = 40, 60
    chars = ExportedChars(
        24,
        random.normal(size=(2, n_chars, 4 * width)),
        random.normal(size=(2, width, 4 * width)),
    )
    rows = random.integers(1, n_chars, (300, 24))
    rows[np.arange(24) >= random.integers(1, 25, (300, 1))] = 0
    vocab = spacy.blank("en").vocab
    together = chars.embed(rows, vocab)
    for some in (random.permutation(300)[:n] for n in (1, 2, 7, 33, 250)):
        assert np.array_equal(chars.embed(rows[some], vocab), together[some])


def test_products_of_quantized_weights_fit_into_16_bits(quantized):
    """Processors without VNNI add two at a time in 16 bits."""
    graph = onnx.load_from_string(
        quantized.get_pipe("phi_tagger").model.shims[0].network.state["graph"]
    )
    arrays = [onnx.numpy_helper.to_array(one) for one in graph.graph.initializer]
    weights = [array.astype(int) for array in arrays if array.dtype == np.int8 and array.any()]
    assert len(weights) == 3
    for one in weights:
        first, second = one[..., ::2, :], one[..., 1::2, :]
        for sign in (1, -1):
            pairs = np.maximum(sign * first, 0)
            pairs[..., : second.shape[-2], :] += np.maximum(sign * second, 0)
            assert 100 < pairs.max() and 255 * pairs.max() < 2**15


def test_copies_find_the_same(exported, tmp_path):
    expected = found(exported, TEXTS)
    exported.to_disk(tmp_path)
    sourced = with_vectors()
    sourced.add_pipe("phi_tagger", source=exported)
    for copy in (spacy.load(tmp_path), pickle.loads(pickle.dumps(exported)), sourced):
        assert found(copy, TEXTS) == expected


def test_neither_torch_nor_crfsuite_is_needed(exported, tmp_path):
    exported.to_disk(tmp_path)
    script = """
import sys
sys.modules.update(dict.fromkeys(("torch", "onnx", "pycrfsuite", "sklearn")))  # not importable
import spacy
for doc in spacy.load(sys.argv[1]).pipe(sys.argv[2:]):
    print(*(span.text for span in doc.spans["phi_tagger"]), sep="|")
"""
    command = [sys.executable, "-c", script, str(tmp_path), *TEXTS]
    cwd = Path(spacy_deid.__file__).parent.parent
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd).stdout
    docs = list(exported.pipe(TEXTS))
    expected = ["|".join(span.text for span in doc.spans["phi_tagger"]) for doc in docs]
    assert printed == "".join(f"{line}\n" for line in expected)


def test_there_is_no_third_engine(exported, tmp_path):
    exported.to_disk(tmp_path)
    with pytest.raises(ValueError, match="engine is 'tf', but must be onnx or torch"):
        spacy.load(tmp_path, config={"components.phi_tagger.model.engine": "tf"})


def test_torch_is_named_where_it_is_missing(exported, tmp_path, monkeypatch):
    exported.to_disk(tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'needs torch .* pip install "spacy_deid\[train\]"'):
        spacy.load(tmp_path, config=TORCH)(TEXTS[0])


def test_an_exported_tagger_trains_on(exported, tmp_path):
    exported.to_disk(tmp_path / "exported")
    nlp = spacy.load(tmp_path / "exported")
    text = "Ask Quentin tomorrow ."
    example = Example.from_dict(nlp.make_doc(text), {"entities": [(4, 11, "DOCTOR")]})
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.05
    losses = [nlp.update([example], sgd=optimizer, losses={})["phi_tagger"] for _ in range(20)]
    assert losses[-1] < losses[0] / 10
    trained = found(nlp, [text])
    assert [(start, label) for start, label, score in trained[0] if score > 0.5] == [(1, "DOCTOR")]
    nlp.to_disk(tmp_path / "trained")
    copies = spacy.load(tmp_path / "trained"), pickle.loads(pickle.dumps(nlp))
    assert [found(copy, [text]) for copy in copies] == [trained] * 2
    again = export_pipeline(nlp)
    assert predicts_with_onnx(again.get_pipe("phi_tagger").model)
    assert [one[:2] for one in found(again, [text])[0]] == [one[:2] for one in trained[0]]


def test_labels_of_an_exported_tagger_are_fixed(exported):
    with pytest.raises(ValueError, match="built already"):
        exported.get_pipe("phi_tagger").add_label("ZIP")


@pytest.mark.parametrize(
    ("changed", "layer"),
    [
        ({"encoder": None}, "NoneType"),
        ({"encoder": {**MODEL["encoder"], "cell": "elman"}}, "RNN"),
        ({"decoder": {"@architectures": "spacy_deid.JordanDecoder.v1"}}, "JordanDecoder"),
    ],
)
def test_other_layers_cannot_be_exported(changed, layer, train):
    nlp = train({**MODEL, **changed}, 1, nlp=with_vectors()).nlp
    with pytest.raises(ValueError, match=f"cannot export {layer}: only"):
        export_pipeline(nlp)


def test_a_pipeline_without_a_tagger_cannot_be_exported():
    with pytest.raises(ValueError, match="no phi_tagger"):
        export_pipeline(spacy.blank("en"))


def test_training_of_an_exported_pipeline_can_be_resumed(train):
    nlp = train(MODEL, 2).nlp
    nlp.config["training"]["optimizer"] |= {
        "learn_rate": {
            "@schedules": "warmup_linear.v1",
            "warmup_steps": 1,
            "total_steps": "${training.max_steps}",
            "initial_rate": 0.01,
        }
    }
    exported = export_pipeline(nlp)
    exported.resume_training()
    assert exported.config["training"]["optimizer"]["learn_rate"]["total_steps"] == 20000
