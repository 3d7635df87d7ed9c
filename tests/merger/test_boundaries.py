"""Where a mention begins and ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import spacy
from spacy.tokens import Doc

from spacy_deid.merger.boundaries import (
    end_of_line,
    extend_code,
    extend_days,
    extend_name,
    extend_word,
    is_tag,
    trim_punctuation,
)
from spacy_deid.text.tokenizer import make_clinical_tokenizer
from spacy_deid.text.tokens import Tokens, read_tokens

VOCAB = spacy.blank("en").vocab


def extended(extend: Callable[[Tokens, int, int], int], text: str, part: str) -> str:
    """What a part of a text becomes."""
    doc = make_clinical_tokenizer(spacy.blank("en"))(text)
    span = doc.char_span(text.index(part), text.index(part) + len(part))
    return doc[span.start : extend(read_tokens(doc), span.start, span.end)].text


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
    start, end = trim_punctuation(read_tokens(doc), 0, len(doc))
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
    assert doc[: extend_code(read_tokens(doc), 1)].text == whole


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
    start, end = extend_word(read_tokens(doc), 0, 1)
    assert doc[start:end].text == whole
    start, end = extend_word(read_tokens(doc), len(words) - 1, len(words))
    assert doc[start:end].text == (whole if len(whole) == len(doc.text) else words[-1])


def test_a_code_ends_at_a_blank():
    assert extend_code(Tokens(["M4", "RX"], [True, False], [0, 3]), 1) == 1


@pytest.mark.parametrize(
    ("text", "day", "whole"),
    [
        ("Abx 3/4-9, then PO", "3/4", "3/4-9"),
        ("HD 3/4, 6 and 8.", "3/4", "3/4, 6 and 8"),
        ("absent Jan 4, 5, 9", "Jan 4", "Jan 4, 5, 9"),
        ("Admitted 3/4-9/67.", "3/4", "3/4-9/67"),
        ("Stay 10/28 - 30/2067 here", "10/28", "10/28 - 30/2067"),
        ("Stay 3/4-9/12 here", "3/4", "3/4"),
        ("Stay 3/12-9/67 here", "3/12", "3/12"),
        ("from Jan 4 - 9/3/67", "Jan 4", "Jan 4"),
        ("seen 3/4, 2 wounds", "3/4", "3/4"),
        ("seen 3/4, 6 wounds", "3/4", "3/4"),
        ("on 3/4/24, 28", "3/4/24", "3/4/24"),
        ("Room 4, 5", "Room 4", "Room 4"),
        ("Marked 4, 5", "Marked 4", "Marked 4"),
        ("3/4, 31, 32", "3/4", "3/4, 31"),
        ("3/4, \u00b9 and", "3/4", "3/4"),
    ],
)
def test_a_day_takes_in_the_days_of_its_month_that_follow(text: str, day: str, whole: str):
    assert extended(extend_days, text, day) == whole


@pytest.mark.parametrize(
    ("text", "name", "whole"),
    [
        ("Otto Maas, Jr. on HD", "Otto Maas", "Otto Maas, Jr."),
        ("Otto Maas Sr fell", "Otto Maas", "Otto Maas Sr"),
        ("Otto Maas, Sr. Agnes here", "Otto Maas", "Otto Maas"),
        ("Otto Maas, III seen", "Otto Maas", "Otto Maas, III"),
        ("Otto Maas II", "Otto Maas", "Otto Maas II"),
        ("Otto Maas, II-XII intact", "Otto Maas", "Otto Maas"),
        ("per Maas II murmur", "Maas", "Maas"),
        ("Maas, D. called", "Maas", "Maas, D."),
        ("Maas, D. Quist called", "Maas", "Maas"),
        ("per Maas, E. coli grew", "Maas", "Maas"),
        ("Otto Maas, III nerve palsy", "Otto Maas", "Otto Maas"),
        ("Otto Maas, Sr resident", "Otto Maas", "Otto Maas"),
        ("by Maas, H 1402", "Maas", "Maas, H"),
        ("(Maas, K)", "Maas", "Maas, K"),
        ("Maas, K", "Maas", "Maas, K"),
        ("Maas, K 4.1", "Maas", "Maas"),
        ("Maas, C spine clear", "Maas", "Maas"),
        ("Maas, R", "Maas", "Maas"),
        ("Otto Maas, K", "Otto Maas", "Otto Maas"),
        ("Maas,", "Maas", "Maas"),
    ],
)
def test_a_name_takes_in_what_follows_it(text: str, name: str, whole: str):
    assert extended(extend_name, text, name) == whole


@pytest.mark.parametrize(
    ("text", "mention", "kept"),
    [
        ("from Good Oak\nNursing: call", "Good Oak\nNursing", "Good Oak"),
        (f"{'so ' * 20}from Good Oak\nSKIN CARE....: dry", "Good Oak\nSKIN CARE", "Good Oak"),
        ("back to Good Oak\n\nPlan", "Good Oak\n\nPlan", "Good Oak"),
        ("from Good\nOak today", "Good\nOak", "Good\nOak"),
        (f"{'so ' * 20}from Good Oak\nHome, seen: yes", "Good Oak\nHome", "Good Oak\nHome"),
        ("GOOD OAK\nHOME", "GOOD OAK\nHOME", "GOOD OAK\nHOME"),
        ("x\nGOOD OAK\nHOME", "GOOD OAK\nHOME", "GOOD OAK\nHOME"),
        ("at Good Oak Home", "Good Oak Home", "Good Oak Home"),
    ],
)
def test_an_institution_ends_before_a_blank_line_or_a_label(text, mention, kept):
    doc = make_clinical_tokenizer(spacy.blank("en"))(text)
    span = doc.char_span(text.index(mention), text.index(mention) + len(mention))
    assert doc[span.start : end_of_line(read_tokens(doc), span.start, span.end)].text == kept


@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("Seen by [DOCTOR].", "DOCTOR", True),
        ("[PROFESSION]", "PROFESSION", True),
        ("Seen by [Roux].", "Roux", False),
        ("Seen by DOCTOR].", "DOCTOR", False),
        ("[DOCTOR ROUX]", "DOCTOR", False),
    ],
)
def test_the_tag_of_a_redacted_note_is_no_mention(text: str, word: str, tag: bool):
    doc = make_clinical_tokenizer(spacy.blank("en"))(text)
    span = doc.char_span(text.index(word), text.index(word) + len(word))
    assert is_tag(read_tokens(doc), span.start, span.end) is tag
