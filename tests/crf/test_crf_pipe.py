from __future__ import annotations

import json
import logging
import pickle
import tempfile
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.training import Example

from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.crf.prepare import rule_pipes_before
from spacy_deid.crf.sequences import DocView, split

TRAIN = [
    ("Seen by Dr. Maria Lopez on 3/4/61 .", [(12, 23, "DOCTOR"), (27, 33, "DATE")]),
    ("John Smith was admitted in March .", [(0, 10, "PATIENT"), (27, 32, "DATE")]),
    ("No acute distress .", []),
    ("Call John at 555-1234 .", [(5, 9, "PATIENT"), (13, 21, "PHONE")]),
]
CHARACTERS = {
    "unit": "character",
    "scheme": "BIOES",
    "features": ["characters", "char_bigrams", "char_trigrams", "char_places", "words"],
    "window": 5,
}
EXPECTED = [ents for _, ents in TRAIN]
TEXTS = [text for text, _ in TRAIN]


def examples_of(nlp: Language) -> list[Example]:
    return [Example.from_dict(nlp.make_doc(text), {"entities": ents}) for text, ents in TRAIN]


def train_nlp(**settings: object) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_crf", config={"features": ["words", "shapes"], "c2": 0.01, **settings})
    examples = examples_of(nlp)
    nlp.initialize(lambda: examples)
    return nlp


@pytest.fixture(scope="module", params=["token", "character"])
def nlp(request: pytest.FixtureRequest) -> Language:
    return train_nlp(**(CHARACTERS if request.param == "character" else {}))


def found(doc) -> list[tuple[int, int, str]]:
    return [(s.start_char, s.end_char, s.label_) for s, _ in read_candidates(doc, "phi_crf")]


def test_overfits_and_tells_system_and_confidence(nlp):
    assert [found(nlp(text)) for text in TEXTS] == EXPECTED
    for span, score in read_candidates(nlp(TEXTS[0]), "phi_crf"):
        assert span.id_ == "phi_crf"
        assert 0.5 < score <= 1.0
    assert nlp.get_pipe("phi_crf").labels == ("DATE", "DOCTOR", "PATIENT", "PHONE")


def test_confidence_is_the_lowest_marginal():
    crf = train_nlp().get_pipe("phi_crf")
    view = DocView(spacy.blank("en").make_doc(TEXTS[1]))
    tags, scores = crf.crf.tag(crf.extract(next(iter(split(view, "token")))))
    assert tags[:2] == ["B-PATIENT", "I-PATIENT"]
    assert crf.predict([view.doc])[0][0][3] == min(scores[:2])


def test_disk_bytes_pickle_and_source_predict_alike(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    fresh = spacy.blank("en")
    fresh.add_pipe("phi_crf")
    fresh.from_bytes(nlp.to_bytes())
    sourced = spacy.blank("en")
    sourced.add_pipe("phi_crf", source=nlp)
    copies = [spacy.load(tmp_path), fresh, pickle.loads(pickle.dumps(nlp)), sourced]
    scores = [score for _, score in read_candidates(nlp(TEXTS[0]), "phi_crf")]
    for copy in copies:
        assert [found(copy(text)) for text in TEXTS] == EXPECTED
        assert [s for _, s in read_candidates(copy(TEXTS[0]), "phi_crf")] == scores


def test_saved_folder_holds_crfsuites_own_file(nlp, tmp_path):
    nlp.get_pipe("phi_crf").to_disk(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["cfg", "clusters", "model.crfsuite"]
    assert (tmp_path / "model.crfsuite").read_bytes()[:4] == b"lCRF"
    assert json.loads((tmp_path / "cfg").read_text())["unit"] in ("token", "character")


def test_config_round_trip(nlp):
    config = nlp.config.from_str(nlp.config.to_str())
    again = spacy.util.load_model_from_config(config, auto_fill=True)
    assert again.get_pipe("phi_crf").cfg == nlp.get_pipe("phi_crf").cfg
    assert again.config["components"] == nlp.config["components"]


def test_pipe_equals_call_in_any_company(nlp):
    texts = [*TEXTS, "", " ", "\n\n", "\t \n", "word " * 3000, "x"]
    alone = [found(nlp(text)) for text in texts]
    assert [found(doc) for doc in nlp.pipe(texts)] == alone
    assert [found(doc) for doc in nlp.pipe(texts[::-1], batch_size=2)] == alone[::-1]
    assert all("phi_crf" in doc.spans for doc in nlp.pipe(texts))


@pytest.mark.timeout(120)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_two_processes_predict_like_one(nlp):
    expected = [found(nlp(text)) for text in TEXTS * 3]
    assert [found(doc) for doc in nlp.pipe(TEXTS * 3, n_process=2, batch_size=3)] == expected


def test_character_unit_sees_tabs_and_double_blanks():
    text = "Name:\tAnn  Lee\tx\nName:  Bo\ty"
    ents = [(6, 14, "PATIENT"), (24, 26, "PATIENT")]
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_crf", config={**CHARACTERS, "features": ["characters"], "c2": 0.001})
    example = Example.from_dict(nlp.make_doc(text), {"entities": ents})
    nlp.initialize(lambda: [example])
    assert found(nlp(text)) == ents


def test_same_examples_same_model():
    one, two = (train_nlp().get_pipe("phi_crf").to_bytes() for _ in range(2))
    assert one == two


def test_update_changes_nothing():
    nlp = train_nlp()
    before = nlp.get_pipe("phi_crf").to_bytes()
    losses = nlp.update(examples_of(nlp), losses={"other": 1.0})
    assert losses == {"other": 1.0, "phi_crf": 0.0}
    assert nlp.get_pipe("phi_crf").to_bytes() == before


def test_settings_reach_crfsuite():
    nlp = spacy.blank("en")
    crf = nlp.add_pipe("phi_crf", config={"min_count": 4, "c1": 0.25, "c2": 0.5})
    expected = {"feature.minfreq": 4, "c1": 0.25, "c2": 0.5, "max_iterations": 100}
    assert crf.training == expected


def test_an_optimizers_averages_pass_it_by():
    nlp = train_nlp()
    with nlp.use_params({(0, "W"): None}):
        assert found(nlp(TEXTS[0])) == EXPECTED[0]


def test_untrained_pipe_says_so():
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_crf")
    with pytest.raises(ValueError, match="'phi_crf' has no model: train it"):
        nlp("text")
    assert nlp.get_pipe("phi_crf").labels == ()


def test_features_see_the_pipes_before():
    """Sentences and sections are there in training, though the examples hold bare texts."""
    nlp = spacy.blank("en")
    nlp.add_pipe("clinical_sentencizer")
    nlp.add_pipe("clinical_sections")
    nlp.add_pipe("phi_crf", config={"features": ["section"], "c2": 0.001})
    text = "FAMILY HISTORY:\nAnn\nSOCIAL HISTORY:\nbeer"
    examples = [Example.from_dict(nlp.make_doc(text), {"entities": [(16, 19, "PATIENT")]})]
    nlp.initialize(lambda: examples)
    assert not examples[0].predicted.spans
    attributes = nlp.get_pipe("phi_crf").crf.tagger.info().attributes
    assert {"+0:section=family_history", "+0:section=social_history"} <= set(attributes)


def test_detectors_and_untrained_pipes_do_not_run_before():
    nlp = spacy.blank("en")
    names = ("phi_matcher", "tagger", "clinical_sections", "phi_crf", "clinical_sentencizer")
    for name in names:
        nlp.add_pipe(name)
    nlp.add_pipe("phi_crf", name="second", before="clinical_sentencizer")
    for name in ("phi_known", "phi_custom", "phi_matcher"):
        nlp.add_pipe(name, f"our_{name}", first=True)
    expected = [nlp.get_pipe("clinical_sections")]
    assert rule_pipes_before(nlp, "second") == expected
    with nlp.select_pipes(enable="second"):
        assert rule_pipes_before(nlp, "second") == expected


def test_gazetteers_of_the_vocab_are_features(lookups: Lookups):
    nlp = spacy.blank("en")
    nlp.vocab.lookups = lookups
    features = ["word_lists", "dictionary"]
    crf = nlp.add_pipe("phi_crf", config={"features": features, "window": 0, "c2": 0.01})
    examples = [Example.from_dict(nlp.make_doc("saw Mobile"), {"entities": [(4, 10, "CITY")]})]
    crf.initialize(lambda: examples, nlp=nlp)
    assert found(nlp("in Erie today")) == [(3, 7, "CITY")]


def test_groups_without_their_source_are_named_once(caplog):
    features = ["words", "pos", "entities", "brown_clusters", "section"]
    with caplog.at_level(logging.WARNING, logger="spacy"):
        nlp = train_nlp(features=features)
        nlp(TEXTS[0])
    (record,) = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert record.getMessage() == (
        "phi_crf: these feature groups have no effect: pos, entities (needs a spaCy pipeline named "
        "in the setting 'annotator'); brown_clusters (needs the path 'brown_clusters' in "
        "[initialize.components]); section (needs a pipe 'clinical_sections' before it)"
    )


def test_annotator_gives_features(annotator, caplog, tmp_path):
    nlp = train_nlp(features=["pos", "chunks"], annotator=annotator, c2=0.001)
    assert not [r for r in caplog.records if r.levelno == logging.WARNING]
    attributes = nlp.get_pipe("phi_crf").crf.tagger.info().attributes
    assert "+0:pos=NNP" in attributes and "+0:chunk=B-NP" in attributes
    nlp.to_disk(tmp_path)
    doc = nlp(TEXTS[0])
    assert found(spacy.load(tmp_path)(TEXTS[0])) == found(doc)
    assert not doc[3].tag_


def test_annotator_that_is_not_installed_is_an_error():
    message = "phi_crf: the annotator 'en_no_such' is not installed; install it, or set"
    with pytest.raises(ValueError, match=message):
        spacy.blank("en").add_pipe("phi_crf", config={"annotator": "en_no_such"})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"scheme": "BILUO"}, "unknown tagging scheme 'BILUO'; choose among BIOES, BIO"),
        ({"features": ["wrods"]}, "unknown feature group 'wrods'"),
        ({"unit": "word"}, "unknown unit 'word'"),
        ({"c2": -1.0}, r"c2 is -1\.0, but must be 0 or more"),
    ],
)
def test_wrong_settings_are_errors(config, message):
    with pytest.raises(ValueError, match=message):
        spacy.blank("en").add_pipe("phi_crf", config=config)


def test_clusters_are_saved_with_the_model(tmp_path):
    paths = tmp_path / "paths"
    paths.write_text("0010\tMaria\t1\n0010\tJohn\t1\n11\tseen\t1\n")
    nlp = spacy.blank("en")
    for word, vector in (("maria", [1, 0]), ("john", [2, 0.1]), ("seen", [0, 1])):
        nlp.vocab.set_vector(word, spacy.util.numpy.array(vector, dtype="float32"))
    features = ["brown_clusters", "vector_clusters"]
    crf = nlp.add_pipe("phi_crf", config={"features": features, "window": 0, "c2": 0.001})
    settings = {"brown_clusters": str(paths), "n_vector_clusters": 2, "seed": 1}
    crf.initialize(lambda: examples_of(nlp), nlp=nlp, **settings)
    known = crf.extract.knowledge
    assert known.vectors.get("Maria") == known.vectors.get("john") != known.vectors.get("seen")
    paths.unlink()
    fresh = spacy.blank("en").add_pipe("phi_crf", config={"features": features})
    fresh.from_bytes(crf.to_bytes())
    assert fresh.extract.knowledge.brown.get("Maria") == "0010"
    assert fresh.extract.knowledge.vectors.get("maria") == known.vectors.get("maria")
    assert fresh.extract.knowledge.brown.get("zygote") is None


def test_training_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    train_nlp()
    assert list(tmp_path.iterdir()) == []


def test_spacy_train_with_a_config(tmp_path):
    from spacy.cli.train import train

    corpus = tmp_path / "notes.jsonl"
    notes = [
        {
            "id": f"n{i}",
            "text": text,
            "spans": [{"start": start, "end": end, "label": label} for start, end, label in ents],
        }
        for i, (text, ents) in enumerate(TRAIN)
    ]
    corpus.write_text("\n".join(json.dumps(note) for note in notes))
    config = Path(__file__).parent / "token_crf.cfg"
    paths = {"paths.train": str(corpus), "paths.dev": str(corpus)}
    train(config, tmp_path / "out", overrides=paths)
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp.meta["performance"]["phi_token_r"] == 1.0
    assert nlp.meta["labels"]["phi_crf"] == ["DATE", "DOCTOR", "PATIENT", "PHONE"]
    assert [ent.label_ for ent in nlp(TEXTS[1]).ents] == ["PATIENT", "DATE"]
