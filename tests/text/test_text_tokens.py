"""Text and tokens of a doc as plain values."""

from __future__ import annotations

import spacy
from spacy.tokens import Doc

from spacy_deid.text.tokens import read_tokens, text_of


def test_tokens_are_those_of_the_doc():
    doc = Doc(spacy.blank("en").vocab, words=["Ann", "Lee", "."], spaces=[True, False, False])
    assert text_of(doc) == text_of(doc) == "Ann Lee."
    tokens = read_tokens(doc)
    assert tokens.words == ["Ann", "Lee", "."]
    assert list(map(bool, tokens.spaced)) == [True, False, False]
    assert tokens.offsets == [0, 4, 7]


def test_text_of_a_doc_that_was_filled_since():
    nlp = spacy.blank("en")
    empty = Doc(nlp.vocab)
    assert text_of(empty) == ""
    assert text_of(empty.from_bytes(nlp("Ann Lee").to_bytes())) == "Ann Lee"
