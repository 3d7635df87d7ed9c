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
