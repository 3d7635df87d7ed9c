import pickle

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from thinc.api import Model

from spacy_deid.tagger.embed import build_word_embed, count_words, learn_words
from spacy_deid.tagger.parts.chars import CharBiLSTM
from spacy_deid.tagger.parts.form import Orthography, WordLists
from spacy_deid.tagger.parts.identity import HashedWords, ListedWords
from spacy_deid.tagger.torch_layer import one_thread, torch_module

NLP = spacy.blank("en")


def docs_of(*texts: str) -> list[Doc]:
    return [Doc(NLP.vocab, words=text.split()) for text in texts]


def embedding(**settings: float) -> Model:
    """Characters in columns 0-3, lists in 4-5, orthography in 6-7, words in 8-10."""
    torch.manual_seed(0)
    parts = {
        "words": HashedWords(width=3, rows=100),
        "orthography": Orthography(width=2),
        "lists": WordLists(width=2),
        "chars": CharBiLSTM(width=2),
    }
    model = build_word_embed(parts=parts, **settings)
    model.initialize(X=docs_of("a ward"))
    return model


@pytest.fixture
def model() -> Model:
    return embedding(word_dropout=0.0, list_dropout=0.0)


def test_parts_are_concatenated_in_the_order_of_their_names(model):
    module = torch_module(model)
    assert list(module.parts) == ["chars", "lists", "orthography", "words"]
    assert model.get_dim("nO") == module.width == 11
    (embedded,) = model.predict(docs_of("Ann Ann ward"))
    assert embedded.shape == (3, 11)
    assert np.array_equal(embedded[0], embedded[1])
    assert not np.array_equal(embedded[0], embedded[2])


def test_training_without_dropout_equals_prediction(model):
    docs = docs_of("Ann was on the ward", "", "Ann left")
    predicted, trained = model.predict(docs), model(docs, is_train=True)[0]
    for one, other in zip(predicted, trained, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_prediction_is_cached_and_the_cache_goes_with_the_weights(model):
    docs = docs_of("Ann was on the ward")
    before = model.predict(docs)[0].copy()
    module = torch_module(model)
    cached = module.types.embeddings
    assert len(cached) == 6  # five words and no word
    assert np.array_equal(model.predict(docs)[0], before) and module.types.embeddings is cached
    model.predict(docs_of("Ann left"))
    assert module.types.embedded == 7

    embedded, backprop = model.begin_update(docs)
    backprop([np.ones_like(embedded[0])])
    with torch.no_grad():
        module.parts["words"].table.weight += 1.0
    np.testing.assert_allclose(model.predict(docs)[0][:, 8:], before[:, 8:] + 2.0, atol=1e-5)
    np.testing.assert_allclose(model.predict(docs)[0][:, :8], before[:, :8], atol=1e-6)


def test_new_words_do_not_copy_the_whole_cache(model):
    """It grows to twice its size, so that few of many new words find it full."""
    types, caches = torch_module(model).types, []
    with one_thread():
        for number in range(200):
            model.predict(docs_of(f"Ann{number} left"))
            caches.append(types.embeddings)
    assert types.embedded == 202
    assert len({id(cache) for cache in caches}) < 10


def test_loading_weights_empties_the_cache(model):
    docs = docs_of("Ann was on the ward")
    before = model.predict(docs)[0].copy()
    saved = model.to_bytes()
    with torch.no_grad():
        torch_module(model).parts["words"].table.weight += 1.0
    torch_module(model).set_extra_state(None)
    assert not np.array_equal(model.predict(docs)[0], before)
    assert np.array_equal(model.from_bytes(saved).predict(docs)[0], before)


def test_another_vocab_is_another_cache(model):
    model.predict(docs_of("Ann left"))
    other = Doc(spacy.blank("en").vocab, words=["Ann", "left", "the", "ward"])
    model.predict([other])
    assert len(torch_module(model).types) == 5


@pytest.mark.parametrize(
    ("dropout", "hidden"), [("word_dropout", slice(8, 11)), ("list_dropout", slice(4, 6))]
)
def test_dropout_hides_what_one_kind_of_part_knows(dropout, hidden):
    model = embedding(**{"word_dropout": 0.0, "list_dropout": 0.0, dropout: 1.0})
    docs = docs_of("Ann was on the ward")
    predicted, trained = model.predict(docs)[0], model(docs, is_train=True)[0][0]
    differs = np.zeros(11, dtype=bool)
    differs[hidden] = True
    np.testing.assert_allclose(predicted[:, ~differs], trained[:, ~differs], atol=1e-6)
    assert np.array_equal(trained[:, hidden], np.repeat(trained[:1, hidden], 5, axis=0))
    if dropout == "word_dropout":
        module = torch_module(model).parts["words"]
        unknown = module(torch.tensor([module.unknown]), NLP.vocab).detach().numpy()
        np.testing.assert_allclose(trained[:1, hidden], unknown)


def test_dropout_rate_falls_on_training_only(model):
    model.attrs["dropout_rate"] = 0.5
    docs = docs_of("Ann was on the ward and at home")
    assert (model(docs, is_train=True)[0][0] == 0).mean() > 0.3
    assert (model.predict(docs)[0] != 0).all()


def test_gradient_reaches_every_part(model):
    embedded, backprop = model.begin_update(docs_of("Ann was on the ward"))
    assert backprop([np.ones_like(embedded[0])]) == []
    for name, parameter in torch_module(model).named_parameters():
        assert parameter.grad is not None, name


def test_words_are_learnt_from_all_docs_or_else_from_the_sample():
    def listed(with_corpus: bool) -> int:
        model = build_word_embed(parts={"words": ListedWords(min_count=2)})
        if with_corpus:
            learn_words(model, count_words(docs_of("Ann was on the ward", "the ward was full")))
        model.initialize(X=docs_of("the the end"))
        return torch_module(model).parts["words"].sizes["n_words"]

    assert listed(True) == 3
    assert listed(False) == 1


def test_pickle_predicts_alike(model):
    docs = docs_of("Ann was on the ward")
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(docs)[0], model.predict(docs)[0])


def test_no_parts_are_an_error():
    with pytest.raises(ValueError, match="no parts"):
        build_word_embed(parts={})
