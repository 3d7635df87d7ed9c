from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from note_makers import make_note, make_text

from spacy_deid.redaction.phi_text import Shared
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
        ("12-MAR-19", "19"),
        ("Mar-67", "67"),
        ("May-28", "[DATE]"),
        ("Christmas 25", "[DATE]"),
        ("93", "[DATE]"),
        ("May 3, 2018-19", "2018"),
        ("12/28/2018-19", "2018"),
        ("20240115 200912", "2024"),
        ("Dec 24/25", "[DATE]"),
        ("March 4, 19", "[DATE]"),
        ("198502", "1985"),
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
        ("A 57-year-old woman born in [1910]", ["[DATE]"]),
        ("A 57-year-old woman born in [1910], seen [1967]", ["1910", "1967"]),
        ("Date of birth:\n[3/4/1971]. Seen [2060].", ["[DATE]", "2060"]),
        ("DOB:\n\n[3/4/1974]. 93 y/o, seen [2060].", ["[DATE]", "2060"]),
        (f"Birthdate {'.' * 60} [3/4/1974]. 93 y/o, seen [2060]", ["[DATE]", "2060"]),
        ("YOB_[1974], 93 y/o, seen [2060]", ["[DATE]", "2060"]),
        ("John Roe ([3/4/1930]) is a 95 year old man. YOB: [1930].", ["[DATE]", "[DATE]"]),
        ("John Roe ([3/4/1930]), 95 y/o. MI in [1998]. Seen [3/2]", ["[DATE]", "1998", "[DATE]"]),
        ("John Roe ([3/4/30]), 95 y/o. MI in ['98]", ["[DATE]", "'98"]),
        ("John Roe ([3/4/1930]), 64 y/o. Seen [5/6/1994]", ["1930", "1994"]),
        ("Mrs. Roe ([3/4/1930]) has a cough", ["[DATE]"]),
        ("DOB: [3/4/1930]. Seen [3/2]", ["[DATE]", "[DATE]"]),
        ("DOB: [3/4/1998]", ["1998"]),
        ("CABG in [1992]. Seen [5/25/03]", ["1992", "03"]),
        ("DOB [1/1/1930]. CABG [1/5/1999]. Seen [3/4/24]", ["[DATE]", "1999", "24"]),
        ("CABG [1/5/1999]. Seen [3/4/24], 94 y/o", ["1999", "24"]),
        ("Roe ([1/1/1935]). Seen [3/4/24]", ["[DATE]", "24"]),
    ],
)
def test_years_that_show_an_age_over_89_go(text, expected):
    assert year(make_text("DATE", text)) == expected


@pytest.mark.parametrize(
    "value, expected",
    [
        ("03/04/1930", "[DATE]"),
        ("19300304", "[DATE]"),
        ("1930", "[DATE]"),
        ("1930s", "[DATE]"),
        (" 3/4/30 ", "[DATE]"),
        ("03/04/1998", "1998"),
        ("3/4/98", "98"),
        ("2067-03-04", "2067"),
    ],
)
def test_a_value_alone_may_be_a_date_of_birth(value, expected):
    assert year(make_note("DATE", value, before="")) == [expected]


@pytest.mark.parametrize(
    "text, latest, expected",
    [
        ("[19601231]", 2067, ["[DATE]"]),
        ("[1990-12-31]", 2067, ["1990"]),
        ("[19301231]", 2001, ["[DATE]"]),
        ("DOB [3/4/1934], seen [5/6/2004]", 2067, ["[DATE]", "2004"]),
        ("DOB [3/4/1934], seen [5/6/2004]", 1999, ["1934", "2004"]),
        ("CABG in [1960], seen [3/4]", 2067, ["[DATE]", "[DATE]"]),
    ],
)
def test_years_are_counted_from_the_latest_date_of_all_texts_of_a_note(text, latest, expected):
    note = replace(make_text("DATE", text), shared=Shared(None, date(latest, 3, 4)))
    assert year(note) == expected
