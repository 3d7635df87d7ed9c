"""Notes of spans alone, for the surrogates of places and numbers."""

from __future__ import annotations

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.redaction.key import Key
from spacy_deid.redaction.phi_text import PhiText


def make_note(*pieces, patient="patient 1", secret=b"0123456789abcdef"):
    """A note of plain strings and of pairs of PHI type and value."""
    text, spans = "", []
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        phi_type, value = piece
        if text and not text[-1].isspace() and spans and spans[-1].end == len(text):
            text += "; "
        spans.append(PhiSpan(len(text), len(text) + len(value), phi_type))
        text += value
    return PhiText(text, tuple(spans), Key(secret), patient)
