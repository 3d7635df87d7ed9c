"""A toy pipeline with two detectors, and pages taken apart."""

from __future__ import annotations

from html.parser import HTMLParser

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


class Page(HTMLParser):
    """A page: its tags with their attributes and their own text, in order."""

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.text = ""
        self.open = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes), []))
        self.open.append(self.tags[-1])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1][0] in ("script", "style"):
            return
        self.text += data
        for _, _, texts in self.open:
            texts.append(data)

    def all(self, tag, **attributes):
        """Text of each such tag."""
        return ["".join(texts) for _, texts in self.find(tag, **attributes)]

    def find(self, tag, **attributes):
        """Attributes and text of each such tag."""
        return [
            (found, texts)
            for name, found, texts in self.tags
            if name == tag and attributes.items() <= found.items()
        ]


@pytest.fixture
def read_page():
    return lambda path: Page(path.read_text("utf-8"))
