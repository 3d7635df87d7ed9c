from __future__ import annotations

import pytest

from spacy_deid.engine import loading
from spacy_deid.redaction import RedactionError


def test_a_model_that_needs_torch_says_so(monkeypatch):
    def load(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(loading.spacy, "load", load)
    with pytest.raises(RedactionError, match=r"needs torch; .*spacy_deid\[train\]"):
        loading.load_pipeline("other")
