"""Gold tags for training the CRF."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from spacy.tokens import Doc

from .scheme import encode_tags
from .sequences import DocView, Line, Sentence, lines, sentences, token_bounds


def split(view: DocView, unit: str) -> Iterator[Sentence | Line]:
    """The sequences of a doc: sentences for the unit "token", lines for "character"."""
    return sentences(view) if unit == "token" else lines(view)


def gold_sequences(
    view: DocView, reference: Doc, unit: str, scheme: str
) -> Iterator[tuple[Sentence | Line, list[str]]]:
    """The sequences of a doc and their gold tags.

    An item belongs to an entity if they share a character, whatever the tokens of the reference.
    An entity that crosses a sequence boundary is split there. Sequences with unknown gold are left
    out, since CRFsuite only learns from whole sequences.

    view (DocView): The doc.
    reference (Doc): The gold doc.
    unit (str): "token" or "character".
    scheme (str): The tag scheme.
    RAISES (ValueError): If the texts of the two differ.
    """
    if view.doc.text != reference.text:
        raise ValueError("a training example has not the same text in its two docs")
    if unit == "token":
        starts, ends = token_bounds(view.doc)
    else:
        starts = np.arange(len(view.doc.text))
        ends = starts + 1
    entities: list[tuple[int, str] | None] = [None] * len(starts)
    for number, ent in enumerate(reference.ents):
        first, last = covered(starts, ends, ent.start_char, ent.end_char)
        entities[first:last] = [(number, ent.label_)] * (last - first)
    unknown = _unknown_items(reference, starts, ends)
    for sequence in split(view, unit):
        if not unknown[sequence.start : sequence.end].any():
            yield sequence, encode_tags(entities[sequence.start : sequence.end], scheme)


def covered(starts: np.ndarray, ends: np.ndarray, first: int, last: int) -> tuple[int, int]:
    """The items that share a character with the range from `first` to `last`.

    starts (np.ndarray): First character of each item, in order. *Shape:* `(n,)`
    ends (np.ndarray): One past the last character of each. *Shape:* `(n,)`
    RETURNS (tuple[int, int]): First item and one past the last; equal if there is none.
    """
    start = int(np.searchsorted(ends, first, side="right"))
    end = int(np.searchsorted(starts, last, side="left"))
    return start, max(start, end)


def _unknown_items(reference: Doc, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Mask of the items without annotation in the reference. *Shape:* `(n,)`"""
    unknown = np.zeros(len(starts), dtype=bool)
    for i in np.flatnonzero(reference.to_array("ENT_IOB") == 0).tolist():
        token = reference[i]
        first, last = covered(starts, ends, token.idx, token.idx + len(token))
        unknown[first:last] = True
    return unknown
