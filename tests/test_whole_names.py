from __future__ import annotations

from pathlib import Path

import pytest
import spacy

from spacy_deid.gazetteers import create_gazetteers
from spacy_deid.merging import Mention
from spacy_deid.whole_names import join_nicknames, join_reversed, take_initials

ASSETS = Path(__file__).parent.parent / "assets"


@pytest.fixture(scope="module")
def nlp():
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.vocab.lookups = create_gazetteers(str(ASSETS / "gazetteers"))
    return nlp


def mention(doc, text, label="PATIENT", score=0.9):
    start = doc.text.index(text)
    span = doc.char_span(start, start + len(text))
    return Mention(span.start, span.end, label, "phi_tagger", ["phi_tagger"], score)


@pytest.mark.parametrize(
    "text, parts, expected",
    [
        ("visit\nLeBlanc, Ray\ns/p TKA", ["LeBlanc", "Ray"], ["LeBlanc, Ray"]),
        ("| BUI, DUC THANH | 58M", ["BUI", "DUC THANH"], ["BUI, DUC THANH"]),
        ("seen with Whitacre, Bill today", ["Whitacre", "Bill"], ["Whitacre, Bill"]),
        ("with Ray, Paul and Ann", ["Ray", "Paul", "Ann"], ["Ray", "Paul", "Ann"]),
        ("with Whitacre, Bill and Ann", ["Whitacre", "Bill", "Ann"], ["Whitacre", "Bill", "Ann"]),
        ("sons Tom, Tanaka, Bill", ["Tom", "Tanaka", "Bill"], ["Tom", "Tanaka", "Bill"]),
        ("Tanaka, Okafor\n", ["Tanaka", "Okafor"], ["Tanaka", "Okafor"]),
        ("Tanaka Bill", ["Tanaka", "Bill"], ["Tanaka", "Bill"]),
        ("Hi Dr. V,\nBill has", ["V", "Bill"], ["V", "Bill"]),
    ],
)
def test_join_reversed(nlp, text, parts, expected):
    doc = nlp.make_doc(text)
    joined = join_reversed(doc, [mention(doc, part) for part in parts])
    assert [doc[one.start : one.end].text for one in joined] == expected


def test_join_reversed_takes_the_surer_type(nlp):
    doc = nlp.make_doc("LeBlanc, Ray")
    (one,) = join_reversed(
        doc, [mention(doc, "LeBlanc", "DOCTOR", 0.6), mention(doc, "Ray", "PATIENT", 0.8)]
    )
    assert (one.label, one.score, one.sources) == ("PATIENT", 0.8, ["phi_tagger"])


def test_join_reversed_leaves_other_types(nlp):
    doc = nlp.make_doc("Mercy, Paul")
    mentions = [mention(doc, "Mercy", "HOSPITAL"), mention(doc, "Paul")]
    assert join_reversed(doc, mentions) == mentions


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
