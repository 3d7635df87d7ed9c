"""Shared by all corpus formats: the `CorpusFormat` itself, problems with notes, and file names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..files import FileFormat, FormatError, is_by_product, printable, replacing, special_kind

_LONGEST_NAME = 200  # bytes; most file systems allow 255, suffix included
_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Problem:
    """A note that was set aside."""

    place: str  # its file, with the line or document number if the file holds several
    reason: str  # what is wrong, with the id of the wrong tag; never note text

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.reason}")  # names and ids are arbitrary text


@dataclass(frozen=True)
class CorpusFormat(FileFormat):
    """A format of annotated notes: four functions, two for files and two for single notes.

    A folder is of this format if it has files with one of its suffixes. A format without suffixes
    is only used by name, as other formats have files with the same suffix.

    folder (bool): Whether it is written as a folder, with one or more files per note.
    entries (Callable): From a path to an iterator of pairs (place, raw note).
    load (Callable): From a raw note to the note, with labels as in the file. Raises FormatError,
        OSError or UnicodeError on failure.
    dump (Callable): From a note to the input of `save`. Raises FormatError or UnicodeError if the
        format cannot represent the note.
    save (Callable): Writes the dumped notes to a path.
    """

    folder: bool
    entries: Callable[[Path], Iterator[tuple[str, Any]]]
    load: Callable[[Any], Note]
    dump: Callable[[Note], Any]
    save: Callable[[Path, Iterable[Any]], None]


def check_path(path: Path) -> None:
    """Check that a path is a file or a folder, not a pipe, which would block.

    RAISES (ValueError): If it is not.
    """
    if kind := special_kind(path):
        raise ValueError(f"{path} is {kind}; name a file or a folder")
    if not path.exists():
        raise ValueError(f"there is no file or folder {path}")


def files_at(path: Path) -> list[Path]:
    """The file at `path`, or the files of a folder, sorted, without hidden ones and by-products."""
    if not path.is_dir():
        return [path]
    files = [file for file in path.iterdir() if not file.name.startswith(".") and file.is_file()]
    return sorted(file for file in files if not is_by_product(file.relative_to(path)))


def note_files(path: Path, *suffixes: str) -> list[Path]:
    """The file at `path`, or the files of a folder with one of `suffixes`, sorted.

    RAISES (ValueError): If the folder has none.
    """
    files = files_at(path)
    if path.is_dir():
        files = [file for file in files if file.suffix.lower() in suffixes]
    if not files:
        raise ValueError(f"there are no {' or '.join(suffixes)} files in {path}")
    return files


def one_per_note(suffix: str, path: Path) -> Iterator[tuple[str, Path]]:
    """The files with a suffix at `path`, for formats with one file per note."""
    for file in note_files(path, suffix):
        yield str(file), file


def file_name(note_id: str, suffix: str) -> str:
    """The name of a note's file.

    RAISES (FormatError): If the id is not a valid file name.
    """
    if not note_id or note_id.startswith("."):
        raise FormatError("its id is empty or begins with a dot, so no file can be named after it")
    if any(char in "/\\" or unicodedata.category(char) == "Cc" for char in note_id):
        raise FormatError("its id holds a slash or control character, so it cannot name a file")
    if len(note_id.encode("utf-8")) > _LONGEST_NAME:
        raise FormatError(f"its id is longer than the {_LONGEST_NAME} bytes a file name may have")
    return note_id + suffix


def check_covered(text: str, spans: Sequence[PhiSpan], covered: str) -> None:
    """Check that `spans` cover the text given by their tag, white space normalized.

    RAISES (FormatError): If they differ.
    """
    stretch = " ".join(text[span.start : span.end] for span in spans)
    if _WHITE_SPACE.sub(" ", stretch) != _WHITE_SPACE.sub(" ", covered):
        raise FormatError(
            f"tag {spans[0].id} covers other text than it says; are its offsets right?"
        )


def save_folder(path: Path, dumped: Iterable[dict[str, bytes]]) -> None:
    """Write notes into a folder, each as a mapping of file names to contents."""
    path.mkdir(parents=True, exist_ok=True)
    for files in dumped:
        for name, content in files.items():
            with replacing(path / name) as file:
                file.write(content)
