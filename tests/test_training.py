from __future__ import annotations

import io
from pathlib import Path

import pytest
import spacy
from spacy.util import load_config, registry

from spacy_deid.training import create_gain_logger, describe_gain, forget_words

CONFIG = Path(__file__).parents[1] / "configs" / "en_deid_tune.cfg"
CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.cfg"))
TEXT = "Maria Lopez, seen 3/4/2061 by Quistgaard"


def test_fine_tuning_ends_with_before_and_after():
    assert load_config(CONFIG)["training"]["logger"] == {"@loggers": "spacy_deid.GainLogger.v1"}
    out = io.StringIO()
    log_step, finalize = create_gain_logger()(spacy.blank("en"), out, out)
    for step, score in ((0, 0.8), (500, 0.9), (1000, 0.85)):
        log_step({"epoch": 0, "step": step, "losses": {}, "score": score, "other_scores": {}})
        log_step(None)
    finalize()
    last = out.getvalue().splitlines()[-1]
    assert last.startswith("Fine-tuning gained 0.1000: score on the dev notes 0.8000 before")
    assert last.endswith("0.9000 after (step 500).")


def test_it_says_when_the_base_was_best():
    assert describe_gain([(0.8, 0), (0.8, 500)]).startswith("Fine-tuning gained nothing")
    assert "gain is unknown" in describe_gain([(0.8, 0)])


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
