import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_deid.tagger.gold import close_at_cuts, gold_tags
from spacy_deid.tagger.scheme import SCHEMES

LABELS = ("DATE", "PATIENT")


def gold_doc(words: list[str]) -> Doc:
    doc = Doc(spacy.blank("en").vocab, words=words)
    doc.set_ents([Span(doc, 0, 3, label="PATIENT"), Span(doc, 4, 5, label="DATE")])
    return doc


def names_of(example: Example) -> list[str]:
    names = SCHEMES["BIOES"].tag_names(LABELS)
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


@pytest.mark.parametrize(
    ("tags", "lengths", "expected"),
    [
        ("O B-DATE L-DATE O", [2, 2], "O U-DATE U-DATE O"),
        ("B-PATIENT I-PATIENT L-PATIENT", [1, 2], "U-PATIENT B-PATIENT L-PATIENT"),
        ("B-PATIENT I-PATIENT L-PATIENT", [2, 1], "B-PATIENT L-PATIENT U-PATIENT"),
        ("B-PATIENT I-PATIENT L-PATIENT", [1, 1, 1], "U-PATIENT U-PATIENT U-PATIENT"),
        ("B-DATE L-DATE U-DATE O", [2, 2], "B-DATE L-DATE U-DATE O"),
        ("O O", [1, 1], "O O"),
    ],
)
def test_entities_cut_by_a_segment_become_two(tags, lengths, expected):
    names = SCHEMES["BIOES"].tag_names(LABELS)
    gold = np.asarray([names.index(tag) for tag in tags.split()])
    lasts = np.cumsum(lengths) - 1
    close_at_cuts(gold, lasts + 1 - lengths, lasts, len(LABELS))
    assert " ".join(names[tag] for tag in gold) == expected


def test_unknown_gold_stays_unknown_at_cuts():
    gold = np.asarray([-1, -1])
    close_at_cuts(gold, np.arange(2), np.arange(2), 2)
    assert gold.tolist() == [-1, -1]
