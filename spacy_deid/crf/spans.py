"""From gold entities to tagged items, and from predicted entities to spans of whole tokens."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc

from ..annotation.candidates import Prediction
from ..annotation.tagging import Scheme, covered, gold_labels, token_bounds
from .sequences import DocView, Line, Sentence, split


def gold_sequences(
    view: DocView, reference: Doc, unit: str, scheme: Scheme
) -> Iterator[tuple[Sentence | Line, list[str]]]:
    """The sequences of a doc and their gold tags.

    An entity that crosses a sequence boundary is split there. Sequences with unknown gold are left
    out, since CRFsuite only learns from whole sequences.
    """
    labels = sorted({ent.label_ for ent in reference.ents})
    gold, firsts = gold_labels(view.doc, reference, labels, unit)
    sequences = list(split(view, unit))
    # Also one past the end: the line break between two lines is in neither.
    bounds = {bound for sequence in sequences for bound in (sequence.start, sequence.end)}
    firsts[sorted(bounds - {len(firsts)})] = True
    names = scheme.tag_names(labels)
    tags = scheme.encode(gold, firsts, len(labels)).tolist()
    for sequence in sequences:
        own = tags[sequence.start : sequence.end]
        if -1 not in own:
            yield sequence, [names[tag] for tag in own]


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
    """Extend character spans, in text order, to all the tokens they touch.

    Spans of one type that then share a token are merged, with the lower confidence.
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
