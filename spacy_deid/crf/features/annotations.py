"""Features from the annotations of another spaCy pipeline, the annotator."""

from __future__ import annotations

from ..sequences import Sentence
from .forms import list_names
from .group import Attributes, Knowledge, feature_group, ngrams


@feature_group("pos", needs="annotator")
def pos(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The part of speech (Liu 2015)."""
    return [[f"pos={tag}"] if tag else [] for tag in _read(sentence, "tags")]


@feature_group("pos_bigrams", reach=1, needs="annotator")
def pos_bigrams(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """Pairs of adjacent parts of speech (Liu 2015)."""
    return ngrams("pos2", _read(sentence, "tags"), 2)


@feature_group("pos_trigrams", reach=2, needs="annotator")
def pos_trigrams(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """Triples of adjacent parts of speech (Liu 2015)."""
    return ngrams("pos3", _read(sentence, "tags"), 3)


@feature_group("word_pos", needs="annotator")
def word_pos(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The word together with its part of speech (Liu 2015)."""
    pairs = zip(sentence.words, _read(sentence, "tags"), strict=False)
    return [[f"word_pos={word.lower()}|{tag}"] if tag else [] for word, tag in pairs]


@feature_group("chunks", needs="annotator")
def chunks(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The position in a noun phrase, in BIO (Jiang 2017)."""
    return [[f"chunk={tag}"] if tag else [] for tag in _read(sentence, "chunks")]


@feature_group("entities", needs="annotator")
def entities(sentence: Sentence, knowledge: Knowledge) -> list[Attributes]:
    """The general named entity, in BIO (Liu 2015)."""
    return [[f"entity={tag}"] if tag else [] for tag in _read(sentence, "entities")]


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


def _read(sentence: Sentence, layer: str) -> list[str]:
    """A layer of the annotation for each token of a sentence; all "" without annotation."""
    annotation = sentence.view.annotation
    if annotation is None:
        return [""] * len(sentence)
    return getattr(annotation, layer)[sentence.start : sentence.end]
