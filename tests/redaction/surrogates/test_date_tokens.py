from __future__ import annotations

import pytest

from spacy_deid.redaction.surrogates.dates.tokens import code_of_gap, digits_of, find_tokens


def codes(text):
    return [(token.text, token.code) for token in find_tokens(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("3/14/2067", [("3", "i"), ("14", "d"), ("2067", "y")]),
        ("03-04-67", [("03", "k"), ("04", "k"), ("67", "z")]),
        ("20670304", [("2067", "y"), ("03", "k"), ("04", "k")]),
        ("206703041530", [("2067", "y"), ("03", "k"), ("04", "k"), ("1530", " ")]),
        ("2067030415", [("2067", "y"), ("03", "k"), ("04", "k"), ("15", " ")]),
        ("20670304240000", [("2067", "y"), ("03", "k"), ("04", "k"), ("240000", " ")]),
        ("2067030425", [("2067030425", "x")]),
        ("030467", [("03", "k"), ("04", "k"), ("67", "z")]),
        ("03042067", [("03", "k"), ("04", "k"), ("2067", "y")]),
        ("18may13", [("18", "d"), ("may", "m"), ("13", "d")]),
        ("12OCT67", [("12", "k"), ("OCT", "m"), ("67", "z")]),
        ("Oct '08", [("Oct", "m"), ("'08", "a")]),
        ("the 4th", [("the", " "), ("4th", "o")]),
        ("32nd", [("32nd", "x")]),
        ("twenty first", [("twenty first", "o")]),
        ("1990's", [("1990's", "t")]),
        ("00S", [("00S", "t")]),
        ("fall", [("fall", "s")]),
        ("New Year's Eve", [("New Year's Eve", "h")]),
        ("Tues to Fri", [("Tues", " "), ("to", "~"), ("Fri", " ")]),
        ("12:34:56.7Z", [("12:34:56.7Z", " ")]),
        ("3 p.m.", [("3 p.m.", " ")]),
        ("03:04:2067", [("03", "k"), ("04", "k"), ("2067", "y")]),
        ("1530", [("1530", "q")]),
        (
            "0 00 999 2500 12345",
            [("0", "x"), ("00", "z"), ("999", "x"), ("2500", "x"), ("12345", "x")],
        ),
        ("W12/5, q4", [("W", " "), ("12", "k"), ("5", "i"), ("q4", "g")]),
        ("2067-W09-5 063", [("2067", "y"), ("W09-5", "w"), ("063", "j")]),
        (
            "the 4th week, March two",
            [("the", " "), ("4th", " "), ("week", " "), ("March", "m"), ("two", "x")],
        ),
        ("2O04 l2", [("2O04", "y"), ("l2", "k")]),
        ("foo \u0663", [("foo", "x"), ("\u0663", "x")]),
    ],
)
def test_codes(text, expected):
    assert codes(text) == expected


@pytest.mark.parametrize(
    "gap, code",
    [
        ("", ""),
        (" \n", " "),
        (" / ", "/"),
        (", ", ","),
        ("-", "-"),
        (" - ", "~"),
        ("\u2013", "~"),
        (" & ", "~"),
        (" (", " "),
        (".", "."),
    ],
)
def test_codes_of_gaps(gap, code):
    assert code_of_gap(gap) == code


def test_letters_like_digits():
    assert digits_of("2OlI4") == "20114"


def test_letters_equal_but_for_case_are_read():
    assert codes("Augu\u017ft 3") == [("August", "m"), ("3", "i")]


@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["1", "O", "12/", "1 ", "new year ", "st. ", "twenty ", "90's"])
def test_long_texts_take_no_longer_for_each_sign(text):
    assert list(find_tokens(text * 10_000))
