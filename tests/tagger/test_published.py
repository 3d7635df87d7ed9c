"""The published systems, as `configs/` has them: what the papers pin down, and that each learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.util import load_config
from spacy.vectors import Vectors

from spacy_deid.tagger.model import network_of

CONFIGS = Path(__file__).parent.parent.parent / "configs"
SYSTEMS = sorted(path.stem for path in CONFIGS.glob("*.cfg"))

# Width of the word embedding over vectors of 3 dimensions, and of the encoding.
NEURAL = {
    "dernoncourt2017": (2 * 25 + 3, 2 * 100),
    "jiang2017": (2 * 25 + 6 + 6 + 3, 2 * 64),
    "shweta2017_elman": (100, 100),
    "shweta2017_jordan": (100, (2 * 4 + 1) * 100),
    "ahmed2021_bilstm": (3, 200),
    "ahmed2021_bilstm_crf": (3, 200),
    "ahmed2021_transformer": (100, 128),
    "ahmed2021_transformer_crf": (100, 128),
    "ahmed2021_transformer_bilstm": (100, 200),
    "ahmed2021_char_bilstm_crf": (3, 200),
}


def config_of(system):
    return load_config(CONFIGS / f"{system}.cfg")


def component(system, name):
    return config_of(system)["components"][name]


@pytest.mark.parametrize("system", NEURAL)
def test_published_network_has_its_widths_and_learns(system, train):
    embedded, encoded = NEURAL[system]
    nlp = spacy.blank("en")
    words = ("john", "dr", "seen", "was", ".", "march")
    keys = [nlp.vocab.strings.add(word) for word in words]
    data = np.random.default_rng(0).normal(size=(len(words), 3)).astype("float32")
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=data, keys=keys)
    trained = train(component(system, "phi_tagger")["model"], 3, nlp=nlp, learn_rate=0.005)
    model = nlp.get_pipe("phi_tagger").model
    assert model.get_ref("tok2vec").get_dim("nO") == embedded
    assert network_of(model).encoder.output_width == encoded
    assert trained.losses[-1] < trained.losses[0]
    fresh = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert fresh.get_pipe("phi_tagger").model.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("system", SYSTEMS)
def test_config_takes_the_paths_that_the_project_gives(system):
    paths = {"train", "dev", "vectors", "gazetteers"}
    assert paths <= set(config_of(system)["paths"])


def test_liu_ranks_rules_over_characters_over_tokens():
    merger = component("liu2015", "phi_merger")
    assert merger["detectors"] == ["phi_matcher", "character_crf", "token_crf"]
    assert (merger["strategy"], merger["sure_score"]) == ("priority", 0.0)
    token, character = component("liu2015", "token_crf"), component("liu2015", "character_crf")
    assert (token["unit"], token["scheme"], token["window"]) == ("token", "BIO", 2)
    assert (character["unit"], character["scheme"], character["window"]) == (
        "character",
        "BIOES",
        5,
    )


def test_jiang_crf_cuts_rare_features_off():
    crf = component("jiang2017_crf", "phi_crf")
    assert (crf["min_count"], crf["window"]) == (4, 2)
    assert crf["c2"] > 0 and crf.get("c1", 0) == 0


def test_jiang_network_couples_its_gates():
    model = component("jiang2017", "phi_tagger")["model"]
    assert model["encoder"]["cell"] == "coupled_lstm"
    assert model["decoder"]["scheme"] == "BIOES"


def test_dernoncourt_unites_network_and_crf_of_four_tokens_to_either_side():
    assert component("dernoncourt2017_crf", "phi_crf")["window"] == 4
    merger = component("dernoncourt2017_union", "phi_merger")
    assert (merger["strategy"], merger["detectors"]) == ("union", ["phi_tagger", "phi_crf"])
    assert config_of("dernoncourt2017")["training"]["dropout"] == 0.5


@pytest.mark.parametrize("base", ["dernoncourt2017_crf", "dernoncourt2017"])
def test_dernoncourt_union_is_made_of_the_other_two(base):
    for name in ("phi_crf", "phi_tagger"):
        if name in config_of(base)["components"]:
            assert component(base, name) == component("dernoncourt2017_union", name)


@pytest.mark.parametrize("base", ["ahmed2021_bilstm", "ahmed2021_transformer"])
def test_ahmed_crf_differs_by_the_decoder_alone(base):
    plain, crf = (component(name, "phi_tagger")["model"] for name in (base, f"{base}_crf"))
    assert plain["decoder"]["@architectures"] == "spacy_deid.SoftmaxDecoder.v1"
    assert crf["decoder"]["@architectures"] == "spacy_deid.CrfDecoder.v1"
    assert {**plain, "decoder": None} == {**crf, "decoder": None}
