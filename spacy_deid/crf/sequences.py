"""Sequences for the CRF: sentences of tokens or lines of characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from spacy.attrs import IDX, LENGTH, SENT_START
from spacy.tokens import Doc

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

    tags (list[str]): Fine part-of-speech tags.
    lemmas (list[str]): Lemmas.
    chunks (list[str]): Noun phrases in BIO: "B-NP", "I-NP", "O".
    entities (list[str]): General named entities in BIO: "B-PERSON", "O".
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
    """A sequence of tokens.

    view (DocView): The doc.
    start (int): First token.
    end (int): One past the last token.
    """

    def __init__(self, view: DocView, start: int, end: int) -> None:
        self.view = view
        self.start = start
        self.end = end
        self.words = view.words[start:end]

    def __len__(self) -> int:
        return self.end - self.start


class Line:
    """A line of a doc as a sequence of characters, including spaces and tabs.

    view (DocView): The doc.
    start (int): First character.
    end (int): One past the last character, before the line break.
    token_of (np.ndarray): The token of each character of the doc, -1 for none.
    """

    def __init__(self, view: DocView, start: int, end: int, token_of: np.ndarray) -> None:
        self.view = view
        self.start = start
        self.end = end
        self.text = view.doc.text[start:end]
        owners = token_of[start:end]
        known = owners[owners >= 0]
        first, last = (int(known[0]), int(known[-1]) + 1) if len(known) else (0, 0)
        self.sentence = Sentence(view, first, last)
        self.tokens: list[int] = np.where(owners < 0, -1, owners - first).tolist()

    def __len__(self) -> int:
        return self.end - self.start


def sentences(view: DocView) -> Iterator[Sentence]:
    """The sentences of a doc; without sentence starts, the whole doc is one sentence."""
    starts = np.flatnonzero(view.doc.to_array([SENT_START]).ravel() == 1).tolist()
    for start, end in _cut([0, *(i for i in starts if i), len(view.doc)]):
        yield Sentence(view, start, end)


def lines(view: DocView) -> Iterator[Line]:
    """The non-empty lines of a doc."""
    text, start = view.doc.text, 0
    token_of = character_owners(view.doc)
    for line in text.split("\n"):
        for first, last in _cut([start, start + len(line)]):
            yield Line(view, first, last, token_of)
        start += len(line) + 1


def character_owners(doc: Doc) -> np.ndarray:
    """The token of each character, -1 for none. *Shape:* `(len(doc.text),)`"""
    owners = np.full(len(doc.text), -1, dtype=np.int64)
    starts, ends = token_bounds(doc)
    sizes = ends - starts
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    owners[np.repeat(starts, sizes) + inside] = np.repeat(np.arange(len(doc)), sizes)
    return owners


def token_bounds(doc: Doc) -> tuple[np.ndarray, np.ndarray]:
    """First character of each token and one past its last. *Shape:* `(len(doc),)` each"""
    array = doc.to_array([IDX, LENGTH]).astype(np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 0] + array[:, 1]


def _cut(bounds: list[int]) -> Iterator[tuple[int, int]]:
    """The ranges between bounds, without empty ones and split at `MAX_ITEMS`."""
    for start, end in pairwise(bounds):
        for first in range(start, end, MAX_ITEMS):
            yield first, min(end, first + MAX_ITEMS)
