from __future__ import annotations

import pytest

from spacy_deid.text.dashes import hyphenate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen 03\u201304\u20132067.", "seen 03-04-2067."),
        ("DOB\u201412\u201431\u201466\u2014MRN", "DOB\u201412-31-66\u2014MRN"),
        ("2067\u201303\u201304", "2067-03-04"),
        ("3\u2212Apr\u22122067", "3-Apr-2067"),
        ("Mar\u201304\u20132067", "Mar-04-2067"),
        ("03\u201504\u20152067", "03-04-2067"),
        ("03 \u2013 04 \u2013 2067", "03 - 04 - 2067"),
        ("2067\u201303\u201304T10:30", "2067-03-04T10:30"),
        ("03\u201304\u201367\u201303\u201309\u201367", "03-04-67\u201303-09-67"),
        ("13\u2013MARCH\u201367, 2067\u2013Mar\u20134", "13-MARCH-67, 2067-Mar-4"),
        ("MRN 00\u201341\u201388\u20132.", "MRN 00-41-88-2."),
        ("586\u201291\u20129128, 412\u2014555\u20140146", "586\u201291\u20129128, 412-555-0146"),
        ("PA 15213\u20131234", "PA 15213-1234"),
    ],
)
def test_dashes_in_dates_and_numbers_become_hyphens(text, expected):
    assert hyphenate(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3/4\u20133/9/2067, 3\u20135/4/2067, 3/4\u20135\u201367, March\u2013May 2067",
        "2065\u20132067, 3-4\u20132067, 3\u20134\u20145, 0.5\u20131\u201320, 1500\u20133000",
        "123\u2013456\u2013789\u2013X9",  # an id that is found whole
    ],
)
def test_dashes_of_ranges_stay(text):
    assert hyphenate(text) == text
