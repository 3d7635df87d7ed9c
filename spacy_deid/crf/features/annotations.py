"""Features from the annotations of another spaCy pipeline, the annotator."""

from __future__ import annotations

from functools import partial

from ..sequences import Sentence
from .forms import list_names
from .group import Attributes, Knowledge, feature_group, ngram_group


def _read(sentence: Sentence, layer: str) -> list[str]:
    """A layer of the annotation for each token of a sentence; all "" without annotation."""
    annotation = sentence.view.annotation
    if annotation is None:
        return [""] * len(sentence)
    return getattr(annotation, layer)[sentence.start : sentence.end]


for _name, _attribute, _n, _layer in (
    ("pos", "pos", 1, "tags"),  # parts of speech (Liu 2015)
    ("pos_bigrams", "pos2", 2, "tags"),
    ("pos_trigrams", "pos3", 3, "tags"),
    ("chunks", "chunk", 1, "chunks"),  # position in a noun phrase, in BIO (Jiang 2017)
    ("entities", "entity", 1, "entities"),  # general named entity, in BIO (Liu 2015)
):
    ngram_group(_name, _attribute, _n, partial(_read, layer=_layer), needs="annotator")


@feature_group("word_pos", needs="annotator")
def word_pos(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The word together with its part of speech (Liu 2015)."""
    pairs = zip(sentence.words, _read(sentence, "tags"), strict=True)
    return [[f"word_pos={word.lower()}|{tag}"] if tag else [] for word, tag in pairs]


@feature_group("semantics", needs="annotator")
def semantics(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The lemma and the gazetteer lists that contain it.

    Dernoncourt 2017 uses WordNet's senses, hypernyms and lemma names. Without WordNet, the lemma is
    the annotator's, gazetteer lists ("city_word", "profession_word", "drug_word") replace
    hypernyms, and senses are left out.
    """
    return [
        [f"lemma={lemma.lower()}", *list_names("lemma_list", lemma, knowledge)] if lemma else []
        for lemma in _read(sentence, "lemmas")
    ]
