"""The tagger's model: token vectors in, tag scores out, and the gradient back."""

from inspect import signature

import numpy as np
import pytest
import spacy
import torch
from confection import ConfigValidationError
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model

from spacy_deid.tagger import buckets
from spacy_deid.tagger.buckets import TagScores
from spacy_deid.tagger.decoders import CrfDecoder, SoftmaxDecoder
from spacy_deid.tagger.encoders import RecurrentEncoder
from spacy_deid.tagger.model import build_phi_tagger, network_of

NLP = spacy.blank("en")
WIDTH = 3
DOCS = [Doc(NLP.vocab, words=["w"] * n) for n in (4, 0, 9, 1)]


@pytest.fixture
def vectors() -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.normal(size=(len(doc), WIDTH)).astype("float32") for doc in DOCS]


def tagger_over(vectors: list[np.ndarray], **settings: bool) -> tuple[Model, list]:
    """A tagger of these token vectors with segments of 6, and the gradients that these get."""
    gradients: list = []
    tok2vec: Model = Model(
        "fixed", lambda model, docs, is_train: (vectors[: len(docs)], gradients.append)
    )
    torch.manual_seed(0)
    encoder = RecurrentEncoder(hidden_width=4, **settings)
    tagger = build_phi_tagger(tok2vec, encoder, CrfDecoder(scheme="BIO"), max_segment=6)
    tagger.set_dim("nO", 5)
    tagger.initialize(X=DOCS)
    return tagger, gradients


def losses_of(tagger: Model, scores: TagScores) -> list[torch.Tensor]:
    """The losses of the buckets where all gold is O."""
    decoder = network_of(tagger).decoder
    return [
        decoder.loss(
            tuple(map(torch.as_tensor, output)),
            torch.from_numpy(bucket.lengths),
            torch.from_numpy(0 * bucket.rows),
        )
        for bucket, output in scores
    ]


def emissions(scores: TagScores) -> np.ndarray:
    """The scores of the tags of each token."""
    by_row = np.zeros((sum(map(len, DOCS)), 5))
    for bucket, (emitted, *_) in scores:
        inside = np.arange(len(bucket.rows))[:, None] < bucket.lengths
        by_row[bucket.rows[inside]] = torch.as_tensor(emitted).detach()[inside]
    return by_row


def test_the_token_vectors_get_the_gradient_of_the_loss(vectors):
    tagger, gradients = tagger_over(vectors)
    scores, backprop = tagger.begin_update(DOCS)
    backprop(losses_of(tagger, scores))
    assert [gradient.shape for gradient in gradients[0]] == [rows.shape for rows in vectors]
    for doc, row, column in [(0, 0, 0), (2, 5, 1), (2, 6, 2), (3, 0, 1)]:
        losses = []
        for step in (0.01, -0.01):
            vectors[doc][row, column] += step
            losses.append(float(sum(losses_of(tagger, tagger.predict(DOCS)))))
            vectors[doc][row, column] -= step
        expected = (losses[0] - losses[1]) / 0.02
        assert gradients[0][doc][row, column] == pytest.approx(expected, abs=1e-3)


def test_many_buckets_learn_as_one(vectors, monkeypatch):
    found = []
    for size in (64, 1):
        monkeypatch.setattr(buckets, "_BUCKET_SIZE", size)
        tagger, gradients = tagger_over(vectors)
        scores, backprop = tagger.begin_update(DOCS)
        backprop(losses_of(tagger, scores))
        weights = [parameter.grad for parameter in network_of(tagger).parameters()]
        found.append((len(scores), weights, gradients[0]))
    (one, *expected), (many, *others) = found
    assert (one, many) == (2, 4)
    for arrays, same in zip(expected, others, strict=True):
        for array, other in zip(arrays, same, strict=True):
            np.testing.assert_allclose(array, other, atol=1e-5)


@pytest.mark.parametrize("wanted", [True, False])
def test_dropout_falls_on_the_states_in_training_where_it_is_wanted(wanted, vectors):
    tagger, _ = tagger_over(vectors, output_dropout=wanted)
    tagger.attrs["dropout_rate"] = 0.5
    trained, predicted = (
        emissions(scores) for scores in (tagger(DOCS, is_train=True)[0], tagger.predict(DOCS))
    )
    assert np.allclose(trained, predicted, atol=1e-6) != wanted


def test_training_in_threads_changes_nothing(vectors):
    before, found = torch.get_num_threads(), []
    for n_threads in (1, 2):
        torch.set_num_threads(n_threads)
        try:
            tagger, gradients = tagger_over(vectors, output_dropout=True)
            tagger.attrs["dropout_rate"] = 0.5
            scores, backprop = tagger.begin_update(DOCS)
            backprop(losses_of(tagger, scores))
        finally:
            torch.set_num_threads(before)
        weights = [parameter.grad for parameter in network_of(tagger).parameters()]
        found.append([emissions(scores), *weights, *gradients[0]])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_what_is_built_stays_as_it_is(vectors):
    tagger, _ = tagger_over(vectors)
    before = tagger.to_bytes()
    tagger.initialize(X=DOCS)
    assert tagger.to_bytes() == before


def test_without_tokens_a_tagger_cannot_be_initialised():
    tagger = build_phi_tagger(Model("none", lambda *_: None), None, SoftmaxDecoder())
    with pytest.raises(ValueError, match="without docs"):
        tagger.initialize(X=DOCS[1:2])


def test_layers_of_thinc_are_no_blocks():
    layer: Model = Model("identity", lambda model, X, is_train: (X, lambda d: d))
    for encoder, decoder in ((layer, CrfDecoder()), (None, layer)):
        with pytest.raises(ValueError, match="must be blocks of spacy_deid"):
            build_phi_tagger(layer, encoder, decoder)


def test_a_setting_of_a_wrong_type_is_an_error():
    """Which takes annotations of the registered classes that are no strings."""
    blocks = [
        (f"@{group}", name, block)
        for group in ("architectures", "misc")
        for name, block in getattr(registry, group).get_all().items()
        if isinstance(block, type) and block.__module__.startswith("spacy_deid.tagger")
    ]
    assert len(blocks) == 7 + 8
    for group, name, block in blocks:
        for setting in {*signature(block).parameters} - {"encoders"}:
            with pytest.raises(ConfigValidationError, match=setting):
                registry.resolve({"block": {group: name, setting: [0.5]}})
