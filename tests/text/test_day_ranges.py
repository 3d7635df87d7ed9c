from __future__ import annotations

import pytest

from spacy_deid.text.day_ranges import find_day_ranges


@pytest.mark.parametrize(
    "text, ranges",
    [
        (
            "in 3/4-9/67, 10/28-30/2067 and 3/12 \u2013 15/00",
            [("4", "9"), ("28", "30"), ("12", "15")],
        ),
        ("12-14/03/2067, 4 - 9/3/67", []),
        ("3/12-15/24, 10/28-30/12", [("12", "15"), ("28", "30")]),
        ("3/4-9/12, 3/4-9/24, 3/12-15/04", []),  # until 12 September, perhaps until 15 April
        ("3/12-9/67, 3/4-32/67, 13/4-9/67, 3/0-67", []),
        ("3/4/66-9/67, 3/4-9/67-70, 3/4-9/67.5, T3/4-9/67", []),
    ],
)
def test_days_that_count_up_to_a_year(text, ranges):
    assert [(match["first"], match["last"]) for match in find_day_ranges(text)] == ranges
