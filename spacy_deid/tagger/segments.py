"""Segments: the runs of whole sentences that the tagger reads at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from spacy.tokens import Doc


def segment_lengths(doc: Doc, max_tokens: int) -> list[int]:
    """Split `doc` into segments of as many whole sentences as fit into `max_tokens`.

    Longer sentences, and docs without sentence starts, are split every `max_tokens` tokens.
    RETURNS (list[int]): Lengths in tokens, all positive; they sum to `len(doc)`.
    """
    starts = np.flatnonzero(doc.to_array("SENT_START") == 1)
    bounds = [*starts[starts > 0].tolist(), len(doc)] if len(doc) else []
    lengths: list[int] = []
    begin = end = 0
    for bound in bounds:
        if bound - begin > max_tokens and end > begin:
            lengths.append(end - begin)
            begin = end
        while bound - begin > max_tokens:
            lengths.append(max_tokens)
            begin += max_tokens
        end = bound
    if end > begin:
        lengths.append(end - begin)
    return lengths


def batch_docs(docs: Iterable[Doc], max_tokens: int) -> list[list[Doc]]:
    """Group consecutive docs into batches of at most `max_tokens` tokens (or one longer doc)."""
    batches: list[list[Doc]] = []
    size = 0
    for doc in docs:
        if not batches or size + len(doc) > max_tokens:
            batches.append([])
            size = 0
        batches[-1].append(doc)
        size += len(doc)
    return batches
