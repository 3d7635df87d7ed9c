"""Notes for the tests of dates and ages."""

from __future__ import annotations

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.redaction.date_shift import DateShift
from spacy_deid.redaction.key import Key
from spacy_deid.redaction.phi_text import PhiText

KEY = Key(b"a secret for tests")
DEFAULT = DateShift()


def make_note(phi_type, *values, patient="patient 1", before="; ", date_shift=DEFAULT):
    """A note of some values, each with some words before it."""
    text, spans = "", []
    for value in values:
        text += before
        spans.append(PhiSpan(len(text), len(text) + len(value), phi_type))
        text += value
    return PhiText(text, tuple(spans), KEY, patient, date_shift)


def make_text(phi_type, text):
    """A note whose PHI stands in brackets: "seen on [3/4/67]"."""
    spans, plain = [], ""
    for piece in text.split("["):
        value, closed, rest = piece.partition("]")
        if closed:
            spans.append(PhiSpan(len(plain), len(plain) + len(value), phi_type))
        plain += value + rest
    return PhiText(plain, tuple(spans), KEY, "patient 1")
