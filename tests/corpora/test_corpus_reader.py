from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import spacy
from corpora_helpers import INSTALLED, TARGETS
from spacy.util import registry

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import CORPUS_FORMATS, write_notes
from spacy_deid.corpora.reader import create_corpus_reader

NOTES = [Note("1", "Dr Quill in Bath", (PhiSpan(3, 8, "DOCTOR"),)), Note("2", ""), Note("3", "Ok")]


def test_reader_is_registered() -> None:
    assert registry.readers.get("spacy_deid.Corpus.v1") is create_corpus_reader


@pytest.mark.parametrize("fmt", [name for name in INSTALLED if CORPUS_FORMATS[name].suffixes])
def test_reader_gives_gold_examples_from_any_format(fmt: str, tmp_path: Path) -> None:
    path = tmp_path / TARGETS[fmt]
    write_notes(NOTES, path, fmt=fmt)
    nlp = spacy.blank("en")
    corpus = pickle.loads(pickle.dumps(create_corpus_reader(str(path))))
    examples = list(corpus(nlp))
    assert [example.text for example in examples] == ["Dr Quill in Bath", "", "Ok"]
    assert [ent.label_ for ent in examples[0].reference.ents] == ["DOCTOR"]
    assert not examples[0].predicted.ents
    assert examples[0].get_aligned_ner() == ["O", "U-DOCTOR", "O", "O"]
    assert len(list(corpus(nlp))) == 3


def test_reader_resolves_from_a_config(tmp_path: Path) -> None:
    write_notes(NOTES, tmp_path / "a.spacy")
    block = {"@readers": "spacy_deid.Corpus.v1", "path": str(tmp_path / "a.spacy"), "limit": 1}
    corpus = registry.resolve({"train": block})["train"]
    assert [example.text for example in corpus(spacy.blank("en"))] == ["Dr Quill in Bath"]


def test_reader_stops_at_its_limit(tmp_path: Path) -> None:
    write_notes(NOTES, tmp_path / "a.jsonl")
    assert len(list(create_corpus_reader(tmp_path / "a.jsonl", limit=2)(spacy.blank("en")))) == 2


def test_reader_keeps_the_longest_of_overlapping_phi(tmp_path: Path) -> None:
    spans = PhiSpan(0, 9, "DOCTOR"), PhiSpan(4, 9, "PATIENT")
    write_notes([Note("1", "Ada Quill", spans)], tmp_path / "a.spacy")
    (example,) = create_corpus_reader(tmp_path / "a.spacy")(spacy.blank("en"))
    assert [(ent.text, ent.label_) for ent in example.reference.ents] == [("Ada Quill", "DOCTOR")]


def test_reader_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the corpus has no path; set it, as in --paths.train"):
        create_corpus_reader(None)
    with pytest.raises(ValueError, match="the limit of the corpus is -1, but must be 0, for all"):
        create_corpus_reader(tmp_path, limit=-1)
    with pytest.raises(ValueError, match="there is no file or folder"):
        list(create_corpus_reader(tmp_path / "a.spacy")(spacy.blank("en")))
    (tmp_path / "a.json").touch()
    with pytest.raises(ValueError, match=r"a\.json is unclear; convert it first"):
        list(create_corpus_reader(tmp_path / "a.json")(spacy.blank("en")))
