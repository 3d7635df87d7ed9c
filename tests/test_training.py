from __future__ import annotations

import io
from pathlib import Path

import spacy
from spacy.util import load_config

from spacy_deid.training import create_gain_logger, describe_gain

CONFIG = Path(__file__).parents[1] / "configs" / "en_deid_tune.cfg"


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
