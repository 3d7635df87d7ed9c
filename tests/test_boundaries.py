"""Where a mention begins and ends."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from spacy_deid.boundaries import extend_code, extend_word, trim_mention, trim_punctuation

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


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("N417 RX", "N417RX"),
        ("77 Q 1190 A", "77Q1190A"),
        ("7712345 Weight", "7712345"),
        ("7712345 DOB", "7712345"),
        ("M4 , RX", "M4"),
        ("AB CD", "AB"),
    ],
)
def test_a_code_takes_in_the_letters_and_digits_that_touch_it(words: str, whole: str):
    doc = Doc(VOCAB, words=words.split(), spaces=[False] * len(words.split()))
    assert doc[: extend_code(doc, 1)].text == whole


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (["L", "\u0431", "pez"], "L\u0431pez"),
        (["pez", "\u0431"], "pez\u0431"),
        (["Whalen", "Chief"], "Whalen"),
        (["53", "\u0431"], "53"),
    ],
)
def test_a_mention_takes_in_the_rest_of_a_word_of_two_scripts(words: str, whole: str):
    doc = Doc(VOCAB, words=words, spaces=[False] * len(words))
    start, end = extend_word(doc, 0, 1)
    assert doc[start:end].text == whole
    start, end = extend_word(doc, len(words) - 1, len(words))
    assert doc[start:end].text == (whole if len(whole) == len(doc.text) else words[-1])


def test_a_code_ends_at_a_blank():
    assert extend_code(Doc(VOCAB, words=["M4", "RX"], spaces=[True, False]), 1) == 1


@pytest.mark.parametrize(
    ("words", "start", "end", "label", "kept"),
    [
        (["58", "F ", "7740213 "], 1, 3, "MEDICALRECORD", "7740213"),
        (["8812345 ", "F "], 0, 2, "IDNUM", "8812345"),
        (["no. ", "M ", "7740213 "], 1, 3, "IDNUM", "M 7740213"),
        (["58", "F ", "7740213 "], 1, 3, "PATIENT", "F 7740213"),
        (["7740213", "F "], 0, 2, "IDNUM", "7740213F"),
        (["mbr ", "7740213"], 0, 2, "HEALTHPLAN", "7740213"),
        (["MBR ", "7740213"], 0, 2, "HEALTHPLAN", "MBR 7740213"),
        (["mbr", "7740213"], 0, 2, "HEALTHPLAN", "mbr7740213"),
        (["wdl ", "7740213"], 0, 2, "VEHICLE", "wdl 7740213"),
    ],
)
def test_sexes_and_labels_in_small_letters_are_no_part_of_it(words, start, end, label, kept):
    spaces = [word.endswith(" ") for word in words]
    doc = Doc(VOCAB, words=[word.strip() for word in words], spaces=spaces)
    start, end = trim_mention(doc, start, end, label)
    assert doc[start:end].text == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Gail Moss  F  58", "Gail Moss"),
        ("Gail Moss F  58", "Gail Moss F"),
        ("Gail Moss  F  Rm 4", "Gail Moss  F"),
        ("Gail Moss  F", "Gail Moss  F"),
    ],
)
def test_the_sex_in_a_table_is_no_part_of_a_name(text, kept):
    doc = spacy.blank("en").make_doc(text)
    name = doc.char_span(0, text.index("F") + 1)
    start, end = trim_mention(doc, name.start, name.end, "PATIENT")
    assert doc[start:end].text == kept
