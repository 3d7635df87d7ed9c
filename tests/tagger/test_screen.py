"""The screen: which sentences the network reads."""

from __future__ import annotations

import numpy as np
import pytest
import spacy
from small_tagger import MODEL
from spacy.tokens import Doc

from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.tagger.export import export_pipeline
from spacy_deid.tagger.onnx_model import build_onnx_tagger, onnx_shim
from spacy_deid.tagger.screen import KERNEL, Screen
from spacy_deid.tagger.screen_training import train_screen

PLAIN = "No acute distress ."
PHI = ("Seen by Dr. Maria Lopez on 3/4/61 .", "John Smith was admitted in March .")


def layer(rows, columns, bias=0.0):
    return np.ones((rows, columns)), np.full(columns, bias)


@pytest.fixture
def screen():
    """Suspects words whose value is 1, and the four on each side of them."""
    return Screen([layer(1, 1), layer(KERNEL, 1), layer(KERNEL, 1), layer(1, 1, -0.5)])


def test_sentences_and_those_beside_them_are_chosen(screen):
    vectors = np.zeros((28, 1), dtype=np.float32)
    vectors[11] = 1
    sentences = [np.asarray([10]), np.asarray([6, 6, 6])]
    first, second = screen.choose(vectors, sentences, 0.5)
    assert first.tolist() == [False]  # no word sees another doc
    assert second.tolist() == [True, True, False]


def test_a_higher_probability_chooses_less(screen):
    vectors = np.zeros((18, 1), dtype=np.float32)
    vectors[4] = 1  # its clues reach into the second sentence
    sentences = [np.asarray([6, 6, 6])]
    assert screen.choose(vectors, sentences, 0.95)[0].tolist() == [True, True, False]
    assert screen.choose(vectors, sentences, 0.3)[0].tolist() == [True, True, True]
    assert screen.choose(vectors, sentences, 0.99)[0].tolist() == [False, False, False]


def sentences_of(*texts):
    words = [text.split() for text in texts]
    starts = [i == 0 for sentence in words for i in range(len(sentence))]
    return [word for sentence in words for word in sentence], starts


@pytest.fixture(scope="module")
def exported(train):
    """A tagger that has learned three short notes, exported, with a screen."""
    nlp = export_pipeline(train(MODEL, 40).nlp)
    nlp.add_pipe("sentencizer", first=True)
    train_screen(nlp, [*PHI, PLAIN, PLAIN] * 10, steps=100)
    return nlp


def doc_of(nlp, *texts):
    words, starts = sentences_of(*texts)
    return Doc(nlp.vocab, words=words, sent_starts=starts)


def read(nlp, *texts):
    """The places of the words that the network reads."""
    scores = nlp.get_pipe("phi_tagger").model.predict([doc_of(nlp, *texts)])
    return {place for bucket, _ in scores for place in bucket.rows.ravel().tolist()}


def found(nlp, *texts):
    doc = nlp.get_pipe("phi_tagger")(doc_of(nlp, *texts))
    return [span.text for span, score in read_candidates(doc, "phi_tagger") if score >= 0.5]


def test_only_what_may_hold_phi_is_read(exported):
    texts = [PLAIN, PLAIN, PLAIN, PHI[0]]
    assert found(exported, *texts) == ["Maria Lopez", "3/4/61"]
    assert read(exported, *texts) == set(range(8, 20))  # with the sentence before it, for context
    assert found(exported, PLAIN, PLAIN) == [] and read(exported, PLAIN, PLAIN) == set()


def test_the_screen_is_saved_and_a_setting(exported, tmp_path):
    exported.to_disk(tmp_path)
    assert read(spacy.load(tmp_path), PLAIN) == set()
    off = {"components.phi_tagger.model.screen": 0.0}
    unscreened = spacy.load(tmp_path, config=off)
    assert found(unscreened, PLAIN) == [] and read(unscreened, PLAIN) == set(range(4))


def test_an_export_of_other_weights_has_no_screen(exported):
    again = export_pipeline(exported)
    assert onnx_shim(again.get_pipe("phi_tagger").model).network.screen is None


def test_the_same_seed_gives_the_same_screen(train):
    states = []
    for seed in (1, 1, 2):
        nlp = export_pipeline(train(MODEL, 2).nlp)
        train_screen(nlp, ["Seen by Maria .", "No acute distress ."], steps=3, seed=seed)
        state = onnx_shim(nlp.get_pipe("phi_tagger").model).network.state
        states.append(np.concatenate([weights.ravel() for weights, _ in state["screen"]]))
    assert np.array_equal(states[0], states[1]) and not np.array_equal(states[0], states[2])


def test_what_no_screen_can_be_trained_for(train, exported):
    with pytest.raises(ValueError, match="no exported phi_tagger"):
        train_screen(train(MODEL, 1).nlp, ["Maria"])
    with pytest.raises(ValueError, match="there are none"):
        train_screen(exported, [])
    with pytest.raises(ValueError, match="screen is 1.5"):
        build_onnx_tagger(screen=1.5)
