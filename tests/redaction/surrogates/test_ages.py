from __future__ import annotations

import pytest
from note_makers import make_note, make_text

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.redaction import Redactor, find_policy, random_key
from spacy_deid.redaction.surrogates import surrogate
from spacy_deid.redaction.surrogates.dates.ages import shows_old_age
from spacy_deid.text.english import number_words, ordinal


@pytest.mark.parametrize("age", range(130))
def test_the_top_begins_at_90(age):
    forms = [
        str(age),
        number_words(age),
        number_words(age).upper(),
        ordinal(age),
        f"{age}-year-old",
    ]
    top = ["90+", "90+", "90+", "90+", "90+-year-old"]
    assert surrogate(make_note("AGE", *forms)) == (top if age >= 90 else forms)


@pytest.mark.parametrize(
    "value, expected",
    [
        ("90s", "90+"),
        ("90's", "90+"),
        ("80s", "80s"),
        ("early 90s", "early 90+"),
        ("80s-90s", "80s-90+"),
        ("nineties", "90+"),
        ("ninety\nthree", "90+"),
        ("ninety\u2011two", "90+"),
        ("ninety\u2013three", "90+"),
        ("Ninty-one", "90+"),
        ("a hundred", "90+"),
        ("92yo", "90+yo"),
        ("92.5", "90+"),
        ("89.5", "89.5"),
        ("91+", "90+"),
        ("9O", "90+"),
        ("centenarian", "90+"),
        ("supercentenarian", "90+"),
        ("nonagenarians", "90+"),
        ("octogenarian", "octogenarian"),
        ("2 1/2", "2 1/2"),
        ("100 days", "100 days"),
        ("infant", "infant"),
    ],
)
def test_forms_of_ages(value, expected):
    assert surrogate(make_note("AGE", value)) == [expected]


def test_units_after_the_span_count():
    note = make_text(
        "AGE",
        "[96] months old, [97] MONTHS, [92] year old, [100]-day-old, [95]M, [91] mother",
    )
    assert surrogate(note) == ["96", "97", "90+", "100", "90+", "90+"]


@pytest.mark.parametrize(
    "after",
    """ w/o known allergies| Day 3 post op| mo Hx| w/o Ram Kumar| d/o| w/o old films| mo. ago
     Days in hospital: 4| days 3-5| Hours of sleep| min walk""".replace("\n    ", "|").split("|"),
)
def test_in_doubt_an_age_is_in_years(after):
    assert surrogate(make_text("AGE", f"[94]{after}")) == ["90+"]
    assert surrogate(make_note("AGE", f"94{after}")) == [f"90+{after}"]


@pytest.mark.parametrize(
    "after",
    " days old|-week-old| Months of age| mos| hours, alert| day old| wks. old| DAYS OLD".split("|"),
)
def test_ages_in_short_units_stay(after):
    assert surrogate(make_text("AGE", f"[120]{after}")) == ["120"]
    assert surrogate(make_note("AGE", f"120{after}")) == [f"120{after}"]


@pytest.mark.parametrize(
    "value, expected",
    [
        ("ninetytwo", "90+"),
        ("ninety_two", "90+"),
        ("nintey three", "[AGE]"),
        ("9 3", "[AGE]"),
        ("9 3/12", "9 3/12"),
        ("P93Y", "90+"),
        ("F93", "90+"),
        ("ottantuno", "[AGE]"),
        ("1100 months", "[AGE] months"),
        ("9</b><b>3", "9</b><b>0+"),
        ("nine three", "[AGE]"),
        ("nine-\nty-two", "90+"),
        ("10th decade", "[AGE]"),
        ("67y6m", "67y6m"),
        ("M72", "M72"),
        ("sixtyseven", "sixtyseven"),
        ("octogenarian", "octogenarian"),
        ("1000 months", "1000 months"),
        ("seventy-something", "seventy-something"),
        ("14;5", "14;5"),
    ],
)
def test_what_cannot_be_read_as_a_young_age_does_not_stay(value, expected):
    assert surrogate(make_note("AGE", value)) == [expected]


@pytest.mark.parametrize(
    "value, after, expected",
    [
        ("1,104", " months old", "[AGE]"),
        ("1104", "-month-old", "[AGE]"),
        ("1079", " months old", "1079"),
        ("1,080 months", "", "[AGE] months"),
        ("1,079 months", "", "1,079 months"),
        ("5,000", " weeks old", "[AGE]"),
        ("34,675 days old", "", "[AGE] days old"),
        ("3,675", " days old", "3,675"),
    ],
)
def test_ages_over_89_in_short_units(value, after, expected):
    assert surrogate(make_text("AGE", f"[{value}]{after}")) == [expected]


def test_surrogates_of_ages_are_the_ages():
    assert surrogate(make_note("AGE", "67", "ninety-three")) == ["67", "90+"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a 93-year-old man", True),
        ("97 y/o F", True),
        ("AGE: 91", True),
        ("she turned 90", True),
        ("her 95th birthday", True),
        ("in his early 90s", True),
        ("ninety-three years old", True),
        ("both nonagenarians", True),
        ("a supercentenarian", True),
        ("1,104 months old", True),
        ("104 months old", False),
        ("an octogenarian", False),
        ("a 89-year-old man", False),
        ("BP 93/60, sat 97%", False),
        ("aged 9", False),
    ],
)
def test_notes_that_show_an_old_age(text, expected):
    assert shows_old_age(text) is expected


@pytest.mark.parametrize(
    "after", ["\nDays in hospital: 4", "\r\nWeeks of care: 6", "\n\nWk 3", "\n- days"]
)
def test_the_next_line_does_not_make_years_into_days(after):
    text = f"Age: 95{after}"
    redactor = Redactor(find_policy("hipaa-safe-harbor"), random_key())
    assert redactor.redact(text, [PhiSpan(5, 7, "AGE")]).text == f"Age: 90+{after}"


@pytest.mark.parametrize("text", ["Age/Sex: 95/F", "| Age | 95 |", "Age (yrs): 95", "age: 93"])
def test_headers_that_show_an_old_age(text):
    assert shows_old_age(text)


@pytest.mark.parametrize(
    "text", ["Age/Sex: 85/F", "Age: 95/120", "Page 95", "dosage: 95", "age 95%"]
)
def test_headers_that_show_none(text):
    assert not shows_old_age(text)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("[94 years, 6] months old", "[AGE]"),
        ("[4 years, 6] months old", "4 years, 6"),
        ("[1100] months old", "[AGE]"),
        ("[nine] months old", "nine"),
    ],
)
def test_the_unit_after_an_age_is_that_of_its_last_number(text, expected):
    assert surrogate(make_text("AGE", text)) == [expected]
