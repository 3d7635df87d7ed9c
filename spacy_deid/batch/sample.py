"""Random samples of records: the same for a seed, in any order of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

from ..draws import draw
from ..records import Fields
from .reader import Sample, Task, read_file


def draw_notes(tasks: Sequence[Task], fields: Fields, size: int, seed: int) -> Sample:
    """Draw notes at random, or whole chunks where these cannot be divided.

    size (int): Number of notes or chunks.
    """
    chosen: dict[str, dict[int, set[str]]] = {}
    for _, place, count, note in nsmallest(size, _ranked(tasks, fields, seed)):
        chosen.setdefault(place, {}).setdefault(count, set()).add(note)
    return chosen


def _ranked(
    tasks: Iterable[Task], fields: Fields, seed: int
) -> Iterator[tuple[bytes, str, int, str]]:
    for number, task in enumerate(tasks):
        for chunk in read_file(task, number, fields):
            for note in chunk.notes:
                names = filter(None, [f"{task.place}#{chunk.count}", note])
                yield draw(seed, *names), task.place, chunk.count, note
