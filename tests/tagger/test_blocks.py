"""Every encoder with every decoder and scheme."""

from itertools import product

import pytest
import spacy
import torch
from spacy.tokens import Doc

from spacy_deid.candidates import read_candidates
from spacy_deid.tagger import torch_layer

TOK2VEC = {
    "@architectures": "spacy_deid.WordEmbed.v1",
    "parts": {"words": {"@misc": "spacy_deid.ListedWords.v1", "width": 12}},
    "word_dropout": 0.0,
}
WINDOW = {"@architectures": "spacy_deid.ContextWindow.v1", "window": 2}
ELMAN = {
    "@architectures": "spacy_deid.RecurrentEncoder.v1",
    "hidden_width": 12,
    "cell": "elman",
    "bidirectional": False,
}
LSTM = {"@architectures": "spacy_deid.RecurrentEncoder.v1", "hidden_width": 8}
TRANSFORMER = {
    "@architectures": "spacy_deid.TransformerEncoder.v1",
    "width": 16,
    "depth": 1,
    "n_heads": 2,
    "inner_width": 24,
}
ENCODERS = {
    "none": None,
    "lstm": LSTM,
    "coupled_lstm": {**LSTM, "cell": "coupled_lstm"},
    "elman": ELMAN,
    "transformer": TRANSFORMER,
    "window, elman": {"@layers": "chain.v1", "*": {"window": WINDOW, "elman": ELMAN}},
    "transformer, lstm": {"@layers": "chain.v1", "*": {"deep": TRANSFORMER, "context": LSTM}},
}
DECODERS = ("CrfDecoder", "SoftmaxDecoder", "JordanDecoder")


TEXTS = ("Dr. Maria Lopez called .", "No .", "Seen by John Smith in March , not on 3/4/61 .")


def finds(doc: Doc) -> list[tuple[str, float]]:
    return [
        (span.text, pytest.approx(p, rel=1e-4)) for span, p in read_candidates(doc, "phi_tagger")
    ]


def decoder(name: str, scheme: str) -> dict[str, str]:
    return {"@architectures": f"spacy_deid.{name}.v1", "scheme": scheme}


@pytest.mark.parametrize(
    ("encoder", "name", "scheme"), list(product(ENCODERS, DECODERS, ("BIOES", "BIO")))
)
def test_all_blocks_learn_together(encoder, name, scheme, train, gold):
    model = {"tok2vec": TOK2VEC, "encoder": ENCODERS[encoder], "decoder": decoder(name, scheme)}
    deep = "transformer" in encoder
    trained = train(model, 40 if deep else 20, learn_rate=0.02 if deep else 0.05)
    assert trained.losses[-1] < 0.3 * trained.losses[0]
    assert trained.found() == gold


@pytest.mark.parametrize(
    ("encoder", "name"),
    [*((name, "CrfDecoder") for name in ENCODERS), *((None, d) for d in DECODERS)],
)
def test_all_blocks_learn_in_mixed_precision(encoder, name, train, gold, monkeypatch):
    monkeypatch.setattr(torch_layer, "has_bfloat16", lambda: True)
    blocks = {
        "tok2vec": TOK2VEC,
        "encoder": ENCODERS.get(encoder),
        "decoder": decoder(name, "BIOES"),
    }
    deep = encoder is not None and "transformer" in encoder
    steps, learn_rate = (40, 0.02) if deep else (20, 0.05)
    mixed = train(blocks, steps, learn_rate=learn_rate, mixed_precision=True)
    single = train(blocks, steps, learn_rate=learn_rate)
    assert mixed.found() == gold
    assert mixed.losses != single.losses
    assert mixed.losses[0] == pytest.approx(single.losses[0], rel=0.02)
    at_once = [finds(doc) for doc in mixed.nlp.pipe(TEXTS)]
    assert at_once == [finds(mixed.nlp(text)) for text in TEXTS]


@pytest.mark.parametrize(("has_bfloat16", "wanted"), list(product((True, False), repeat=2)))
def test_mixed_precision_needs_a_wish_and_a_processor_for_it(has_bfloat16, wanted, monkeypatch):
    monkeypatch.setattr(torch_layer, "has_bfloat16", lambda: has_bfloat16)
    with torch_layer.bfloat16_products(wanted):
        assert torch.is_autocast_enabled("cpu") == (has_bfloat16 and wanted)


@pytest.mark.parametrize(
    ("encoder", "name"),
    [*((name, "CrfDecoder") for name in ENCODERS), *((None, d) for d in DECODERS)],
)
def test_blocks_survive_bytes_and_the_same_seed_gives_the_same_weights(encoder, name, train):
    model = {
        "tok2vec": TOK2VEC,
        "encoder": ENCODERS.get(encoder),
        "decoder": decoder(name, "BIO"),
    }
    trained = train(model, 2)
    saved = trained.nlp.to_bytes(exclude=["vocab"])
    fresh = spacy.blank("en").from_config(trained.nlp.config).from_bytes(saved)
    assert fresh.config == trained.nlp.config
    assert fresh.to_bytes(exclude=["vocab"]) == saved
    assert (
        train(model, 2).nlp.get_pipe("phi_tagger").to_bytes()
        == trained.nlp.get_pipe("phi_tagger").to_bytes()
    )
