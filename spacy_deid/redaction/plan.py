"""Which notes a run redacts, and where each result goes: settled before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .errors import RedactionError


class Task(NamedTuple):
    """A note to redact.

    source (Path): The file with the note.
    target (Path): The file to write.
    """

    source: Path
    target: Path


def plan_redaction(inputs: Iterable[Path], out: Path, *, force: bool = False) -> list[Task]:
    """Pair every note with its place in the output folder.

    A note keeps its path relative to the folder it was found in; a file that is named itself keeps
    its name.

    inputs (Iterable[Path]): Text files (.txt), and folders that hold some at any depth.
    out (Path): The output folder.
    force (bool): Whether existing files there may be replaced.
    RETURNS (list[Task]): The notes, sorted by folder and name within each input.
    RAISES (RedactionError): If there are no notes, two would be written to one place, or an input
        or (without `force`) an existing file would be overwritten.
    """
    inputs = [Path(path) for path in inputs]
    _check_folders(inputs, out)
    tasks = [Task(source, out / name) for path in inputs for source, name in _notes_of(path)]
    if not tasks:
        raise RedactionError("there is no .txt file among the inputs")
    _check_targets(tasks, force)
    return tasks


def _check_folders(inputs: list[Path], out: Path) -> None:
    where = out.resolve()
    for path in inputs:
        if path.is_dir() and (path.resolve() == where or path.resolve() in where.parents):
            raise RedactionError(
                f"the output folder {out} lies in the input folder {path}; choose another one"
            )


def _notes_of(path: Path) -> Iterator[tuple[Path, Path]]:
    """The notes of an input, each with its path in the output folder."""
    if path.is_dir():
        for folder, subfolders, names in os.walk(path, onerror=_fail):
            subfolders.sort()
            for source in (Path(folder, name) for name in sorted(names)):
                if _is_text(source):
                    yield source, source.relative_to(path)
    elif not path.exists():
        raise RedactionError(f"{path} does not exist")
    elif not _is_text(path):
        raise RedactionError(f"{path} is not a text file; notes are read from .txt files")
    else:
        yield path, Path(path.name)


def _fail(error: OSError) -> None:
    raise RedactionError(f"the folder {error.filename} cannot be read: {error.strerror}")


def _is_text(path: Path) -> bool:
    return path.suffix.lower() == ".txt"


def _check_targets(tasks: list[Task], force: bool) -> None:
    sources = {task.source.resolve() for task in tasks}
    taken: dict[Path, Path] = {}
    existing = []
    for source, target in tasks:
        place = target.resolve()
        if place in sources:
            raise RedactionError(
                f"the result would overwrite the input {source}; choose another folder"
            )
        if place in taken:
            raise RedactionError(
                f"{taken[place]} and {source} would both be written to {target}; redact them into "
                "two folders"
            )
        taken[place] = source
        if not force and target.exists():
            existing.append(target)
    if existing:
        raise RedactionError(
            f"{existing[0]} exists already ({len(existing)} in all); use 'force' to replace them"
        )
