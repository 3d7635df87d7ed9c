"""The notes of all files as one stream of chunks, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from ..files import open_regular
from ..records import Chunk, Fields, Record, RecordError
from .plan import Task


@dataclass(frozen=True)
class Unit:
    """A chunk on its way, or the end of a file.

    task (Task): Its file.
    file (int): The number of the file, from 0.
    chunks (int): How many chunks of the file are read by now.
    chunk (Chunk | None): The chunk; None at the end of the file.
    error (str): At the end: why the file, or the rest of it, could not be read.
    """

    task: Task
    file: int
    chunks: int
    chunk: Chunk | None = None
    error: str = ""

    @property
    def records(self) -> Sequence[Record]:
        """The texts of the chunk."""
        return self.chunk.records if self.chunk else ()


def read_units(
    tasks: Sequence[Task],
    fields: Fields,
    todo: Sequence[int],
    *,
    chunks: int = 0,
    limit: int | None = None,
) -> Iterator[Unit]:
    """Read files chunk by chunk.

    tasks (Sequence[Task]): The files.
    fields (Fields): Where texts stand in records.
    todo (Sequence[int]): Numbers of the files to read, in order.
    chunks (int): How many chunks of the first of them to pass over.
    limit (int | None): End the file behind the chunk with the last of this many texts.
    YIELDS (Unit): The chunks, and the end of each file.
    """
    left = float("inf") if limit is None else limit
    for number in todo:
        skip, chunks = chunks, 0
        if left <= 0 and not skip:
            return
        for unit in _read(tasks[number], number, fields):
            if unit.chunk is not None and unit.chunks <= skip:
                continue
            if unit.chunk is not None and left <= 0:
                yield Unit(unit.task, number, unit.chunks - 1)
                return
            yield unit
            left -= len(unit.records)


def _read(task: Task, number: int, fields: Fields) -> Iterator[Unit]:
    try:
        file = open_regular(task.source)
    except OSError as reason:
        yield Unit(task, number, 0, error=f"it cannot be read: {reason.strerror}")
        return
    with file:
        yield from read_file(file, task, number, fields)


def read_file(file: BinaryIO, task: Task, number: int, fields: Fields) -> Iterator[Unit]:
    """Read an open file chunk by chunk.

    file (BinaryIO): The file.
    task (Task): What it is.
    number (int): Its number, from 0.
    fields (Fields): Where texts stand in records.
    YIELDS (Unit): The chunks, and the end of the file.
    """
    chunks, error = 0, ""
    try:
        for chunk in task.format.read(file, fields):
            chunks += 1
            yield Unit(task, number, chunks, chunk)
    except RecordError as reason:
        error = str(reason)
    except OSError as reason:
        error = f"it cannot be read: {reason.strerror or type(reason).__name__}"
    except Exception as reason:  # its message may quote the file
        error = f"it cannot be read ({type(reason).__name__})"
    yield Unit(task, number, chunks, error=error)
