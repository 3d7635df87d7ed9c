"""The notes of all files as one stream of chunks, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from ..files import FormatError, open_regular
from ..records import Chunk, Fields, Record
from .plan import Task


@dataclass(frozen=True)
class FileChunk:
    """A chunk of a file, or the end of the file.

    task (Task): The file.
    file (int): Number of the file, from 0.
    count (int): How many chunks of the file have been read.
    chunk (Chunk | None): The chunk; None at the end of the file.
    error (str): At the end: why the file, or the rest of it, could not be read.
    """

    task: Task
    file: int
    count: int
    chunk: Chunk | None = None
    error: str = ""

    @property
    def records(self) -> Sequence[Record]:
        """The texts of the chunk."""
        return self.chunk.records if self.chunk else ()


def read_chunks(
    tasks: Sequence[Task],
    fields: Fields,
    todo: Sequence[int],
    *,
    skip: int = 0,
    limit: int | None = None,
) -> Iterator[FileChunk]:
    """Read files: the chunks of each, and its end.

    todo (Sequence[int]): Numbers of the files to read, in order.
    skip (int): How many chunks of the first of them to skip.
    limit (int | None): End the file after the chunk that reaches this many texts.
    """
    left = float("inf") if limit is None else limit
    for number in todo:
        done, skip = skip, 0
        if left <= 0 and not done:
            return
        for chunk in _read(tasks[number], number, fields):
            if chunk.chunk is not None:
                if chunk.count <= done:
                    continue
                if left <= 0:
                    yield FileChunk(chunk.task, number, chunk.count - 1)
                    return
            yield chunk
            left -= len(chunk.records)


def _read(task: Task, number: int, fields: Fields) -> Iterator[FileChunk]:
    try:
        file = open_regular(task.source)
    except OSError as reason:
        yield FileChunk(task, number, 0, error=f"it cannot be read: {reason.strerror}")
        return
    with file:
        yield from read_file(file, task, number, fields)


def read_file(file: BinaryIO, task: Task, number: int, fields: Fields) -> Iterator[FileChunk]:
    """Read an open file chunk by chunk; the arguments are those of `FileChunk`."""
    count, error = 0, ""
    try:
        for chunk in task.format.read(file, fields):
            count += 1
            yield FileChunk(task, number, count, chunk)
    except FormatError as reason:
        error = str(reason)
    except OSError as reason:
        error = f"it cannot be read: {reason.strerror or type(reason).__name__}"
    except Exception as reason:  # its message may quote the file
        error = f"it cannot be read ({type(reason).__name__})"
    yield FileChunk(task, number, count, error=error)
