"""Files: formats by name and suffix, safe reading and atomic writing."""

from __future__ import annotations

import csv
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar
from uuid import uuid4

MANIFEST = "manifest.jsonl"
"""Name of the manifest in the output folder of a run."""
WORKSPACE = ".spacy-deid"
"""Name of the folder in it with the lock, checkpoint and unfinished file of a run."""
_APPLE_DOUBLE = "._"
"""How the names begin of the files in which macOS keeps what other disks cannot hold."""
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class FormatError(ValueError):
    """Why a note or a file cannot be read or written: one clause that never quotes the text."""


@dataclass(frozen=True)
class FileFormat:
    """A file format."""

    name: str  # its name on the command line
    suffixes: tuple[str, ...]  # suffixes of its files, in lower case


Formats = TypeVar("Formats", bound=FileFormat)


def get_format(name: str, formats: Mapping[str, Formats]) -> Formats:
    """The format of that name.

    RAISES (ValueError): If there is none.
    """
    if name not in formats:
        raise ValueError(f"unknown format '{name}'; the formats are {', '.join(formats)}")
    return formats[name]


def with_suffix(suffixes: set[str], formats: Mapping[str, Formats]) -> list[Formats]:
    """The formats with one of these suffixes."""
    return [each for each in formats.values() if not suffixes.isdisjoint(each.suffixes)]


def is_by_product(place: Path) -> bool:
    """Whether a run or the operating system wrote a file beside the notes, by its path there."""
    name = place.name
    return name == MANIFEST or WORKSPACE in place.parts or name.startswith(_APPLE_DOUBLE)


def special_kind(path: Path) -> str:
    """The kind of special file at a path; empty for a regular file, a folder or nothing."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    return _KINDS.get(stat.S_IFMT(mode), "not a regular file")


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, without ever blocking on a named pipe.

    RAISES (OSError): If it cannot be opened or is not a regular file.
    """
    file = os.fdopen(os.open(path, os.O_RDONLY | _BINARY | _NO_WAIT), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return file


def read_bytes(path: Path) -> bytes:
    """The content of a regular file."""
    with open_regular(path) as file:
        return file.read()


class CsvRows(csv.DictReader):
    """The rows of an open CSV file with a header row.

    RAISES (FormatError): While it is read: if a row has more values than the header.
    """

    def __init__(self, path: Path, file: TextIO) -> None:
        super().__init__(file, strict=True)
        self.path = path

    @property
    def place(self) -> str:
        """Where the last row is, for messages."""
        return f"{self.path}, line {self.line_num}"

    def __next__(self) -> dict[str | Any, str | Any]:
        row = super().__next__()
        if any(row.get(None) or ()):  # an empty cell at the end does no harm
            raise FormatError(
                f"{self.place}: it has more cells than columns; put quotes around a value with a "
                "comma"
            )
        return row


@contextmanager
def open_csv(path: Path) -> Iterator[CsvRows]:
    """Open a CSV file in UTF-8 with a header row.

    RAISES (FormatError): Also while it is read: if it cannot be read, or is not CSV.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = CsvRows(path, file)
            yield reader
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        if "field limit" in str(error):
            raise FormatError(
                f"{path}, line {reader.line_num + 1}: a value is longer than "
                f"{csv.field_size_limit():,} characters; is a quote left open before it?"
            ) from None
        raise FormatError(f"{path} is not CSV in UTF-8") from error


def real_path(path: Path) -> Path:
    """A path without links; unlike `Path.resolve`, it takes a link to itself."""
    return Path(os.path.realpath(path))


def open_unlinked(path: Path, *, new: bool) -> BinaryIO:
    """Open a file for writing; a symbolic link at the path is removed, never followed.

    path (Path): The file.
    new (bool): Whether to create or truncate it; otherwise it must exist.
    RAISES (OSError): If it cannot be opened.
    """
    if path.is_symlink():
        path.unlink()
    begin = os.O_CREAT | os.O_TRUNC if new else 0
    return os.fdopen(os.open(path, os.O_RDWR | _BINARY | _NO_LINK | begin, 0o666), "r+b")


def make_parent(path: Path) -> None:
    """Make the folder that something is to be written into, before long work for it.

    RAISES (ValueError): If it is no folder, or nothing can be written into it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"{path} cannot be written, as {path.parent} is no folder") from None
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written, as you may not write into {path.parent}")


def check_output(path: Path) -> None:
    """Check that a file can replace what is at a path.

    RAISES (FormatError): If that is a device or a pipe, or leads to one.
    """
    # /dev/stdout leads to any file that the shell redirects it to
    stream = path.is_symlink() and os.path.abspath(path).startswith(("/dev/", "/proc/"))
    if kind := "a device" if stream else special_kind(path):
        raise FormatError(f"{path} is {kind}, but outputs are files: write one, then print it")


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Write to a temporary file that replaces `path` on success and is deleted on error.

    Of a link, the target is replaced.

    private (bool): Whether only its owner may read it.
    RAISES (FormatError): If there is a device or a pipe.
    """
    check_output(path)
    if path.is_symlink():
        path = real_path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid4().hex}.tmp")
    mode = 0o600 if private else 0o666
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
        os.replace(temporary, path)
    except OSError as error:
        if error.filename is None:  # as on a full disk
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def printable(text: str) -> str:
    """Escape control and format characters for display in a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
