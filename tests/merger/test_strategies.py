"""The merging strategies, each decision worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.merger.result import Mention
from spacy_deid.merger.strategies import STRATEGIES
from spacy_deid.text.tokens import Tokens

WORDS = "seen per Maria Lopez Chen near Mercy , Troy".split()
RULE, CRF, NET = "rule", "crf", "net"


def merge(strategy, *rows):
    """Rows are (first token, one past the last, type, detector), the most trusted first."""
    mentions = [
        Mention(start, end, label, detector, [detector], 0.9)
        for start, end, label, detector in rows
    ]
    found = STRATEGIES[strategy](Tokens(WORDS, [1] * len(WORDS), []), mentions)
    return [(m.start, m.end, m.label, "+".join(m.sources)) for m in found]


OVERLAP = [(2, 3, "PATIENT", RULE), (2, 4, "DOCTOR", CRF), (3, 5, "DOCTOR", NET)]


@pytest.mark.parametrize(
    "strategy, expected",
    [
        ("priority", [(2, 3, "PATIENT", "rule"), (3, 5, "DOCTOR", "net")]),
        ("cover", [(2, 3, "PATIENT", "rule"), (3, 5, "DOCTOR", "crf+net")]),
        ("union", [(2, 3, "PATIENT", "rule"), (3, 5, "DOCTOR", "crf+net")]),
    ],
)
def test_strategies_on_one_overlap(strategy, expected):
    assert merge(strategy, *OVERLAP) == expected


def test_cover_joins_the_parts_of_a_longer_mention():
    """A phone number and its extension are one where another detector takes them for one."""
    parts = ((0, 2, "PHONE", RULE), (3, 4, "PHONE", RULE))
    assert merge("cover", *parts, (0, 4, "PHONE", NET)) == [(0, 4, "PHONE", "rule+net")]
    assert len(merge("cover", *parts, (0, 4, "FAX", NET))) == 3
    others = ((0, 2, "PHONE", RULE), (3, 4, "PHONE", CRF), (0, 4, "PHONE", NET))
    assert merge("cover", *others) == [(0, 4, "PHONE", "rule+net+crf")]


@pytest.mark.parametrize("phi_type", ["DATE", "PATIENT", "DOCTOR"])
def test_cover_leaves_dates_and_names_side_by_side(phi_type):
    ends = ((0, 2, phi_type, RULE), (3, 4, phi_type, RULE))
    found = merge("cover", *ends, (0, 4, phi_type, NET))
    assert [row[:2] for row in found][::2] == [(0, 2), (3, 4)]


def test_priority_drops_the_loser_whole():
    assert merge("priority", (3, 4, "DOCTOR", RULE), (2, 5, "PATIENT", CRF)) == [
        (3, 4, "DOCTOR", "rule")
    ]


def test_priority_notes_who_agrees():
    assert merge("priority", (3, 4, "DOCTOR", RULE), (2, 4, "DOCTOR", CRF)) == [
        (3, 4, "DOCTOR", "rule+crf")
    ]


def test_union_joins_overlapping_and_keeps_neighbours_apart():
    assert merge("union", (2, 4, "DOCTOR", CRF), (3, 5, "DOCTOR", NET)) == [
        (2, 5, "DOCTOR", "crf+net")
    ]
    assert merge("union", (2, 4, "DOCTOR", CRF), (4, 5, "DOCTOR", NET)) == [
        (2, 4, "DOCTOR", "crf"),
        (4, 5, "DOCTOR", "net"),
    ]


def test_strategies_trim_punctuation_that_a_decision_cut_off():
    rows = [(6, 7, "HOSPITAL", RULE), (6, 8, "CITY", CRF)]  # "Mercy", and "Mercy ,"
    for strategy in ("cover", "union"):
        assert merge(strategy, *rows) == [(6, 7, "HOSPITAL", "rule")]


ROWS = st.lists(
    st.tuples(
        st.integers(0, 8),
        st.integers(1, 4),
        st.sampled_from(["CITY", "DOCTOR"]),
        st.sampled_from([RULE, CRF, NET]),
    ),
    max_size=7,
)


@given(ROWS, st.sampled_from(sorted(STRATEGIES)))
def test_strategies_give_mentions_in_order_without_overlap(rows, strategy):
    found = merge(strategy, *((s, min(s + n, len(WORDS)), label, who) for s, n, label, who in rows))
    ends = [0, *(end for _, end, *_ in found)]
    assert all(last <= start < end for last, (start, end, *_) in zip(ends, found, strict=False))


@given(ROWS)
def test_strategies_lose_or_keep_tokens_as_they_say(rows):
    rows = [(s, min(s + n, len(WORDS)), label, who) for s, n, label, who in rows]
    covered = {
        name: {i for start, end, *_ in merge(name, *rows) for i in range(start, end) if i != 7}
        for name in STRATEGIES
    }
    everything = {i for start, end, *_ in rows for i in range(start, end) if i != 7}
    assert covered["union"] == covered["cover"] == everything
    assert covered["priority"] <= everything
