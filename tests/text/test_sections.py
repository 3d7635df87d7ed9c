from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear
from spacy.language import Language

from spacy_deid.text import sections as sections_module
from spacy_deid.text.sections import HEADINGS, OTHER, SUBHEADINGS
from spacy_deid.tsv import read_rows

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}


def make_nlp() -> Language:
    nlp = spacy.blank("en", config=CONFIG)
    nlp.add_pipe("clinical_sections")
    return nlp


NLP = make_nlp()


def sections(text: str, nlp: Language = NLP) -> list[tuple[str, str]]:
    doc = nlp(text)
    return [(span.label_, span.text) for span in doc.spans["sections"]]


def labels(text: str) -> list[str]:
    return [label for label, _ in sections(text)]


def test_sections_table_names_each_heading_once() -> None:
    rows = read_rows(Path(sections_module.__file__).with_name("headings.tsv"))
    known = [heading for kind, _, text in rows if kind == "heading" for heading in text.split("; ")]
    assert len(known) == len(HEADINGS)
    assert OTHER not in HEADINGS.values()
    assert not SUBHEADINGS & set(HEADINGS)
    assert all(heading == " ".join(heading.lower().split()) for heading in HEADINGS)


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("PAST MEDICAL HISTORY:", "past_history"),
        ("Social History", "social_history"),
        ("social history:", "social_history"),
        ("Family  History :", "family_history"),
        ("A/P:", "assessment_plan"),
        ("ASSESSMENT / PLAN", "assessment_plan"),
        ("HPI -", "present_illness"),
        ("**Medications:**", "medications"),
        ("## Allergies", "allergies"),
        ("2. Hospital Course:", "hospital_course"),
        ("\tROS:", "review_of_systems"),
        ("ONCOLOGIC HISTORY:", "past_history"),
        ("INDICATIONS FOR OPERATION:", "present_illness"),
        ("LIVING DONORS", OTHER),
        ("DECISION:", OTHER),
        ("Things to remember:", OTHER),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
def test_sections_at_line_starts(heading: str, section: str, line_end: str) -> None:
    text = f"{line_end}Seen today.{line_end}{heading}{line_end}no change{line_end}"
    assert labels(text) == [section]


@pytest.mark.parametrize(
    "line",
    [
        "HEENT: normal",
        "Lungs: clear",
        "MRN: 00123",
        "The patient said: no",
        "PAIN, WEIGHT LOSS OR DYSPHAGIA.",
        "12:30 PM",
        "plan",
        "A",
        "Ellen Norwood",
        "I discussed the plan: rest",
        "THIS LINE IS PROSE IN CAPITALS AND HAS NO END YET",
        "12345 67890",
    ],
)
def test_sections_ignores_other_lines(line: str) -> None:
    assert sections(f"Seen today.\n{line}\nno change") == []


def test_sections_cover_heading_to_next_heading() -> None:
    text = "Ward 6\nCHIEF COMPLAINT: cough\nPLAN:\n1. Rest\n"
    assert sections(text) == [
        ("chief_complaint", "CHIEF COMPLAINT: cough\n"),
        ("assessment_plan", "PLAN:\n1. Rest\n"),
    ]


@pytest.mark.parametrize("gap", ["", " ", "  "])
def test_sections_within_a_line(gap: str) -> None:
    text = f"SUBJECTIVE:, A cough.,{gap}ALLERGIES:, None.,{gap}TEST HISTORY: none; Plan: rest"
    expected = ["present_illness", "allergies", "past_history", "assessment_plan"]
    assert labels(text) == expected
    assert labels("Seen, and the plan: rest. My Ward: six. KEEP: this") == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "PLAN:",
                "Plan",
                "HPI -",
                "\n",
                "\r\n",
                "\n\n",
                " ",
                ",",
                ".",
                "a",
                "NOTE",
                ":",
                "\x00",
            ]
        )
    )
)
def test_sections_are_in_order_without_overlap(pieces: list[str]) -> None:
    doc = NLP("".join(pieces))
    spans = list(doc.spans["sections"])
    if spans:
        ends = [span.end for span in spans]
        assert [span.start for span in spans[1:]] == ends[:-1]
        assert ends[-1] == len(doc)
        assert all(span.text for span in spans)


@pytest.mark.parametrize("unit", ["A", "A\n", ". A", "PLAN:\n", "\n", " ", "# ", "A ", "A: "])
def test_sections_takes_linear_time(unit: str) -> None:
    assert_linear(NLP, unit, 30_000)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "no heading"])
def test_sections_empty_docs(text: str) -> None:
    assert sections(text) == []


def test_sections_survives_saving(tmp_path: Path) -> None:
    NLP.to_disk(tmp_path)
    copies = [spacy.load(tmp_path), pickle.loads(pickle.dumps(NLP))]
    copies.append(spacy.util.load_model_from_config(NLP.config, auto_fill=False))
    copies.append(make_nlp().from_bytes(NLP.to_bytes()))
    for copy in copies:
        assert sections("PLAN: rest", copy) == [("assessment_plan", "PLAN: rest")]


def test_sections_pipe_equals_call_in_two_processes() -> None:
    texts = ["PLAN: rest\nHPI: cough", "", "none"]
    for n_process in (1, 2):
        docs = list(NLP.pipe(texts, n_process=n_process))
        found = [[(span.label_, span.text) for span in doc.spans["sections"]] for doc in docs]
        assert found == [sections(text) for text in texts]


def test_sections_replaces_what_it_wrote_before() -> None:
    doc = NLP("PLAN: rest")
    assert len(NLP.get_pipe("clinical_sections")(doc).spans["sections"]) == 1
