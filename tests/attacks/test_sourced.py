"""Pipes that are added from another pipeline work as there, or say what they lack."""

from __future__ import annotations

import pytest
import spacy
from spacy.training import Example

TEXT = "Seen by Dr. Mar\u200bia Lopez on 03/04/2067. Orville Whitacre, MRN: 00418820."


def phi_of(doc):
    return [(ent.text, ent.label_) for ent in doc.ents]


def general_pipeline():
    """A trained pipeline of other components, without word vectors."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    tags = {"tags": ["VB", "IN", "NN", "."]}
    example = Example.from_dict(nlp.make_doc("Seen by Maria."), tags)
    nlp.initialize(lambda: [example])
    return nlp


def share_words(source, target):
    target.vocab.vectors = source.vocab.vectors
    for table in ("phi_words", "phi_phrases"):
        target.vocab.lookups.set_table(table, source.vocab.lookups.get_table(table))


@pytest.mark.parametrize("make", [lambda: spacy.blank("en"), general_pipeline])
def test_en_deid_in_another_pipeline(load_en_deid, make, tmp_path):
    source, target = load_en_deid(), make()
    share_words(source, target)
    for name in source.pipe_names:
        target.add_pipe(name, source=source)
    assert phi_of(target(TEXT)) == phi_of(source(TEXT))
    target.to_disk(tmp_path / "model")
    assert phi_of(spacy.load(tmp_path / "model")(TEXT)) == phi_of(source(TEXT))


@pytest.mark.filterwarnings("ignore:.W113")
def test_other_components_in_en_deid(load_en_deid, tmp_path):
    nlp = load_en_deid()
    expected = phi_of(nlp(TEXT))
    nlp.add_pipe("tagger", source=general_pipeline(), after="phi_merger")
    doc = nlp(TEXT)
    assert phi_of(doc) == expected and doc[0].tag_
    nlp.to_disk(tmp_path / "model")
    assert phi_of(spacy.load(tmp_path / "model")(TEXT)) == expected


@pytest.mark.filterwarnings("ignore:.W113")
@pytest.mark.parametrize("shared", ["nothing", "vectors"])
def test_pipes_without_their_words_say_so(load_en_deid, shared):
    source, target = load_en_deid(), spacy.blank("en")
    if shared == "vectors":
        target.vocab.vectors = source.vocab.vectors
    for name in source.pipe_names:
        target.add_pipe(name, source=source)
    with pytest.raises(ValueError, match="give it the vocab.vectors of its source") as error:
        target(TEXT)
    assert "Lopez" not in str(error.value)
