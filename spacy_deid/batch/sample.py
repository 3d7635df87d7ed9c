"""Random samples of records: the same for a seed, in any order of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import nsmallest

from ..records import Fields
from .reader import Task, read_file

Sample = Mapping[str, frozenset[int]]
"""The numbers of the chosen chunks of each file with any, by the place of the file."""


def draw(seed: int, *names: str) -> bytes:
    """A random draw for something by its names, always the same for a seed."""
    return sha256(" ".join((str(seed), *names)).encode("utf-8", "surrogatepass")).digest()


def draw_chunks(tasks: Sequence[Task], fields: Fields, size: int, seed: int) -> Sample:
    """Draw chunks with texts at random.

    size (int): Number of chunks.
    """
    chosen: dict[str, set[int]] = {}
    for _, place, count in nsmallest(size, _ranked(tasks, fields, seed)):
        chosen.setdefault(place, set()).add(count)
    return {place: frozenset(counts) for place, counts in chosen.items()}


def _ranked(tasks: Iterable[Task], fields: Fields, seed: int) -> Iterator[tuple[bytes, str, int]]:
    for number, task in enumerate(tasks):
        for chunk in read_file(task, number, fields):
            if chunk.records:
                yield draw(seed, f"{task.place}#{chunk.count}"), task.place, chunk.count
