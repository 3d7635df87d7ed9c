"""The files to redact, and their notes as one stream of chunks, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from ..errors import RedactionError
from ..files import FormatError, open_regular
from ..records import STRUCTURED, Chunk, Fields, Record, RecordFormat
from ..records.columns import missing_column


@dataclass(frozen=True)
class Task:
    """A file to redact."""

    source: Path  # the file with notes
    place: str  # its path within the output folder, and within the input folder it was found in
    target: Path  # the file to write
    format: RecordFormat  # how it is read and written

    def place_of(self, record: Record) -> str:
        """Where the result of a note is in the output folder: "ward/a.txt", "b.jsonl#17"."""
        return f"{self.place}#{record.row}" if record.row else self.place

    def name_of(self, record: Record) -> str:
        """The name of a note: its id, or that of its file if the file holds one note."""
        return record.id or (self.source.stem if self.format.single else "")


@dataclass(frozen=True, kw_only=True)
class FileChunk:
    """A chunk of a file, or the end of the file."""

    task: Task
    file: int  # number of the file, from 0
    count: int  # how many of its chunks have been read
    chunk: Chunk | None = None  # the chunk; None at the end of the file
    error: str = ""  # at the end: why the file, or the rest of it, could not be read

    @property
    def records(self) -> Sequence[Record]:
        """The texts of the chunk."""
        return self.chunk.records if self.chunk else ()

    @property
    def notes(self) -> Sequence[str]:
        """The notes that it can be divided into; one without a name if it cannot be."""
        divided = self.chunk and self.chunk.pick
        return tuple(dict.fromkeys(record.note if divided else "" for record in self.records))

    def pick(self, notes: Container[str]) -> FileChunk:
        """The chunk with only these of its notes."""
        if not self.chunk or not self.chunk.pick or all(note in notes for note in self.notes):
            return self
        return replace(self, chunk=self.chunk.pick(notes))

    def first(self, texts: float) -> FileChunk:
        """The chunk up to the note that reaches this many texts; fields do not count."""
        counts = Counter(record.note for record in self.records if not record.type)
        before = accumulate((counts[note] for note in self.notes), initial=0)
        pairs = zip(self.notes, before, strict=False)  # the last sum is that of all
        return self.pick({note for note, seen in pairs if seen < texts})


Sample = Mapping[str, Mapping[int, Container[str]]]
"""The notes of a sample, by the place of the file and the number of the chunk."""


def read_chunks(
    tasks: Sequence[Task],
    fields: Fields,
    todo: Sequence[int],
    *,
    skip: int = 0,
    limit: int | None = None,
    sample: Sample | None = None,
) -> Iterator[FileChunk]:
    """Read files: the chunks of each, and its end.

    todo (Sequence[int]): Numbers of the files to read, in order.
    skip (int): How many chunks of the first of them to skip.
    limit (int | None): Stop at the note that reaches this many texts (at its chunk, if that cannot
        be divided), and read no further file; fields do not count.
    sample (Sample | None): The notes to read; by default all.
    """
    left = float("inf") if limit is None else limit
    for number in todo:
        done, skip = skip, 0
        if left <= 0 and not done:
            return
        for chunk in read_file(tasks[number], number, fields):
            if chunk.chunk is not None:
                if chunk.count <= done:
                    continue
                if sample and chunk.records:
                    if chunk.count not in sample[chunk.task.place]:
                        continue
                    chunk = chunk.pick(sample[chunk.task.place][chunk.count])
                if left <= 0:
                    yield FileChunk(task=chunk.task, file=number, count=chunk.count - 1)
                    return
                chunk = chunk.first(left)
            yield chunk
            left -= sum(not record.type for record in chunk.records)


def read_file(
    task: Task, number: int, fields: Fields, stream: BinaryIO | None = None
) -> Iterator[FileChunk]:
    """Read a file, or an open stream in its place, chunk by chunk."""
    count, error = 0, ""
    try:
        with nullcontext(stream) if stream else open_regular(task.source) as file:
            for chunk in task.format.read(file, fields):
                count += 1
                yield FileChunk(task=task, file=number, count=count, chunk=chunk)
    except FormatError as reason:
        error = str(reason)
    except OSError as reason:
        error = f"it cannot be read: {reason.strerror or type(reason).__name__}"
    except Exception as reason:  # its message may quote the file
        error = f"it cannot be read ({type(reason).__name__})"
    yield FileChunk(task=task, file=number, count=count, error=error)


def check_columns(tasks: Sequence[Task], fields: Fields) -> None:
    """Check that some file has the columns or keys that were asked for.

    A single file without them is withheld later; if no file has them, they are misspelt.

    RAISES (RedactionError): If no file has them.
    """
    asked = list(fields.needed)
    if fields.id != Fields().id:  # the default may be missing
        asked.append(fields.id)
    wrong = ""
    for task in tasks:
        if names := _names_in(task, asked):
            problem = missing_column(names, asked, fields.setting_of)
            if not problem:
                return
            wrong = wrong or f"{task.source} {problem}"
    if wrong and (fields != Fields() or all(task.format.columns for task in tasks)):
        raise RedactionError(wrong)


def check_structured(tasks: Sequence[Task], fields: Fields) -> None:
    """Check that some file is of a format with the structured fields that were asked for.

    Others may be beside it, as those without a column may be.

    RAISES (RedactionError): If none is.
    """
    if any(task.format.structured for task in tasks):
        return
    if fields.structured or (fields.known and not fields.types):
        setting = "`fields.structured`" if fields.structured else "`fields.known`"
        raise RedactionError(
            f"{setting} is for the fields of {', '.join(STRUCTURED)}, and no file is of these "
            "formats; choose one with `format=`, or name columns with `fields.types`"
        )


def _names_in(task: Task, asked: Sequence[str]) -> list[str]:
    if task.format.columns is None:
        return []
    try:
        with open_regular(task.source) as file:
            return task.format.columns(file, asked)
    except Exception:  # it is reported when the file is read
        return []
