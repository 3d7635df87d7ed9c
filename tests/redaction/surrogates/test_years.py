from __future__ import annotations

import pytest
from note_makers import make_note, make_text

from spacy_deid.redaction.surrogates.dates.years import year


@pytest.mark.parametrize(
    "value, expected",
    [
        ("03/04/2067", "2067"),
        ("2067-03-04T12:34", "2067"),
        ("20670304", "2067"),
        ("3/4/67", "67"),
        ("Oct '08", "'08"),
        ("Tuesday, March 4, 2067", "2067"),
        ("1998-2003", "1998-2003"),
        ("12/28/2066-1/3/2067", "2066-2067"),
        ("3/4-3/7/2067", "2067"),
        ("Thanksgiving 2067", "2067"),
        ("the 1990's", "1990's"),
        ("3/4", "[DATE]"),
        ("March", "[DATE]"),
        ("Tuesday", "[DATE]"),
        ("the 4th", "[DATE]"),
        ("99/99/99", "[DATE]"),
        ("foo", "[DATE]"),
        ("", "[DATE]"),
    ],
)
def test_only_the_year_stays(value, expected):
    assert year(make_note("DATE", value)) == [expected]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("In [1978], [1979], the [1910s]. Seen [3/4/2067].", ["[DATE]", "1979", "[DATE]", "2067"]),
        ("DOB [3/4/10], seen [5/6/04]", ["[DATE]", "04"]),
        ("DOB [3/4/34], seen [5/6/04]", ["34", "04"]),
        ("DOB [3/4/1974], 93 y/o, seen [5/6/2060]", ["[DATE]", "2060"]),
        ("DOB [3/4/1974], 83 y/o, seen [5/6/2060]", ["1974", "2060"]),
        ("A 97-year-old woman born in [1910]", ["[DATE]"]),
        ("A 57-year-old woman born in [1910]", ["1910"]),
        ("Date of birth:\n[3/4/1971]. Seen [2060].", ["[DATE]", "2060"]),
    ],
)
def test_years_that_show_an_age_over_89_go(text, expected):
    assert year(make_text("DATE", text)) == expected
