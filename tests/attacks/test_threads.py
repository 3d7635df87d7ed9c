"""Threads that share one pipeline get what a single thread gets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from spacy.language import Language

from spacy_deid import deidentify
from spacy_deid.custom import Term, Terms
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


@Language.factory("toy_halt")
class ToyHalt:
    """Sets `halted` at a note with "halt", and waits for `go`."""

    def __init__(self, nlp, name):
        self.halted, self.go = Event(), Event()

    def __call__(self, doc):
        if "halt" in doc.text:
            self.halted.set()
            self.go.wait(10)
        return doc


TERMS = Terms([Term("never", "Maria"), Term("CITY", "Zorgstad")])


@pytest.mark.parametrize("settings", [{"terms": TERMS}, {"known": {"CITY": "Zorgstad"}}])
def test_a_note_in_progress_does_not_notice_another_call(nlp, settings):
    pipe = nlp.add_pipe("toy_halt", before="phi_merger")
    with ThreadPoolExecutor(1) as thread:
        note = thread.submit(nlp, "Maria, halt")
        assert pipe.halted.wait(10)
        assert deidentify("Zorgstad", model=nlp, **settings).text == "[CITY]"
        pipe.go.set()
        assert [ent.text for ent in note.result().ents] == ["Maria"]
    assert nlp.pipe_names == ["toy_detector", "toy_halt", "phi_merger"]


def test_terms_of_a_call_are_of_no_other(nlp):
    pipe = nlp.add_pipe("toy_halt", before="phi_merger")
    with ThreadPoolExecutor(1) as thread:
        call = thread.submit(deidentify, "Maria, halt", model=nlp, terms=TERMS)
        assert pipe.halted.wait(10)
        found = [ent.text for ent in nlp("Maria").ents]
        pipe.go.set()
        assert (found, call.result().text) == (["Maria"], "Maria, halt")
