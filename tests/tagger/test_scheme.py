import numpy as np
import pytest

from spacy_deid.tagger.scheme import SCHEMES

LABELS = ("A", "B")


def tags_of(names: str, scheme: str) -> np.ndarray:
    all_names = SCHEMES[scheme].tag_names(LABELS)
    return np.asarray([-1 if name == "?" else all_names.index(name) for name in names.split()])


def test_bioes_allows_the_moves_of_biluo():
    names = SCHEMES["BIOES"].tag_names(LABELS)
    moves, opens, closes = SCHEMES["BIOES"].legal_moves(2)
    allowed = {(names[i], names[j]) for i, j in moves.nonzero().tolist()}
    assert ("B-A", "I-A") in allowed and ("I-A", "L-A") in allowed and ("B-B", "L-B") in allowed
    assert ("L-A", "B-B") in allowed and ("U-A", "U-A") in allowed and ("O", "B-A") in allowed
    assert not {("B-A", "I-B"), ("B-A", "O"), ("I-A", "U-A"), ("O", "I-A"), ("O", "L-B")} & allowed
    assert {names[i] for i in opens.nonzero().flatten()} == {"O", "B-A", "B-B", "U-A", "U-B"}
    assert {names[i] for i in closes.nonzero().flatten()} == {"O", "L-A", "L-B", "U-A", "U-B"}


def test_bio_forbids_only_an_inside_without_its_type_before_it():
    names = SCHEMES["BIO"].tag_names(LABELS)
    assert names == ["O", "B-A", "B-B", "I-A", "I-B"]
    moves, opens, closes = SCHEMES["BIO"].legal_moves(2)
    forbidden = {(names[i], names[j]) for i, j in (~moves).nonzero().tolist()}
    others = {"A": ("O", "B-B", "I-B"), "B": ("O", "B-A", "I-A")}
    assert forbidden == {(name, f"I-{label}") for label in LABELS for name in others[label]}
    assert opens.tolist() == [True, True, True, False, False]
    assert closes.all()


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("BIOES", "O B-A I-A L-A U-B ? B-B L-B"),
        ("BIO", "O B-A I-A I-A B-B ? B-B I-B"),
    ],
)
def test_gold_in_each_scheme(scheme, expected):
    gold = tags_of("O B-A I-A L-A U-B ? B-B L-B", "BIOES")
    assert SCHEMES[scheme].from_gold(gold, 2).tolist() == tags_of(expected, scheme).tolist()


@pytest.mark.parametrize(
    ("scheme", "tags", "expected"),
    [
        ("BIOES", "O B-A I-A L-A O U-B U-B", [(1, 4, "A"), (5, 6, "B"), (6, 7, "B")]),
        ("BIO", "B-A B-A I-A O B-B", [(0, 1, "A"), (1, 3, "A"), (4, 5, "B")]),
        # Impossible, and read without loss.
        ("BIOES", "I-A I-A O L-B", [(0, 2, "A"), (3, 4, "B")]),
        (
            "BIOES",
            "B-A I-B L-A U-A I-A",
            [(0, 1, "A"), (1, 2, "B"), (2, 3, "A"), (3, 4, "A"), (4, 5, "A")],
        ),
        ("BIOES", "B-A B-A L-A L-A", [(0, 1, "A"), (1, 3, "A"), (3, 4, "A")]),
        ("BIO", "I-A I-A I-B O I-B", [(0, 2, "A"), (2, 3, "B"), (4, 5, "B")]),
        ("BIO", "O O", []),
    ],
)
def test_spans_cover_every_tag_but_outside(scheme, tags, expected):
    spans = SCHEMES[scheme].spans(tags_of(tags, scheme), 2)
    assert [(start, end, LABELS[label]) for start, end, label in spans] == expected
