"""From tagged items to spans of whole tokens."""

from __future__ import annotations

from spacy.tokens import Doc

from ..annotation.candidates import Prediction
from .gold import covered
from .sequences import token_bounds


def trim_spaces(doc: Doc, spans: Prediction) -> Prediction:
    """Trim white space at the ends of token spans; drop spans of white space only."""
    trimmed = []
    for start, end, label, score in spans:
        while start < end and doc[start].is_space:
            start += 1
        while start < end and doc[end - 1].is_space:
            end -= 1
        if start < end:
            trimmed.append((start, end, label, score))
    return trimmed


def cover_tokens(doc: Doc, spans: Prediction) -> Prediction:
    """Extend character spans to all the tokens they touch.

    Spans of one type that then share a token are merged, with the lower confidence.
    doc (Doc): The doc.
    spans (Prediction): The spans in text order, in characters.
    """
    starts, ends = token_bounds(doc)
    grown: Prediction = []
    for first, last, label, score in spans:
        start, end = covered(starts, ends, first, last)
        if grown and grown[-1][2] == label and start < grown[-1][1]:
            start, _, _, other = grown.pop()
            score = min(score, other)
        if start < end:
            grown.append((start, end, label, score))
    return grown
