from __future__ import annotations

import pytest
from places_cases import make_note

from spacy_deid.redaction.styles import SPARSE, zip3


@pytest.mark.parametrize(
    "value, replacement",
    [
        ("15213", "15200"),
        ("15213-1234", "15200"),
        ("152131234", "15200"),
        ("15213 1234", "15200"),
        ("03601", "00000"),
        ("89301-0001", "00000"),
        ("SW1A 2AA", "[ZIP]"),
        ("K1A 0B1", "[ZIP]"),
        ("2150", "[ZIP]"),
        ("1521", "[ZIP]"),
    ],
)
def test_zip3(value, replacement):
    assert zip3(make_note(("ZIP", value))) == [replacement]


def test_zip3_sparse_areas():
    assert len(SPARSE) == 17
    assert all(zip3(make_note(("ZIP", f"{area}12"))) == ["00000"] for area in SPARSE)
