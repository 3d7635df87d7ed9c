from pathlib import Path

import pytest
from spacy.util import load_config

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.evaluation.feature_selection import Step, select_features

CONFIG = Path(__file__).parents[1] / "crf" / "token_crf.cfg"


def note_of(number: int, before: str, phi: str, after: str) -> Note:
    span = PhiSpan(len(before), len(before) + len(phi), "IDNUM")
    return Note(f"n{number}", before + phi + after, (span,))


# The numbers differ, so only their shape tells; the words around them are the same everywhere.
TRAIN = [note_of(i, "Lot ", f"{i}77-{i}{i}", " and dose 20 mg") for i in range(1, 6)]
DEV = [note_of(i, "dose 33 mg and ", f"{i}55-{i}0", " lot") for i in range(6, 10)]


def config_of(*features: str):
    config = load_config(CONFIG)
    config["components"]["phi_crf"].update(features=list(features), window=0)
    config["components"]["phi_crf"]["windows"] = {"shapes": 0} if "shapes" in features else {}
    return config


def test_the_useful_group_is_chosen_alone():
    trials = []
    steps = select_features(
        config_of("words", "shapes", "section"),
        TRAIN,
        DEV,
        on_trial=lambda groups, f1: trials.append((groups, f1)),
    )
    assert steps == [Step("shapes", 1.0)]
    assert [groups for groups, _ in trials] == [
        ["words"],
        ["shapes"],
        ["section"],
        ["shapes", "words"],
        ["shapes", "section"],
    ]
    assert trials[0][1] < 1.0


def test_useless_groups_give_nothing():
    assert select_features(config_of("section"), TRAIN, DEV) == []


def test_config_without_a_crf_is_an_error():
    config = load_config(CONFIG)
    config["nlp"]["pipeline"] = ["clinical_sentencizer"]
    config["components"] = {"clinical_sentencizer": {"factory": "clinical_sentencizer"}}
    config["initialize"] = {}
    with pytest.raises(ValueError, match="one pipe 'phi_crf', but there are 0"):
        select_features(config, TRAIN, DEV)
