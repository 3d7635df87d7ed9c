"""Tests of dates and numbers as they are said."""

from __future__ import annotations

import random
from datetime import date

import pytest

from spacy_deid.synthesis.dates import speak_date
from spacy_deid.synthesis.numbers import speak_number
from spacy_deid.synthesis.values import load_values


class First(random.Random):
    """Chance that always takes the first option, and the middle of a range."""

    def choice(self, options):
        return options[0]

    def random(self):
        return 0.5


@pytest.mark.parametrize(
    ("day", "form", "said"),
    [
        (date(2021, 6, 3), "", "june third twenty twenty one"),
        (date(2004, 12, 20), "long", "december twentieth two thousand four"),
        (date(2019, 11, 4), "short", "eleven four"),
        (date(2025, 11, 4), "short_year", "eleven four twenty five"),
        (date(1905, 1, 1), "year", "nineteen oh five"),
        (date(1900, 1, 1), "year", "nineteen hundred"),
        (date(2000, 1, 31), "month_day", "january thirty first"),
        (date(2021, 6, 16), "day_ordinal", "the sixteenth"),
        (date(2021, 6, 16), "season", ""),
    ],
)
def test_dates_are_said(assets, day, form, said):
    assert speak_date(load_values(assets, "train"), day, form, First()) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(208) 555-0114", "2 0 8 dash 5 5 5 dash 0 1 1 4"),
        ("SB-20914", "S B dash 2 0 9 1 4"),
        ("555-0142 x12", "555-0142 x12"),
        ("mail to Maria", "mail to Maria"),
    ],
)
def test_numbers_are_said_digit_by_digit(text, said):
    assert speak_number(text, First()) == said
