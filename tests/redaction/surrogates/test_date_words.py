from __future__ import annotations

import calendar

import pytest

from spacy_deid.redaction.surrogates.dates.words import (
    capitalised_like,
    read_day,
    read_word,
    write_day,
    write_month,
    write_season,
)
from spacy_deid.text.english import ordinal

MONTHS = list(calendar.month_name)[1:]


@pytest.mark.parametrize("month, name", list(enumerate(MONTHS, 1)))
def test_months_whole_and_cut_short(month, name):
    for length in range(3, len(name) + 1):
        assert read_word(name[:length]) == read_word(name[:length].upper()) == ("m", month)


@pytest.mark.parametrize(
    "word, month",
    [
        ("Febuary", 2),
        ("Feburary", 2),
        ("Janaury", 1),
        ("Marhc", 3),
        ("Setp", 9),
        ("septmber", 9),
        ("Ocotber", 10),
        ("Novembr", 11),
        ("Deceember", 12),
    ],
)
def test_months_with_one_typo(word, month):
    assert read_word(word) == ("m", month)


@pytest.mark.parametrize(
    "word",
    "Monday tues THURS wednesdays Wensday Firday sat MWF TThSa TuThSa mwf Su day noon".split(),
)
def test_weekdays_and_words_that_stay(word):
    assert read_word(word) == (" ", 0)


@pytest.mark.parametrize("word", "Ma Mark Juno Smith Fritz Matt time".split())
def test_other_words(word):
    assert read_word(word) == ("x", 0)


@pytest.mark.parametrize(
    "word, season", [("Winter", 0), ("springtime", 1), ("AUTUMN", 3), ("fall", 3)]
)
def test_seasons(word, season):
    assert read_word(word) == ("s", season)


@pytest.mark.parametrize(
    "words, day", [("first", 1), ("Twelfth", 12), ("twenty-first", 21), ("THIRTY\nFIRST", 31)]
)
def test_days_in_words(words, day):
    assert read_day(words) == day


def test_days_in_words_keep_their_form():
    assert write_day("ninth", 23) == "twenty-third"
    assert write_day("Twenty second", 23) == "Twenty third"
    assert write_day("THIRTY\nFIRST", 23) == "TWENTY\nTHIRD"
    assert write_day("twenty-first", 9) == "ninth"


@pytest.mark.parametrize(
    "model, expected",
    [
        ("March", "September"),
        ("MARCH", "SEPTEMBER"),
        ("mar", "sep"),
        ("Sept", "Sept"),
        ("Febuary", "September"),
        ("June", "September"),
        ("Setp", "Sept"),
    ],
)
def test_months_keep_their_form(model, expected):
    assert write_month(model, 9, short=False) == expected


def test_may_is_short_if_its_surroundings_say_so():
    assert write_month("May", 9, short=False) == "September"
    assert write_month("MAY", 9, short=True) == "SEP"


def test_seasons_keep_their_form():
    assert write_season("SUMMERTIME", 3) == "FALLTIME"
    assert write_season("autumn", 1) == "spring"


@pytest.mark.parametrize(
    "model, expected", [("XMAS", "MAY 3"), ("xmas", "may 3"), ("Xmas", "May 3"), ("xMas", "May 3")]
)
def test_case(model, expected):
    assert capitalised_like(model, "may 3") == expected


def test_ordinals_agree_with_their_words():
    endings = {"first": "st", "second": "nd", "third": "rd"}
    for day in range(1, 32):
        word = write_day("twenty-first", day).split("-")[-1]
        assert ordinal(day)[-2:] == endings.get(word, "th")
