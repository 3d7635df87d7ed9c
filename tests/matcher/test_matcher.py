import pickle
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from spacy.language import Language

from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.matcher.patterns import RULES
from spacy_deid.matcher.pipe import PhiMatcher, RuleMatch, keep_best
from spacy_deid.matcher.rule import Rule

TEXT = "Seen today: Mr. Pettibone, 02/19/2071. MRN: 7719045, call (617) 555-0142."
FOUND = [
    ("Pettibone", "PATIENT", "name.titled"),
    ("02/19/2071", "DATE", "date.mdy"),
    ("7719045", "MEDICALRECORD", "id.mrn"),
    ("(617) 555-0142", "PHONE", "contact.phone_label"),
]


def found(doc) -> list[tuple[str, str, str]]:
    return [(s.text, s.label_, s.id_) for s, _ in read_candidates(doc, "phi_matcher")]


def test_matcher_writes_type_rule_and_score(nlp):
    doc = nlp(TEXT)
    assert found(doc) == FOUND
    assert all(0.8 <= score < 1 for _, score in read_candidates(doc, "phi_matcher"))
    assert doc.ents == ()


def test_matcher_spans_do_not_overlap(nlp):
    doc = nlp(f"{TEXT} Patient: Maria Lopez, 4410 W Kenyon Ave. Daughter Ann. " * 5)
    spans = [span for span, _ in read_candidates(doc, "phi_matcher")]
    assert len(spans) > 20
    assert all(one.end <= two.start for one, two in zip(spans, spans[1:], strict=False))


def test_best_score_wins_then_the_longest():
    sure = Rule("a.sure", "DATE", 0.9, "x", "(?P<phi>x)")
    unsure = Rule("a.unsure", "AGE", 0.5, "x", "(?P<phi>x)")
    findings = [
        RuleMatch(0, 5, "AGE", unsure),
        RuleMatch(3, 4, "DATE", sure),
        RuleMatch(6, 7, "DATE", sure),
        RuleMatch(6, 9, "DATE", sure),
    ]
    assert keep_best(findings) == [findings[1], findings[3]]


def test_matcher_works_without_gazetteers():
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    bare = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    bare.add_pipe("phi_matcher")
    assert [text for text, _, _ in found(bare(TEXT))] == [text for text, _, _ in FOUND]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "no phi here", "\x00\u200b\u202e"])
def test_matcher_finds_nothing_in_nothing(nlp, text):
    assert found(nlp(text)) == []


def test_matcher_survives_disk_and_pickle(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    assert found(spacy.load(tmp_path)(TEXT)) == FOUND
    assert (
        found(pickle.loads(pickle.dumps(nlp.get_pipe("phi_matcher")))(nlp.make_doc(TEXT))) == FOUND
    )


@pytest.mark.timeout(60)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_matcher_in_two_processes(nlp):
    docs = list(nlp.pipe([TEXT] * 6, n_process=2, batch_size=2))
    assert [found(doc) for doc in docs] == [FOUND] * 6


HOSTILE = [
    "7",
    "1/",
    "Dr. ",
    "A ",
    "a.",
    "@",
    "MRN ",
    " ",
    "\n",
    "(",
    "-1",
    "St. ",
    "of the ",
    "Ann-",
]


def tries(nlp: Language, text: str) -> int:
    """How often a pattern is tried in a text."""
    count = 0

    def counting(regex: re.Pattern[str]) -> SimpleNamespace:
        def match(*args: Any) -> re.Match[str] | None:
            nonlocal count
            count += 1
            return regex.match(*args)

        return SimpleNamespace(match=match)

    rules = [replace(rule) for rule in RULES]
    for rule in rules:
        assert rule.groups  # before its regex is replaced
        rule.__dict__["regex"] = counting(rule.regex)
    PhiMatcher(rules=rules).find(nlp.make_doc(text))
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_tries_grow_with_the_text_alone(nlp, piece):
    half, whole = (tries(nlp, piece * (size // len(piece))) for size in (5_000, 10_000))
    assert whole <= 2 * half + 100
