"""Segments: the runs of whole sentences that the tagger reads at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from spacy.tokens import Doc


def sentence_lengths(doc: Doc) -> np.ndarray:
    """Lengths of the sentences of a doc, in tokens; one for a doc without sentence starts.

    RETURNS (np.ndarray): All positive; they sum to `len(doc)`. *Shape:* `(n_sentences,)`
    """
    starts = np.flatnonzero(doc.to_array("SENT_START") == 1)
    bounds = [0, *starts[starts > 0], len(doc)] if len(doc) else [0]
    return np.diff(np.asarray(bounds, dtype=np.int64))


def segment_lengths(sentences: Iterable[int], max_tokens: int) -> list[int]:
    """Lengths of segments of as many whole sentences as fit into `max_tokens`.

    sentences (Iterable[int]): Lengths of the sentences; a longer one is split every `max_tokens`.
    """
    lengths: list[int] = []
    size = 0
    for length in sentences:
        if size and size + length > max_tokens:
            lengths.append(size)
            size = 0
        while length > max_tokens:
            lengths.append(max_tokens)
            length -= max_tokens
        size += length
    return [*lengths, size] if size else lengths


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
