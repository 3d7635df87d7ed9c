"""Threads that share one pipeline get what a single thread gets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from spacy_deid.tagger.onnx_model import torch_tagger


def phi_of(doc):
    return [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]


def in_threads(nlp, texts):
    with ThreadPoolExecutor(8) as threads:
        return [phi_of(doc) for doc in threads.map(nlp, texts)]


@pytest.mark.slow
def test_eight_threads_agree_with_one(load_en_deid, note_texts):
    alone = [phi_of(doc) for doc in load_en_deid().pipe(note_texts)]
    assert sum(map(len, alone)) > 1000
    for _ in range(3):  # each time with empty caches
        nlp = load_en_deid()
        assert in_threads(nlp, note_texts) == alone
    assert in_threads(nlp, note_texts[::-1]) == alone[::-1]  # and with full ones


def test_caches_may_be_emptied_while_other_threads_read(load_en_deid, note_texts, monkeypatch):
    monkeypatch.setattr("spacy_deid.tagger.words._CACHE_LIMIT", 200)
    monkeypatch.setattr("spacy_deid.matcher.pipe.MAX_TYPES", 200)
    nlp, texts = load_en_deid(), note_texts[:20]
    alone = [phi_of(nlp(text)) for text in texts]
    assert in_threads(nlp, texts) == alone


def test_prediction_never_switches_to_training(load_en_deid, note_texts):
    nlp = load_en_deid(config={"components.phi_tagger.model.engine": "torch"})
    tagger = torch_tagger(nlp.get_pipe("phi_tagger").model)
    layers = [layer for layer in tagger.walk() if layer.shims]
    modules = [part for layer in layers for part in layer.shims[0]._model.modules()]
    assert modules and not any(module.training for module in modules)
    nlp(note_texts[0])
    assert not any(module.training for module in modules)
