"""Tagging schemes: entities as one tag per item, such as a token or a character, and back.

With `K` labels, tag 0 is O, followed by `K` tags for each prefix of the scheme, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc


@dataclass(frozen=True)
class Scheme:
    """A tagging scheme.

    name (str): Its name in a config.
    prefixes (str): Prefixes of its tags: the first (B), an inner (I), the last (E) or the only (S)
        item of an entity.
    last (str): The prefixes with which an entity may end.
    """

    name: str
    prefixes: str
    last: str

    def tag_names(self, labels: Sequence[str]) -> list[str]:
        """The tags for these labels, such as "B-DATE"."""
        return ["O", *(f"{prefix}-{label}" for prefix in self.prefixes for label in labels)]

    def n_tags(self, n_labels: int) -> int:
        """Number of tags."""
        return 1 + len(self.prefixes) * n_labels

    def n_labels(self, n_tags: int) -> int:
        """Number of labels for this number of tags."""
        return (n_tags - 1) // len(self.prefixes)

    def tags(self, prefixes: str, n_labels: int) -> list[int]:
        """The tags with these prefixes, in that order; prefixes not in the scheme are ignored."""
        places = [self.prefixes.index(prefix) for prefix in prefixes if prefix in self.prefixes]
        return [1 + place * n_labels + label for place in places for label in range(n_labels)]

    def opening(self, n_labels: int) -> list[int]:
        """Tags that may come first: O and those that begin an entity."""
        return [0, *self.tags("BS", n_labels)]

    def closing(self, n_labels: int) -> list[int]:
        """Tags that may come last: O and those that may end an entity."""
        return [0, *self.tags(self.last, n_labels)]

    def continuing(self, n_labels: int) -> list[int]:
        """Tags that continue an entity; only B and I of the same label may precede them."""
        return self.tags("IE", n_labels)

    def encode(self, labels: np.ndarray, firsts: np.ndarray, n_labels: int) -> np.ndarray:
        """The tags of labelled items.

        labels (np.ndarray): 1 + the index of each item's label, 0 for O, -1 where unknown (which
            remains). *Shape:* `(n_items,)`
        firsts (np.ndarray): True for the first item of each entity and each sequence.
        """
        opens = firsts.copy()
        opens[1:] |= labels[1:] != labels[:-1]
        closes = np.append(opens[1:], True)[: len(labels)]
        begin, inside, end, single = (
            self.prefixes.index(prefix) for prefix in ("BIES" if "E" in self.prefixes else "BIIB")
        )
        places = np.where(opens, np.where(closes, single, begin), np.where(closes, end, inside))
        return np.where(labels > 0, labels + places * n_labels, labels)


SCHEMES = {s.name: s for s in (Scheme("BIOES", "BIES", "ES"), Scheme("BIO", "BI", "BI"))}
"""The schemes by their names."""


def find_scheme(name: str) -> Scheme:
    """The scheme of this name.

    RAISES (ValueError): If there is none.
    """
    if name not in SCHEMES:
        raise ValueError(f"unknown tagging scheme '{name}'; choose among {', '.join(SCHEMES)}")
    return SCHEMES[name]


def decode_tags(tags: Iterable[tuple[int, str]]) -> list[tuple[int, int, str]]:
    """The entities of tags in any scheme, as first item, one past the last, label.

    No tagged item is lost in an illegal sequence: a tag that cannot continue the current entity
    begins another.
    tags (Iterable): Items and their tags; those tagged O may be left out.
    """
    entities: list[tuple[int, int, str]] = []
    is_open = False
    for i, tag in tags:
        prefix, _, label = tag.partition("-")
        if prefix == "O":
            continue
        if is_open and prefix in "IE" and entities[-1][1:] == (i, label):
            entities[-1] = (entities[-1][0], i + 1, label)
        else:
            entities.append((i, i + 1, label))
        is_open = prefix in "BI"
    return entities


def gold_labels(
    doc: Doc, reference: Doc, labels: Sequence[str], unit: str = "token"
) -> tuple[np.ndarray, np.ndarray]:
    """The gold labels of the items of a doc, as `Scheme.encode` expects them.

    An item belongs to an entity if they share a character, whatever the tokens of the reference.

    reference (Doc): The gold doc.
    labels (Sequence[str]): All labels.
    unit (str): What an item is, "token" or "character".
    RETURNS (tuple): Label of each item, and whether it is the first of an entity.
    RAISES (ValueError): If the texts differ, or a gold label is unknown.
    """
    if doc.text != reference.text:
        raise ValueError("the two docs of a training example have different texts")
    index = {label: i for i, label in enumerate(labels, 1)}
    unknown = {ent.label_ for ent in reference.ents} - set(labels)
    if unknown:
        raise ValueError(
            f"{sorted(unknown)} are not among the labels, which the first training of a model "
            "fixes; train a new one"
        )
    starts, ends = token_bounds(doc)
    if unit == "character":
        starts = np.arange(len(doc.text))
        ends = starts + 1
    gold, firsts = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=bool)
    for ent in reference.ents:
        first, last = covered(starts, ends, ent.start_char, ent.end_char)
        gold[first:last] = index[ent.label_]
        firsts[first : min(last, first + 1)] = True
    for i in np.flatnonzero(reference.to_array("ENT_IOB") == 0).tolist():
        token = reference[i]
        first, last = covered(starts, ends, token.idx, token.idx + len(token))
        gold[first:last] = -1
    return gold, firsts


def token_bounds(doc: Doc) -> tuple[np.ndarray, np.ndarray]:
    """First character of each token and one past its last. *Shape:* `(len(doc),)` each"""
    array = doc.to_array([IDX, LENGTH]).astype(np.int64).reshape(-1, 2)
    return array[:, 0], array.sum(1)


def covered(starts: np.ndarray, ends: np.ndarray, first: int, last: int) -> tuple[int, int]:
    """The items that share a character with the range from `first` to `last`.

    RETURNS (tuple[int, int]): First item and one past the last; equal if there is none.
    """
    start = int(np.searchsorted(ends, first, side="right"))
    end = int(np.searchsorted(starts, last, side="left"))
    return start, max(start, end)
