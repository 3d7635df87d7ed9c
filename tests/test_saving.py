from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.util import load_config, registry

from spacy_deid.saving import forget_words

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.cfg"))
TEXT = "Maria Lopez, seen 3/4/2061 by Quistgaard"


def test_a_saved_pipeline_holds_no_word_that_it_has_read(nlp, tmp_path):
    found = [(ent.text, ent.label_) for ent in nlp(TEXT).ents]
    forget_words(nlp).to_disk(tmp_path / "model")
    files = [path for path in (tmp_path / "model").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"Quistgaard" in path.read_bytes()]
    loaded = spacy.load(tmp_path / "model")
    assert [(ent.text, ent.label_) for ent in loaded(TEXT).ents] == found != []
    assert "Quistgaard" in nlp.vocab.strings  # the training goes on with it


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_training_saves_without_words(path: Path):
    callback = load_config(path, interpolate=False)["training"]["before_to_disk"]
    assert registry.resolve({"callback": callback})["callback"] is forget_words
