"""Which files are notes: one rule, shared by everything that reads a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import RedactionError
from ..files import get_format, is_by_product, special_kind
from ..records import RECORD_FORMATS, RecordFormat, format_of


class FoundFile(NamedTuple):
    """A file among the inputs."""

    source: Path
    place: Path  # its path within the folder it was found in
    format: RecordFormat | None  # None if it holds no notes
    kind: str = ""  # what it is, if it is not a regular file


def find_format(name: str) -> RecordFormat:
    """A format by name.

    RAISES (RedactionError): If there is none of that name.
    """
    try:
        return get_format(name, RECORD_FORMATS)
    except ValueError as error:
        raise RedactionError(str(error)) from None


def find_files(path: Path, given: RecordFormat | None = None) -> Iterator[FoundFile]:
    """A file, or all files below a folder, hidden ones too, sorted by folder and name.

    given (RecordFormat | None): The only format of notes; by default, all formats are, by suffix.
    RAISES (RedactionError): If there is nothing at `path`, or something that cannot be read.
    """
    if path.is_dir():
        yield from _files_in(path, given)
    elif not path.exists():
        raise RedactionError(f"{path} does not exist")
    elif kind := special_kind(path):
        raise RedactionError(f"{path} is {kind}; name a file or a folder, or - for standard input")
    elif (format := given or format_of(path)) is None:
        raise RedactionError(
            f"the suffix of {path} is of no known format; choose one with `format=`"
        )
    else:
        yield FoundFile(path, Path(path.name), format)


def _files_in(top: Path, given: RecordFormat | None) -> Iterator[FoundFile]:
    for folder, subfolders, names in os.walk(top, onerror=_fail):
        subfolders.sort()
        for name in subfolders:
            if (path := Path(folder, name)).is_symlink():  # links may lead in circles
                raise RedactionError(f"{path} is a link to a folder; name that folder as an input")
        for name in sorted(names):
            source = Path(folder, name)
            place = source.relative_to(top)
            format = format_of(source)
            if is_by_product(place) or (given and format is not given):
                format = None
            yield FoundFile(source, place, format, special_kind(source))


def _fail(error: OSError) -> None:
    raise RedactionError(f"the folder {error.filename} cannot be read: {error.strerror}")
