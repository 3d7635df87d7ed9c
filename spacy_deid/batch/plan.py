"""The files of a run and where each result goes, decided before anything is written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..files import get_format, special_kind
from ..records import FORMATS, Format, format_of
from ..redaction import RedactionError
from .manifest import MANIFEST
from .workspace import OWN_NAMES, WORKSPACE


@dataclass(frozen=True)
class Task:
    """A file to redact.

    source (Path): The file with notes.
    place (str): Its path within the output folder, and within the input folder it was found in.
    target (Path): The file to write.
    format (Format): How it is read and written.
    """

    source: Path
    place: str
    target: Path
    format: Format


@dataclass(frozen=True)
class Plan:
    """All files of a run.

    tasks (tuple[Task, ...]): The files, sorted by folder and name within each input.
    skipped (Counter[str]): Number of files of unknown formats, by suffix.
    special (tuple[tuple[Path, str], ...]): Files that are not regular, each with its kind.
    """

    tasks: tuple[Task, ...]
    skipped: Counter[str]
    special: tuple[tuple[Path, str], ...] = ()


def plan_redaction(inputs: Iterable[Path], out: Path, *, format: str | None = None) -> Plan:
    """Pair every file with its place in the output folder.

    A file keeps its path relative to the folder it was found in, and its name if it is named.

    inputs (Iterable[Path]): Files, and folders that hold some at any depth.
    out (Path): The output folder.
    format (str | None): Name of their format, and then the only one read from folders; by default
        their suffixes decide.
    RAISES (RedactionError): If there are no files, two would be written to one place, or an input
        would be overwritten.
    """
    inputs = [Path(path) for path in inputs]
    _check_folders(inputs, out)
    given = find_format(format) if format is not None else None
    found = [file for path in inputs for file in _files_of(path, given)]
    kinds = [special_kind(source) for source, _, _ in found]
    files = [file for file, kind in zip(found, kinds, strict=True) if not kind]
    tasks = tuple(
        Task(source, str(place), out / place, form)
        for source, place, form in files
        if form is not None
    )
    if not tasks:
        suffixes = ", ".join(
            suffix for form in ([given] if given else FORMATS.values()) for suffix in form.suffixes
        )
        raise RedactionError(f"there are no notes among the inputs; files may be {suffixes}")
    _check_targets(tasks)
    skipped = Counter(source.suffix for source, _, form in files if form is None)
    special = ((file[0], kind) for file, kind in zip(found, kinds, strict=True) if kind)
    return Plan(tasks, skipped, tuple(special))


def find_format(name: str) -> Format:
    """A format by name.

    RAISES (RedactionError): If there is none of that name.
    """
    try:
        return get_format(name, FORMATS)
    except ValueError as error:
        raise RedactionError(str(error)) from None


def _check_folders(inputs: list[Path], out: Path) -> None:
    where = out.resolve()
    for path in (where, *where.parents):
        if path.exists() and not path.is_dir():
            raise RedactionError(f"the output folder {out} cannot be made: {path} is not a folder")
    for path in inputs:
        if path.is_dir() and (path.resolve() == where or path.resolve() in where.parents):
            raise RedactionError(
                f"the output folder {out} lies in the input folder {path}; choose another one"
            )


def _files_of(path: Path, given: Format | None) -> Iterator[tuple[Path, Path, Format | None]]:
    """The files of an input, each with its path in the output folder and its format."""
    if path.is_dir():
        for folder, subfolders, names in os.walk(path, onerror=_fail):
            subfolders.sort()
            for name in subfolders:
                if Path(folder, name).is_symlink():  # links may lead in circles
                    raise RedactionError(
                        f"{Path(folder, name)} is a link to a folder; name that folder as an input"
                    )
            for name in sorted(names):
                source = Path(folder, name)
                form = format_of(source)
                own = name == MANIFEST or WORKSPACE in source.relative_to(path).parts
                if own or (given is not None and form is not given):
                    form = None
                yield source, source.relative_to(path), form
    elif not path.exists():
        raise RedactionError(f"{path} does not exist")
    elif kind := special_kind(path):
        raise RedactionError(f"{path} is {kind}; name a file or a folder, or - for standard input")
    else:
        form = given or format_of(path)
        if form is None:
            raise RedactionError(
                f"the suffix of {path} is of no known format; choose one with format="
            )
        yield path, Path(path.name), form


def _fail(error: OSError) -> None:
    raise RedactionError(f"the folder {error.filename} cannot be read: {error.strerror}")


def _check_targets(tasks: Iterable[Task]) -> None:
    tasks = list(tasks)
    sources = {task.source.resolve() for task in tasks}
    taken: dict[Path, Path] = {}
    for task in tasks:
        place = task.target.resolve()
        if place in sources:
            raise RedactionError(
                f"the result would overwrite the input {task.source}; choose another folder"
            )
        own = Path(task.place).parts[0]
        if own.casefold() in OWN_NAMES:  # some file systems ignore case
            raise RedactionError(f"the run's own {own} would overwrite the result of a note")
        if place in taken:
            raise RedactionError(
                f"{taken[place]} and {task.source} would both be written to {task.target}; redact "
                "them into two folders"
            )
        taken[place] = task.source
