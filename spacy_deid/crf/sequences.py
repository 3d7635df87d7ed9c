"""Sequences for the CRF: sentences of tokens or lines of characters, and their entities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..annotation.candidates import Prediction
from ..annotation.tagging import Scheme, covered, gold_labels, token_bounds
from ..text.sections import SPANS_KEY

UNITS: tuple[str, ...] = ("token", "character")
"""Kinds of items in a sequence."""

MAX_ITEMS = 2000
"""Longer sentences and lines are split, to bound memory."""

SPACE_WORDS = ("<space>", "<newline>", "<blank_line>")
"""Replacements for white space with no, one or more line breaks."""


@dataclass
class Annotation:
    """Another pipeline's annotation of each token of a doc; "" where there is none.

    Parts of speech, lemmas, and in BIO, noun phrases ("B-NP") and general entities ("B-PERSON").
    """

    tags: list[str]
    lemmas: list[str]
    chunks: list[str]
    entities: list[str]


class DocView:
    """A doc as plain lists with one entry per token, for feature extraction."""

    def __init__(self, doc: Doc, annotation: Annotation | None = None) -> None:
        self.doc = doc
        self.annotation = annotation
        self.words = [fold_space(token.text) for token in doc]
        self.sections = [""] * len(doc)
        for span in doc.spans.get(SPANS_KEY, ()):
            self.sections[span.start : span.end] = [span.label_] * len(span)


def fold_space(text: str) -> str:
    """A token's text, or one of `SPACE_WORDS` for white space."""
    return SPACE_WORDS[min(2, text.count("\n"))] if text.isspace() else text


class Sentence:
    """The tokens of a doc from `start` to before `end`."""

    def __init__(self, view: DocView, start: int, end: int) -> None:
        self.view, self.start, self.end = view, start, end
        self.words = view.words[start:end]

    def __len__(self) -> int:
        return self.end - self.start


class Line:
    """The characters of a line of a doc, including spaces and tabs, from `start` to before `end`.

    token_of (np.ndarray): The token of each character of the doc, -1 for none.
    """

    def __init__(self, view: DocView, start: int, end: int, token_of: np.ndarray) -> None:
        self.view, self.start, self.end = view, start, end
        self.words = view.doc.text[start:end]
        owners = token_of[start:end]
        known = owners[owners >= 0]
        first, last = (int(known[0]), int(known[-1]) + 1) if len(known) else (0, 0)
        self.sentence = Sentence(view, first, last)
        self.tokens: list[int] = np.where(owners < 0, -1, owners - first).tolist()

    def __len__(self) -> int:
        return self.end - self.start


def split(view: DocView, unit: str) -> Iterator[Sentence | Line]:
    """The sequences of a doc: sentences for the unit "token", lines for "character"."""
    return _sentences(view) if unit == "token" else _lines(view)


def _sentences(view: DocView) -> Iterator[Sentence]:
    """The sentences of a doc; without sentence starts, the whole doc is one sentence."""
    starts = np.flatnonzero(view.doc.to_array([SENT_START]).ravel() == 1).tolist()
    for start, end in _cut([0, *(i for i in starts if i), len(view.doc)]):
        yield Sentence(view, start, end)


def _lines(view: DocView) -> Iterator[Line]:
    """The non-empty lines of a doc."""
    text, start = view.doc.text, 0
    token_of = _character_owners(view.doc)
    for line in text.split("\n"):
        for first, last in _cut([start, start + len(line)]):
            yield Line(view, first, last, token_of)
        start += len(line) + 1


def _character_owners(doc: Doc) -> np.ndarray:
    """The token of each character, -1 for none. *Shape:* `(len(doc.text),)`"""
    owners = np.full(len(doc.text), -1, dtype=np.int64)
    for i, (start, end) in enumerate(zip(*token_bounds(doc), strict=True)):
        owners[start:end] = i
    return owners


def _cut(bounds: list[int]) -> Iterator[tuple[int, int]]:
    """The ranges between bounds, without empty ones and split at `MAX_ITEMS`."""
    for start, end in pairwise(bounds):
        for first in range(start, end, MAX_ITEMS):
            yield first, min(end, first + MAX_ITEMS)


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
