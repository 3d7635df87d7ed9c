"""The texts of files as notes, in every format that `redact` reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from ..annotation.notes import Note
from ..corpora import Problem
from ..corpora.base import check_path
from ..records import Fields, Record, RecordFormat
from .inputs import find_files, find_format
from .reader import Task, check_columns, read_file


def read_texts(
    path: Path,
    *,
    format: str | None = None,
    fields: Fields | None = None,
    on_problem: Callable[[Problem], None],
) -> Iterator[tuple[Note, str]]:
    """Read the texts of a file, or of all files below a folder, each with its patient's id.

    The id of a note is that of its record, if no note before it has the same, or else its place:
    "jan.csv#17".

    format (str | None): Name of the format; by default, by suffix.
    fields (Fields | None): The names of columns or keys; by default `Fields()`.
    on_problem (Callable): Called for each text and file that cannot be read.
    RAISES (ValueError): If there is nothing at `path`, or something that cannot be read, or no file
        has the columns.
    """
    check_path(path)
    fields = fields or Fields()
    given = find_format(format) if format else None
    tasks = list(_tasks(path, given, on_problem))
    check_columns(tasks, fields)
    seen: set[str] = set()
    for number, task in enumerate(tasks):
        for chunk in read_file(task, number, fields):
            if chunk.error:
                on_problem(Problem(str(task.source), chunk.error))
            for record in chunk.records:
                if record.error:
                    place = f"{task.source}#{record.row}" if record.row else str(task.source)
                    on_problem(Problem(place, record.error))
                else:
                    name = next(name for name in _names(record, task) if name not in seen)
                    seen.add(name)
                    yield Note(name, record.text), record.patient_id


def _names(record: Record, task: Task) -> Iterator[str]:
    """Names for a note, the best first; files like a.txt and a.TXT have the same place."""
    if record.id:
        yield record.id
    place = task.place_of(record)
    yield place
    for number in count(2):
        yield f"{place} ({number})"


def _tasks(
    path: Path, given: RecordFormat | None, on_problem: Callable[[Problem], None]
) -> Iterator[Task]:
    for source, place, format, kind in find_files(path, given):
        if format is None:
            continue
        if kind:
            on_problem(Problem(str(source), f"it is {kind}"))
        else:
            name = place.with_suffix("") if format.single else place
            yield Task(source, name.as_posix(), source, format)
