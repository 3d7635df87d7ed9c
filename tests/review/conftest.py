"""A toy pipeline with two detectors."""

from __future__ import annotations

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Span

from spacy_deid.annotation.candidates import write_candidates


def find(doc, detector, words, score):
    spans = [
        Span(doc, token.i, token.i + 1, label=words[token.text], span_id=f"{detector}_rule")
        for token in doc
        if token.text in words
    ]
    write_candidates(doc, detector, [(span, score) for span in spans])
    return doc


@Language.component("review_names")
def review_names(doc):
    return find(doc, "review_names", {"Maria": "PATIENT", "Chen": "DOCTOR"}, 0.9)


@Language.component("review_all")
def review_all(doc):
    return find(doc, "review_all", {"Maria": "PATIENT", "Monday": "DATE"}, 0.8)


@pytest.fixture
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("review_names")
    nlp.add_pipe("review_all")
    nlp.add_pipe("phi_merger", config={"detectors": ["review_names", "review_all"]})
    return nlp
