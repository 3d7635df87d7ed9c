"""Tests of the table that says what draws the surrogates of a PHI type."""

import pytest
from places_cases import make_note

from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.redaction import RedactionError
from spacy_deid.redaction.surrogates import KINDS, surrogate


def test_every_type_has_an_entry():
    assert set(KINDS) == set(CATEGORY)


def test_an_unlisted_type_is_an_error():
    with pytest.raises(RedactionError, match="no surrogates of the PHI type 'VISA'"):
        surrogate(make_note(("VISA", "B-1234")))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize(
    "phi_type, value",
    [
        ("PATIENT", "Maria\nLopez"),
        ("PATIENT", "Mar\u0131a\u200b\nLo-\npez"),
        ("HOSPITAL", "Mercy\nHospital"),
        ("STREET", "12 Oak St\nApt 4"),
        ("DATE", "March 4,\n2067"),
        ("DATE", "twenty-\nfirst of May"),
        ("AGE", "ninety-\nthree"),
        ("AGE", "45\nyears"),
        ("PHONE", "555\n1234567"),
    ],
)
def test_line_breaks_stay_as_they_are(phi_type, value, end):
    (written,) = surrogate(make_note((phi_type, value)))
    assert surrogate(make_note((phi_type, value.replace("\n", end)))) == [
        written.replace("\n", end)
    ]
