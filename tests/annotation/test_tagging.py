import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_deid.annotation.tagging import SCHEMES, decode_tags, gold_labels

LABELS = ("AGE", "DATE")
WORDS = ["Ann", "Mary", "Lee", "on", "3/4"]


def encode(scheme: str, labels: list[int], firsts: list[int]) -> list[str]:
    """The names of the tags, "?" where unknown."""
    begins = np.isin(np.arange(len(labels)), firsts)
    tags = SCHEMES[scheme].encode(np.asarray(labels, dtype=np.int64), begins, len(LABELS))
    names = SCHEMES[scheme].tag_names(LABELS)
    return ["?" if tag < 0 else names[tag] for tag in tags.tolist()]


def decode(tags: list[str]) -> list[tuple[int, int, str]]:
    return decode_tags(enumerate(tags))


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("BIO", "O B-DATE B-DATE I-DATE I-DATE ? O B-AGE I-AGE"),
        ("BIOES", "O S-DATE B-DATE I-DATE E-DATE ? O B-AGE E-AGE"),
    ],
)
def test_entities_become_tags_and_come_back(scheme, expected):
    tags = encode(scheme, [0, 2, 2, 2, 2, -1, 0, 1, 1], [1, 2, 7])
    assert " ".join(tags) == expected
    tags[5] = "O"
    assert decode(tags) == [(1, 2, "DATE"), (2, 5, "DATE"), (7, 9, "AGE")]


@pytest.mark.parametrize(
    ("labels", "firsts", "expected"),
    [
        ([0, 2, 2, 0], [0, 1, 2], "O S-DATE S-DATE O"),
        ([1, 1, 1], [0, 1], "S-AGE B-AGE E-AGE"),
        ([1, 1, 1], [0, 2], "B-AGE E-AGE S-AGE"),
        ([1, 1, 1], [0, 1, 2], "S-AGE S-AGE S-AGE"),
        ([-1, 1, 1], [], "? B-AGE E-AGE"),
        ([], [], ""),
    ],
)
def test_entities_are_split_where_sequences_begin(labels, firsts, expected):
    assert " ".join(encode("BIOES", labels, firsts)) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("", []),
        ("O O", []),
        ("I-A I-A", [(0, 2, "A")]),
        ("O I-A O", [(1, 2, "A")]),
        ("B-A I-B", [(0, 1, "A"), (1, 2, "B")]),
        ("B-A B-A", [(0, 1, "A"), (1, 2, "A")]),
        ("I-A I-B I-A", [(0, 1, "A"), (1, 2, "B"), (2, 3, "A")]),
        ("E-A", [(0, 1, "A")]),
        ("I-A E-A", [(0, 2, "A")]),
        ("B-A O I-A", [(0, 1, "A"), (2, 3, "A")]),
        ("B-A S-A", [(0, 1, "A"), (1, 2, "A")]),
        ("S-A I-A", [(0, 1, "A"), (1, 2, "A")]),
        ("S-A E-A E-A", [(0, 1, "A"), (1, 2, "A"), (2, 3, "A")]),
        ("B-A E-B E-A", [(0, 1, "A"), (1, 2, "B"), (2, 3, "A")]),
        ("B-A I-A B-A E-A", [(0, 2, "A"), (2, 4, "A")]),
        ("B-LOCATION-OTHER I-LOCATION-OTHER", [(0, 2, "LOCATION-OTHER")]),
    ],
)
def test_illegal_sequences_lose_no_item(tags, expected):
    assert decode(tags.split()) == expected
    tagged = [(i, tag) for i, tag in enumerate(tags.split()) if tag != "O"]
    assert decode_tags(tagged) == expected


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "E-A", "S-A", "B-B", "I-B", "E-B", "S-B"])))
def test_any_tags_give_each_item_its_own_type(tags):
    labels = ["O"] * len(tags)
    for start, end, label in decode(tags):
        assert start < end and set(labels[start:end]) == {"O"}
        labels[start:end] = [label] * (end - start)
    assert labels == [tag.partition("-")[2] or "O" for tag in tags]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from([0, 1, 2]))),
    st.sampled_from(sorted(SCHEMES)),
)
def test_encoding_is_undone(runs, scheme):
    labels, firsts, expected = [], [], []
    for length, label in runs:
        firsts.append(len(labels))
        if label:
            expected.append((len(labels), len(labels) + length, LABELS[label - 1]))
        labels += [label] * length
    assert decode(encode(scheme, labels, firsts)) == expected


def gold_doc() -> Doc:
    doc = Doc(spacy.blank("en").vocab, words=WORDS)
    doc.set_ents([Span(doc, 0, 3, label="AGE"), Span(doc, 4, 5, label="DATE")])
    return doc


def gold_tags(doc: Doc, reference: Doc, unit: str = "token") -> str:
    labels, firsts = gold_labels(doc, reference, LABELS, unit)
    return " ".join(encode("BIOES", labels.tolist(), np.flatnonzero(firsts).tolist()))


def test_gold_of_the_same_tokens():
    doc = gold_doc()
    assert gold_tags(doc.copy(), doc) == "B-AGE I-AGE E-AGE O S-DATE"
    doc.set_ents([Span(doc, 4, 5, label="DATE")], default="missing")
    assert gold_tags(doc.copy(), doc) == "? ? ? ? S-DATE"


@pytest.mark.parametrize(
    ("words", "spaces", "expected"),
    [
        (
            [*WORDS[:4], "3", "/", "4"],
            [1, 1, 1, 1, 0, 0, 1],
            "B-AGE I-AGE E-AGE O B-DATE I-DATE E-DATE",
        ),
        (["Ann Mary", "Lee on", "3/4"], [1, 1, 1], "B-AGE E-AGE S-DATE"),
    ],
)
def test_gold_of_other_tokens_holds_all_that_entities_touch(words, spaces, expected):
    doc = gold_doc()
    other = Doc(doc.vocab, words=words, spaces=[bool(space) for space in spaces])
    assert gold_tags(other, doc) == expected


def test_gold_of_characters():
    doc = gold_doc()
    assert gold_tags(doc.copy(), doc, "character").split()[-4:] == [
        "B-DATE",
        "I-DATE",
        "E-DATE",
        "O",
    ]


def test_unknown_labels_and_other_texts_are_errors():
    doc = gold_doc()
    with pytest.raises(ValueError, match="'AGE'.* not among the labels"):
        gold_labels(doc.copy(), doc, ["DATE"])
    with pytest.raises(ValueError, match="different texts"):
        gold_labels(spacy.blank("en")("other"), doc, LABELS)


def test_tags_that_may_open_close_and_continue():
    names = SCHEMES["BIOES"].tag_names(LABELS)
    scheme = SCHEMES["BIOES"]
    assert [names[tag][0] for tag in scheme.opening(2)] == list("OBBSS")
    assert [names[tag][0] for tag in scheme.closing(2)] == list("OEESS")
    assert [names[tag][0] for tag in scheme.continuing(2)] == list("IIEE")
    assert SCHEMES["BIO"].n_labels(SCHEMES["BIO"].n_tags(2)) == 2
