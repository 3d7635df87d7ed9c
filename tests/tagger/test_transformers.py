"""A pretrained transformer before the tagger, through spacy-transformers' listener."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.training import Example

transformers = pytest.importorskip("transformers")
pytest.importorskip("spacy_transformers")

# Its own, not ours: deprecations in spacy-transformers and what it builds on.
pytestmark = pytest.mark.filterwarnings("ignore")

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789./-"


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> Path:
    """A tiny BERT with random weights that reads characters."""
    folder = tmp_path_factory.mktemp("bert")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{x}" for x in LETTERS)]
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf8")
    transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def with_transformer(bert: Path) -> spacy.Language:
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(bert),
        "get_spans": {
            "@span_getters": "spacy-transformers.strided_spans.v1",
            "window": 64,
            "stride": 48,
        },
        "tokenizer_config": {"use_fast": True},
    }
    nlp.add_pipe("transformer", config={"model": model})
    return nlp


MODEL = {
    "tok2vec": {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 1.0,
        "pooling": {"@layers": "reduce_mean.v1"},
    },
    "encoder": None,
    "decoder": {"@architectures": "spacy_deid.CrfDecoder.v1"},
}

BESIDE_WORDS = {
    **MODEL,
    "tok2vec": {
        "@architectures": "spacy_deid.JoinedVectors.v1",
        "first": MODEL["tok2vec"],
        "second": {"@architectures": "spacy_deid.WordEmbed.v1"},
    },
    "encoder": {"@architectures": "spacy_deid.RecurrentEncoder.v1", "hidden_width": 8},
}
BOTH = pytest.mark.parametrize("model", [MODEL, BESIDE_WORDS], ids=["alone", "beside words"])


@BOTH
def test_learns_through_the_transformer_and_survives_disk(bert, train, gold, tmp_path, model):
    trained = train(model, 60, learn_rate=0.01, nlp=with_transformer(bert))
    assert trained.losses[-1] < 0.3 * trained.losses[0]
    assert trained.found() == gold
    trained.nlp.to_disk(tmp_path)
    assert trained.found(spacy.load(tmp_path)) == gold


@BOTH
def test_gradient_reaches_the_transformer_in_batches_with_empty_docs(bert, train, model):
    nlp = train(model, 0, nlp=with_transformer(bert)).nlp
    texts = ["", "Seen by Ann .", " "]
    examples = [Example.from_dict(nlp.make_doc(text), {"entities": []}) for text in texts]
    (shim,) = [shim for layer in nlp.get_pipe("transformer").model.walk() for shim in layer.shims]
    before = {name: value.detach().clone() for name, value in shim._model.named_parameters()}
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    for _ in range(2):  # spaCy applies a gradient of the transformer with the next batch
        assert nlp.update(examples, sgd=optimizer, losses={})["phi_tagger"] > 0
    changed = [
        name
        for name, value in shim._model.named_parameters()
        if not np.array_equal(value.detach(), before[name])
    ]
    assert any("encoder.layer.0" in name for name in changed)
    assert nlp.update(examples[:1], sgd=optimizer, losses={})["phi_tagger"] == 0
