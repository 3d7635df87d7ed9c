from __future__ import annotations

import os

import pytest

from spacy_deid.engine import loading
from spacy_deid.redaction import RedactionError


def test_a_model_that_needs_torch_says_so(monkeypatch):
    def load(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(loading.spacy, "load", load)
    with pytest.raises(RedactionError, match=r"needs torch; .*spacy_deid\[train\]"):
        loading.load_pipeline("other")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("is_used", [True, False])
def test_a_fork_waits_for_no_thread_that_it_lacks(monkeypatch, is_used):
    loaded = []
    monkeypatch.setattr(loading, "load_pipeline", loaded.append)
    loading.load_once.cache_clear()
    loading.load_once("model")
    if is_used:
        loading.ONE_AT_A_TIME.acquire()
    child = os.fork()
    if not child:
        is_free = loading.ONE_AT_A_TIME.acquire(timeout=5)
        loading.load_once("model")
        os._exit(0 if is_free and len(loaded) == 1 + is_used else 1)
    if is_used:
        loading.ONE_AT_A_TIME.release()
    assert os.waitpid(child, 0)[1] == 0
    loading.load_once.cache_clear()
