from __future__ import annotations

import pytest
from places_cases import make_note

from spacy_deid.redaction.surrogates.drawing import bare, differs, name_for, pour, redraw, scramble
from spacy_deid.redaction.surrogates.places.naming import find_words, initials
from spacy_deid.redaction.surrogates.tables import word_set
from spacy_deid.redaction.surrogates.writing import in_case, lay_out

NOTES = [make_note(patient=f"patient {number}") for number in range(100)]


@pytest.mark.parametrize(
    "model, word, written",
    [
        ("oak", "Elm", "elm"),
        ("OAK", "Elm", "ELM"),
        ("Oak", "Elm", "Elm"),
        ("O", "Elm", "Elm"),
        ("McKee", "Elm", "Elm"),
    ],
)
def test_in_case(model, word, written):
    assert in_case(model, word) == written


@pytest.mark.parametrize(
    "model, words, written",
    [
        ("New York", "Salt Lake City", "Salt Lake City"),
        ("New\n  York", "San Jose", "San\n  Jose"),
        ("New\nYork", "Reno", "Reno\n"),
        ("New  York", "Reno", "Reno"),
        ("Ada\n", "Salt Lake", "Salt Lake\n"),
        ("a\r\nb c", "One Two Three", "One\r\nTwo Three"),
    ],
)
def test_lay_out(model, words, written):
    assert lay_out(model, words) == written


def test_name_for_is_another_name():
    for note in NOTES:
        name = name_for(note, "Mercy")
        assert name[0] != "M"
        assert name_for(note, "MERCY") == name
        assert name_for(note, "Mercy", {name.lower()}) != name


def test_word_set():
    assert {"of", "hospital"} <= word_set("generic.tsv", "small", "institution")


@pytest.mark.parametrize(
    "value, kinds, texts",
    [
        ("St. Mary's", "word word", "St|Mary's"),
        ("12 42nd St", "digits ordinal word", "12|42nd|St"),
        ("4W", "digits word", "4|W"),
        ("I-95", "route digits", "I|95"),
        ("U.P.M.C.", "word", "U.P.M.C"),
        ("\u0663", "other", "\u0663"),
    ],
)
def test_find_words(value, kinds, texts):
    words = find_words(value)
    assert [word.kind for word in words] == kinds.split()
    assert [word.text for word in words] == texts.split("|")


@pytest.mark.parametrize(
    "value, letters",
    [
        ("Mercy General Hospital", ("MGH", "MGH")),
        ("University of Foxtown", ("UF", "UOF")),
        ("Dana-Farber 6", ("DF", "DF")),
        ("12", ("", "")),
    ],
)
def test_initials(value, letters):
    assert initials(value) == letters


@pytest.mark.parametrize("value, signs", [("(4a) 1-é", "4A1É"), ("\u0663ß", "3ß"), ("-", "")])
def test_bare(value, signs):
    assert bare(value) == signs


def test_pour():
    assert pour("a-1 B", "Q7Z") == "q-7 Z"


@pytest.mark.parametrize(
    "original, surrogate, other",
    [
        ("12345", "92345", False),
        ("12345", "12945", True),
        ("0001234", "0001294", False),
        ("0001234", "0009234", True),
        ("0001234", "0001234", False),
        ("00012345", "00092345", False),
        ("012", "012", False),
        ("0123456", "0123956", False),
        ("AB12", "AB34", False),
        ("AB12", "CB34", True),
        ("000", "000", False),
        ("", "", True),
    ],
)
def test_differs(original, surrogate, other):
    assert differs(original, surrogate) is other


def test_redraw_is_even():
    first = [redraw(note, "4711")[0] for note in NOTES]
    assert set(first) == set("123456789")


def test_scramble_agrees_in_all_forms():
    assert scramble(NOTES[0], "ab-12") == scramble(NOTES[0], "AB 12").replace(" ", "-").lower()
