"""Batches of texts: large enough to be fast, small enough for memory and for those who wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

TEXTS = 64
CHARACTERS = 200_000
"""What a batch holds at most; a text that is longer is alone."""

Item = TypeVar("Item")


def batches(
    items: Iterable[Item], characters: Callable[[Item], int], most: int = TEXTS
) -> Iterator[list[Item]]:
    """Items in batches, in order.

    characters (Callable): The number of characters of an item.
    most (int): How many items a batch holds at most.
    """
    batch: list[Item] = []
    size = 0
    for item in items:
        length = characters(item)
        if batch and (len(batch) == most or size + length > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += length
    if batch:
        yield batch
