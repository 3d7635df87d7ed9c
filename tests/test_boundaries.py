"""Where a mention begins and ends."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from spacy_deid.boundaries import trim_punctuation

VOCAB = spacy.blank("en").vocab


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("in Troy", "Troy"),
        ("Hi Ann ,", "Ann"),
        ("Hi", ""),
        ("Honolulu , HI", "Honolulu , HI"),
        ("IN", "IN"),
        ("( Ann )", "( Ann )"),
        ("Ann ( Roux )", "Ann ( Roux )"),
    ],
)
def test_link_words_and_punctuation_are_no_part_of_a_mention(words: str, kept: str):
    doc = Doc(VOCAB, words=words.split())
    start, end = trim_punctuation(doc, 0, len(doc))
    assert " ".join(token.text for token in doc[start:end]) == kept
