"""Every encoder with every decoder and scheme."""

from itertools import product

import pytest
import spacy
import torch
from spacy.tokens import Doc

from spacy_deid.annotation.candidates import read_candidates
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
    "window, elman": {
        "@architectures": "spacy_deid.EncoderChain.v1",
        "*": {"window": WINDOW, "elman": ELMAN},
    },
    "transformer, lstm": {
        "@architectures": "spacy_deid.EncoderChain.v1",
        "*": {"deep": TRANSFORMER, "context": LSTM},
    },
}
DECODERS = ("CrfDecoder", "SoftmaxDecoder", "JordanDecoder")
BLOCKS = pytest.mark.parametrize(
    ("encoder", "decoder", "scheme"),
    [
        *((encoder, "CrfDecoder", "BIOES") for encoder in ENCODERS),
        *((None, decoder, "BIO") for decoder in DECODERS),
    ],
)

TEXTS = ("Dr. Maria Lopez called .", "No .", "Seen by John Smith in March , not on 3/4/61 .")


def finds(doc: Doc) -> list[tuple[str, float]]:
    return [
        (span.text, pytest.approx(p, rel=1e-4)) for span, p in read_candidates(doc, "phi_tagger")
    ]


def model_of(encoder: str | None, decoder: str, scheme: str) -> dict[str, object]:
    return {
        "tok2vec": TOK2VEC,
        "encoder": ENCODERS.get(encoder),
        "decoder": {"@architectures": f"spacy_deid.{decoder}.v1", "scheme": scheme},
    }


@BLOCKS
def test_blocks_learn_in_single_and_in_mixed_precision(
    encoder, decoder, scheme, train, gold, monkeypatch
):
    if "lstm" in (encoder or "") and not torch_layer.has_bfloat16():
        pytest.skip("torch's LSTM in bfloat16 needs a processor that has it")
    monkeypatch.setattr(torch_layer, "has_bfloat16", lambda: True)
    model = model_of(encoder, decoder, scheme)
    steps, learn_rate = (40, 0.02) if "transformer" in (encoder or "") else (20, 0.05)
    mixed = train(model, steps, learn_rate=learn_rate, mixed_precision=True)
    single = train(model, steps, learn_rate=learn_rate)
    for trained in (mixed, single):
        assert trained.losses[-1] < 0.3 * trained.losses[0]
        assert trained.found() == gold
    assert mixed.losses != single.losses
    assert mixed.losses[0] == pytest.approx(single.losses[0], rel=0.02)
    at_once = [finds(doc) for doc in mixed.nlp.pipe(TEXTS)]
    assert at_once == [finds(mixed.nlp(text)) for text in TEXTS]


@pytest.mark.parametrize(("has_bfloat16", "wanted"), list(product((True, False), repeat=2)))
def test_mixed_precision_needs_a_wish_and_a_processor_for_it(has_bfloat16, wanted, monkeypatch):
    monkeypatch.setattr(torch_layer, "has_bfloat16", lambda: has_bfloat16)
    with torch_layer.bfloat16_products(wanted):
        assert torch.is_autocast_enabled("cpu") == (has_bfloat16 and wanted)


@BLOCKS
def test_blocks_survive_bytes_and_the_same_seed_gives_the_same_weights(
    encoder, decoder, scheme, train
):
    trained, again = (train(model_of(encoder, decoder, scheme), 2).nlp for _ in range(2))
    saved = trained.to_bytes(exclude=["vocab"])
    fresh = spacy.blank("en").from_config(trained.config).from_bytes(saved)
    assert fresh.config == trained.config
    assert fresh.to_bytes(exclude=["vocab"]) == saved
    assert again.get_pipe("phi_tagger").to_bytes() == trained.get_pipe("phi_tagger").to_bytes()
