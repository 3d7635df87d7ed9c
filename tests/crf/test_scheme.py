import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.crf.scheme import SCHEMES, decode_tags, encode_tags

ENTITIES = [None, (0, "DATE"), (1, "DATE"), (1, "DATE"), (1, "DATE"), None, (2, "AGE"), (2, "AGE")]


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("BIO", "O B-DATE B-DATE I-DATE I-DATE O B-AGE I-AGE"),
        ("BIOES", "O S-DATE B-DATE I-DATE E-DATE O B-AGE E-AGE"),
    ],
)
def test_entities_become_tags_and_come_back(scheme, expected):
    tags = encode_tags(ENTITIES, scheme)
    assert " ".join(tags) == expected
    assert decode_tags(tags) == [(1, 2, "DATE"), (2, 5, "DATE"), (6, 8, "AGE")]


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
        ("B-A O", [(0, 1, "A")]),
        ("B-A S-A", [(0, 1, "A"), (1, 2, "A")]),
        ("S-A I-A", [(0, 1, "A"), (1, 2, "A")]),
        ("S-A E-A E-A", [(0, 1, "A"), (1, 2, "A"), (2, 3, "A")]),
        ("B-A E-B E-A", [(0, 1, "A"), (1, 2, "B"), (2, 3, "A")]),
        ("B-A I-A B-A E-A", [(0, 2, "A"), (2, 4, "A")]),
        ("B-LOCATION-OTHER I-LOCATION-OTHER", [(0, 2, "LOCATION-OTHER")]),
    ],
)
def test_impossible_tags_lose_no_item(tags, expected):
    found = decode_tags(tags.split())
    assert found == expected
    inside = {i for start, end, _ in found for i in range(start, end)}
    assert inside == {i for i, tag in enumerate(tags.split()) if tag != "O"}


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "E-A", "S-A", "B-B", "I-B", "E-B", "S-B"])))
def test_any_tags_give_each_item_inside_its_own_type(tags):
    labels = ["O"] * len(tags)
    for start, end, label in decode_tags(tags):
        assert start < end and set(labels[start:end]) == {"O"}
        labels[start:end] = [label] * (end - start)
    assert labels == [tag.partition("-")[2] or "O" for tag in tags]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from([None, "A", "B"]))),
    st.sampled_from(SCHEMES),
)
def test_encoding_is_undone(runs, scheme):
    entities, expected = [], []
    for number, (length, label) in enumerate(runs):
        if label:
            expected.append((len(entities), len(entities) + length, label))
        entities += [(number, label) if label else None] * length
    assert decode_tags(encode_tags(entities, scheme)) == expected
