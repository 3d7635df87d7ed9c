"""Gold tags of an example, in BIOES (`Scheme.from_gold` converts them to other schemes)."""

from __future__ import annotations

import numpy as np
from spacy.training import Example

from .scheme import SCHEMES


def gold_tags(example: Example, labels: tuple[str, ...]) -> np.ndarray:
    """The gold tag index of each token of `example.predicted`; -1 where it is unknown.

    RETURNS (np.ndarray): *Shape:* `(n_tokens,)`.
    RAISES (ValueError): If a gold PHI type is not in `labels`.
    """
    unknown = {ent.label_ for ent in example.reference.ents} - set(labels)
    if unknown:
        raise ValueError(f"{sorted(unknown)} are not among the labels of the tagger")
    orths = example.predicted.to_array("ORTH")
    if np.array_equal(orths, example.reference.to_array("ORTH")):
        return _same_tokens(example, labels)
    index = {tag: i for i, tag in enumerate(SCHEMES["BIOES"].tag_names(labels))}
    tags = example.get_aligned_ner()
    return np.asarray([-1 if tag is None else index[tag] for tag in tags], dtype=np.int64)


def _same_tokens(example: Example, labels: tuple[str, ...]) -> np.ndarray:
    """The usual case; skips spaCy's alignment, which takes longer than the training step."""
    reference, n_labels = example.reference, len(labels)
    position = {label: i for i, label in enumerate(labels)}
    tags = np.where(reference.to_array("ENT_IOB") == 0, -1, 0).astype(np.int64)
    for ent in reference.ents:
        label = 1 + position[ent.label_]
        if len(ent) == 1:
            tags[ent.start] = label + 3 * n_labels
        else:
            tags[ent.start] = label
            tags[ent.start + 1 : ent.end - 1] = label + n_labels
            tags[ent.end - 1] = label + 2 * n_labels
    return tags


def close_at_cuts(tags: np.ndarray, firsts: np.ndarray, lasts: np.ndarray, n_labels: int) -> None:
    """Split gold entities that cross a segment boundary in two, in place.

    Otherwise the gold path would be illegal: a segment cannot end with B or begin with L.
    tags (np.ndarray): BIOES tags of the concatenated segments. *Shape:* `(n_tokens,)`
    firsts, lasts (np.ndarray): First and last token of each segment. *Shape:* `(n_segments,)`
    """
    begin, inside, last, unit = range(4)
    for places, changes in (
        (firsts, {inside: begin, last: unit}),
        (lasts, {begin: unit, inside: last}),
    ):
        prefix = np.where(tags[places] > 0, (tags[places] - 1) // n_labels, -1)
        for before, after in changes.items():
            tags[places[prefix == before]] += (after - before) * n_labels
