"""Sequences for the CRF: sentences of tokens or lines of characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..annotation.tagging import token_bounds
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
    """A doc as plain lists with one entry per token, for feature extraction.

    doc (Doc): The doc, with sentences and sections if there are any.
    annotation (Annotation | None): The annotator's annotation of it.
    """

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
