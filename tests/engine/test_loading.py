from __future__ import annotations

import subprocess
import sys

import pytest

from spacy_deid.engine import loading
from spacy_deid.redaction import RedactionError


def test_a_model_that_needs_torch_says_so(monkeypatch):
    def load(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(loading.spacy, "load", load)
    with pytest.raises(RedactionError, match=r"needs torch; .*spacy_deid\[train\]"):
        loading.load_pipeline("other")


def test_the_engine_knows_no_way_in():
    code = (
        "import sys, spacy_deid.engine.loading, spacy_deid.engine.pool, spacy_deid.engine.gpu; "
        "sys.exit('spacy_deid.batch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
