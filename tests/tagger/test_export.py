"""Taggers exported to ONNX: they find what their originals do, without torch."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.vectors import Vectors

import spacy_deid
from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.tagger.export import export_pipeline

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
def test_in_single_precision_nothing_differs(changed, train):
    nlp = train({**MODEL, **changed}, 15, nlp=with_vectors(), min_score=0.0).nlp
    pairs = zip(found(nlp, TEXTS), found(export_pipeline(nlp, quantize=False), TEXTS), strict=True)
    for expected, same in pairs:
        assert [one[:2] for one in same] == [one[:2] for one in expected]
        assert [one[2] for one in same] == pytest.approx([one[2] for one in expected], abs=1e-4)


def test_quantized_scores_are_close(nlp, exported):
    for expected, close in zip(found(nlp, TEXTS), found(exported, TEXTS), strict=True):
        assert [one[:2] for one in close] == [one[:2] for one in expected]
        assert [one[2] for one in close] == pytest.approx([one[2] for one in expected], abs=0.05)


def test_quantized_scores_do_not_depend_on_the_notes_beside_them(exported):
    others = [f"Call John at 555-123{i} , or Zoë !" for i in range(9)]
    alone = [found(exported, [text])[0] for text in TEXTS]
    assert found(exported, [*TEXTS, *others])[: len(TEXTS)] == alone


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


def test_an_exported_tagger_cannot_be_trained(exported):
    example = Example.from_dict(exported.make_doc(TEXTS[0]), {"entities": []})
    with pytest.raises(ValueError, match="exported to ONNX and cannot be trained"):
        exported.update([example])
    with pytest.raises(ValueError, match="exported to ONNX and cannot be trained"):
        exported.initialize(lambda: [example])


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
