import gc
import math
import pickle
from io import BytesIO

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam

from spacy_deid.annotation.candidates import DECIDED, read_candidates
from spacy_deid.tagger.pipe import PhiTagger

MODEL = {
    "tok2vec": {
        "@architectures": "spacy_deid.WordEmbed.v1",
        "word_dropout": 0.0,
        "list_dropout": 0.0,
        "parts": {
            "chars": {"@misc": "spacy_deid.CharBiLSTM.v1"},
            "lists": {"@misc": "spacy_deid.WordLists.v1"},
            "orthography": {"@misc": "spacy_deid.Orthography.v1"},
            "words": {"@misc": "spacy_deid.HashedWords.v1", "rows": 500},
        },
    },
    "encoder": {"@architectures": "spacy_deid.RecurrentEncoder.v1", "hidden_width": 24},
    "decoder": {"@architectures": "spacy_deid.CrfDecoder.v1"},
    "max_segment": 20,
}
TRAIN = [
    ("Seen by Dr. Maria Lopez on 3/4/61 .", [(12, 23, "DOCTOR"), (27, 33, "DATE")]),
    ("John Smith was admitted in March .", [(0, 10, "PATIENT"), (27, 32, "DATE")]),
    ("No acute distress .", []),
    ("Call John at 555-1234 .", [(5, 9, "PATIENT"), (13, 21, "PHONE")]),
]


def examples_of(nlp: Language) -> list[Example]:
    return [Example.from_dict(nlp.make_doc(text), {"entities": ents}) for text, ents in TRAIN]


def train(steps: int, **settings: object) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_tagger", config={"model": MODEL, **settings})
    examples = examples_of(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer, drop=0.1)
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Language:
    return train(60)


def found(doc) -> list[tuple[int, int, str]]:
    """What the tagger decided to be PHI."""
    return [
        (s.start_char, s.end_char, s.label_)
        for s, score in read_candidates(doc, "phi_tagger")
        if score >= DECIDED
    ]


def test_overfits_and_survives_disk(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, ents in TRAIN:
        assert found(nlp(text)) == ents
        assert found(loaded(text)) == ents
    scores = [score for _, score in read_candidates(nlp(TRAIN[0][0]), "phi_tagger")][:2]
    again = [score for _, score in read_candidates(loaded(TRAIN[0][0]), "phi_tagger")][:2]
    assert all(0.5 < score <= 1.0 for score in scores)
    assert scores == pytest.approx(again)


def test_loaded_weights_hold_no_pickle(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    import srsly
    import torch

    message = srsly.msgpack_loads((tmp_path / "phi_tagger" / "model").read_bytes())
    shims = [shim for layer in message["shims"] for shim in layer]
    assert len(shims) == 3
    for shim in shims:
        state = srsly.msgpack_loads(shim)["state"]
        assert torch.load(BytesIO(state), weights_only=True)


def test_bytes_copy_and_pickle_predict_alike(nlp):
    text, ents = TRAIN[0]
    fresh = spacy.blank("en")
    fresh.add_pipe("phi_tagger", config={"model": MODEL})
    fresh.from_bytes(nlp.to_bytes())
    assert found(fresh(text)) == ents
    assert found(pickle.loads(pickle.dumps(nlp))(text)) == ents
    sourced = spacy.blank("en")
    sourced.add_pipe("phi_tagger", source=nlp)
    assert found(sourced(text)) == ents


def test_pipe_equals_call_in_any_company(nlp):
    texts = [text for text, _ in TRAIN] + ["", " ", "\n\n", "word " * 300, "x"]
    alone = [found(nlp(text)) for text in texts]
    assert [found(doc) for doc in nlp.pipe(texts)] == alone
    assert [found(doc) for doc in nlp.pipe(texts[::-1], batch_size=2)] == alone[::-1]


@pytest.mark.timeout(120)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_two_processes_predict_like_one(nlp):
    texts = [text for text, _ in TRAIN] * 3
    expected = [found(nlp(text)) for text in texts]
    assert [found(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=3)] == expected


def test_long_note_is_predicted_whole(nlp):
    sentence = TRAIN[0][0] + " "
    repeats = 200_000 // len(sentence) + 1
    doc = nlp(sentence * repeats)
    spans = [span for span, _ in read_candidates(doc, "phi_tagger")]
    assert len(doc.text) >= 200_000
    assert spans[-1].end_char > len(doc.text) - 20
    assert len(spans) > 1.5 * repeats


def test_an_optimizers_averages_reach_every_torch_layer(tmp_path):
    nlp, optimizer = train(1), Adam(0.05, use_averages=True)
    for _ in range(5):
        nlp.update(examples_of(nlp), sgd=optimizer)
    last = parameters(nlp)
    with nlp.use_params(optimizer.averages):
        averaged = parameters(nlp)
        nlp.to_disk(tmp_path)
    assert averaged.keys() == last.keys() == optimizer.averages.keys()
    for key, average in optimizer.averages.items():
        assert np.array_equal(averaged[key], average)
        assert not np.array_equal(averaged[key], last[key])
    assert all(np.array_equal(value, last[key]) for key, value in parameters(nlp).items())
    saved = list(parameters(spacy.load(tmp_path)).values())
    assert all(np.array_equal(*pair) for pair in zip(saved, averaged.values(), strict=True))


def test_updates_leave_no_tensors_behind():
    """thinc's own keep those of each step alive, and fill the memory."""
    nlp, optimizer = train(1), Adam(0.05)
    tensors = []
    for _ in range(3):
        nlp.update(examples_of(nlp), sgd=optimizer)
        gc.collect()
        tensors.append(sum(type(one) is torch.Tensor for one in gc.get_objects()))
    assert tensors[2] == tensors[1]


def parameters(nlp: Language) -> dict[tuple[int, str], np.ndarray]:
    """Copies of the tagger's torch parameters, by the keys that an optimizer knows them by."""
    return {
        (shim.id, name): value.detach().numpy().copy()
        for layer in nlp.get_pipe("phi_tagger").model.walk()
        for shim in layer.shims
        for name, value in shim._model.named_parameters()
    }


def test_batch_with_empty_doc_can_be_learnt(nlp):
    tagger = train(1)
    examples = [*examples_of(tagger), Example.from_dict(tagger.make_doc(""), {"entities": []})]
    losses = tagger.update(examples, losses={})
    assert losses["phi_tagger"] > 0
    assert tagger.update(examples[-1:], losses={})["phi_tagger"] == 0


def test_a_bucket_may_leave_weights_without_gradients():
    """Here the CRF's transitions: one token, whose gold is unknown."""
    nlp = train(1)
    example = Example.from_dict(nlp.make_doc("stable"), {})
    assert nlp.update([*examples_of(nlp), example], losses={})["phi_tagger"] > 0
    assert nlp.update([examples_of(nlp)[0], example], losses={})["phi_tagger"] > 0


def test_unknown_gold_is_masked_not_outside():
    nlp = train(1)
    text = TRAIN[1][0]
    reference = nlp.make_doc(text)
    reference.set_ents([], default="missing")
    losses = nlp.update([Example(nlp.make_doc(text), reference)], losses={})
    assert losses["phi_tagger"] == pytest.approx(0.0, abs=1e-5)


def test_labels_come_from_all_examples_and_can_be_given():
    assert train(0).get_pipe("phi_tagger").labels == ("DATE", "DOCTOR", "PATIENT", "PHONE")
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("phi_tagger", config={"model": MODEL})
    assert isinstance(tagger, PhiTagger)
    tagger.initialize(lambda: examples_of(nlp), nlp=nlp, labels=["DATE", "AGE"])
    assert tagger.labels == ("AGE", "DATE")
    with pytest.raises(ValueError, match="not among the labels"):
        nlp.update(examples_of(nlp))
    with pytest.raises(ValueError, match="built already"):
        tagger.add_label("PHONE")


def test_labels_can_be_added_to_those_of_the_examples():
    nlp = spacy.blank("en")
    tagger = nlp.add_pipe("phi_tagger", config={"model": MODEL})
    assert (tagger.add_label("AGE"), tagger.add_label("AGE")) == (1, 0)
    tagger.initialize(lambda: examples_of(nlp), nlp=nlp)
    assert tagger.labels == ("AGE", "DATE", "DOCTOR", "PATIENT", "PHONE")


def test_untrained_pipe_says_so():
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_tagger", config={"model": MODEL})
    with pytest.raises(ValueError, match="train it"):
        nlp("text")


@pytest.mark.parametrize("beside_words", [False, True])
def test_any_spacy_tok2vec_fits(beside_words):
    nlp = spacy.blank("en")
    tok2vec: dict[str, object] = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "width": 32,
        "depth": 1,
        "embed_size": 200,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
        "pretrained_vectors": None,
    }
    if beside_words:
        tok2vec = {
            "@architectures": "spacy_deid.JoinedVectors.v1",
            "first": tok2vec,
            "second": MODEL["tok2vec"],
        }
    nlp.add_pipe("phi_tagger", config={"model": {**MODEL, "tok2vec": tok2vec, "encoder": None}})
    examples = examples_of(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update(examples, sgd=optimizer)
    assert [found(nlp(text)) for text, _ in TRAIN] == [ents for _, ents in TRAIN]


@pytest.fixture(scope="module")
def unsure() -> Language:
    """A tagger that has learnt too little to be sure of anything."""
    return train(6, min_score=0.0)


def test_doubts_are_single_tokens_below_a_decision(unsure):
    for text, _ in TRAIN:
        doc = unsure(text)
        rows = read_candidates(doc, "phi_tagger")
        decided = {token.i for span, score in rows if score >= DECIDED for token in span}
        doubted = [span for span, score in rows if score < DECIDED]
        assert [len(span) for span in doubted] == [1] * len(doubted)
        # With no lowest score, every token is one or the other.
        assert {span.start for span in doubted} == set(range(len(doc))) - decided


def test_doubts_next_to_each_other_have_one_type(unsure):
    doc = unsure(TRAIN[2][0])
    rows = read_candidates(doc, "phi_tagger")
    assert len(rows) == len(doc) and len({span.label_ for span, _ in rows}) == 1


def test_temperature_divides_the_log_odds(unsure):
    tagger = unsure.get_pipe("phi_tagger")

    def log_odds() -> list[float]:
        rows = (row for text, _ in TRAIN for row in read_candidates(unsure(text), tagger.name))
        return [math.log(score / (1 - score)) for _, score in rows]

    plain = log_odds()
    tagger.temperature = 2.0
    assert log_odds() == pytest.approx([value / 2 for value in plain], abs=1e-4)
    tagger.temperature = 1.0


def test_temperature_must_be_above_zero():
    with pytest.raises(ValueError, match="temperature is 0, but must be above 0"):
        spacy.blank("en").add_pipe("phi_tagger", config={"temperature": 0})


def test_min_score_leaves_out_what_is_less_likely(unsure):
    tagger = unsure.get_pipe("phi_tagger")
    every = read_candidates(unsure(TRAIN[0][0]), "phi_tagger")
    middle = sorted(score for _, score in every)[2]
    for min_score in (middle, DECIDED):
        tagger.min_score = min_score
        kept = read_candidates(unsure(TRAIN[0][0]), "phi_tagger")
        assert [score for _, score in kept] == [score for _, score in every if score >= min_score]
    tagger.min_score = 0.0
