from __future__ import annotations

import pytest
import spacy

from spacy_deid.merging import Mention
from spacy_deid.whole_names import join_nicknames, take_initials


@pytest.fixture(scope="module")
def nlp():
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    return spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})


def mention(doc, text, label="PATIENT", score=0.9):
    start = doc.text.index(text)
    span = doc.char_span(start, start + len(text))
    return Mention(span.start, span.end, label, "phi_tagger", ["phi_tagger"], score)


@pytest.mark.parametrize(
    "text, part, expected",
    [
        ("witnessed W. Morrison today", "Morrison", "W. Morrison"),
        ("W. Morrison", "Morrison", "W. Morrison"),
        ('labeled "Bjornstad, L" right', "Bjornstad", "Bjornstad, L"),
        ("8:31 AM Bloomquist, H\nLM", "Bloomquist", "Bloomquist, H"),
        ("saw Lee, R knee pain", "Lee", "Lee"),
        ("for 3 d. Morrison came", "Morrison", "Morrison"),
        ("vitamin D . Morrison came", "Morrison", "Morrison"),
        ("Lee, RN\n", "Lee", "Lee"),
    ],
)
def test_take_initials(nlp, text, part, expected):
    doc = nlp.make_doc(text)
    (one,) = take_initials(doc, [mention(doc, part)])
    assert doc[one.start : one.end].text == expected


def test_take_initials_leaves_what_others_hold(nlp):
    doc = nlp.make_doc("Anna W. Morrison")
    mentions = [mention(doc, "Anna W", "DOCTOR"), mention(doc, "Morrison")]
    assert [(one.start, one.end) for one in take_initials(doc, mentions)] == [(0, 2), (3, 4)]


@pytest.mark.parametrize(
    "text, parts, expected",
    [
        ('Eun-ji "Grace" Pak, 49', ["Eun-ji", "Grace", "Pak"], ['Eun-ji "Grace" Pak']),
        ("aunt Shazza (Sharon) Burns", ["Shazza", "Sharon", "Burns"], ["Shazza (Sharon) Burns"]),
        ("Tom (son) and Burns", ["Tom", "Burns"], ["Tom", "Burns"]),
        ("Tom (Ann), Burns", ["Tom", "Ann", "Burns"], ["Tom", "Ann", "Burns"]),
    ],
)
def test_join_nicknames(nlp, text, parts, expected):
    doc = nlp.make_doc(text)
    joined = join_nicknames(doc, [mention(doc, part) for part in parts])
    assert [doc[one.start : one.end].text for one in joined] == expected
