import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_deid.tagger.decode import tag_names
from spacy_deid.tagger.gold import gold_tags

LABELS = ("DATE", "PATIENT")


def gold_doc(words: list[str]) -> Doc:
    doc = Doc(spacy.blank("en").vocab, words=words)
    doc.set_ents([Span(doc, 0, 3, label="PATIENT"), Span(doc, 4, 5, label="DATE")])
    return doc


def names_of(example: Example) -> list[str]:
    names = tag_names(LABELS)
    return ["?" if tag < 0 else names[tag] for tag in gold_tags(example, LABELS)]


def test_same_tokens():
    doc = gold_doc(["Ann", "Mary", "Lee", "on", "3/4"])
    predicted = Doc(doc.vocab, words=[token.text for token in doc])
    expected = ["B-PATIENT", "I-PATIENT", "L-PATIENT", "O", "U-DATE"]
    assert names_of(Example(predicted, doc)) == expected


def test_missing_annotation_is_unknown():
    doc = gold_doc(["Ann", "Mary", "Lee", "on", "3/4"])
    doc.set_ents([Span(doc, 4, 5, label="DATE")], default="missing")
    assert names_of(Example(doc.copy(), doc)) == ["?", "?", "?", "?", "U-DATE"]


def test_other_tokens_are_aligned():
    doc = gold_doc(["Ann", "Mary", "Lee", "on", "3/4"])
    predicted = Doc(
        doc.vocab,
        words=["Ann", "Mary", "Lee", "on", "3", "/", "4"],
        spaces=[True, True, True, True, False, False, True],
    )
    expected = ["B-PATIENT", "I-PATIENT", "L-PATIENT", "O", "B-DATE", "I-DATE", "L-DATE"]
    assert names_of(Example(predicted, doc)) == expected


def test_unknown_label_is_an_error():
    doc = gold_doc(["Ann", "Mary", "Lee", "on", "3/4"])
    with pytest.raises(ValueError, match="PATIENT"):
        gold_tags(Example(doc.copy(), doc), ("DATE",))
