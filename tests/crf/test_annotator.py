import pytest
import spacy
from spacy.tokens import Doc

from spacy_deid.crf.prepare import annotate, check_annotator

NLP = spacy.blank("en")


def test_annotation_has_an_entry_for_each_of_our_tokens(annotator):
    doc = Doc(NLP.vocab, words=["Nurses", "\n ", "saw", "Maria", "3", "/", "4"])
    empty = NLP.make_doc("")
    one, none = annotate(annotator, [doc, empty])
    assert one.tags == ["NNS", "", "VBD", "NNP", "", "", ""]
    assert one.lemmas == ["nurse", "", "see", "Maria", "", "", ""]
    assert one.chunks == ["B-NP", "O", "O", "B-NP", "O", "O", "O"]
    assert one.entities == ["O", "O", "O", "B-PERSON", "O", "O", "O"]
    assert none.tags == none.lemmas == none.chunks == none.entities == []
    assert not doc[0].tag_ and not doc.ents


def test_annotator_without_such_pipes_says_nothing(tmp_path):
    NLP.to_disk(tmp_path)
    (annotation,) = annotate(str(tmp_path), [Doc(NLP.vocab, words=["Maria"])])
    assert [annotation.tags, annotation.chunks, annotation.entities] == [[""], [""], [""]]


def test_path_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="crf2: the annotator '.*none' is not installed"):
        check_annotator(str(tmp_path / "none"), "crf2")
