"""What all corpus formats share: the `Format` itself, problems with notes, and names of files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..files import FileFormat, FormatError, printable, replacing, special_kind

_LONGEST_NAME = 200  # bytes; file systems take 255, suffix included
_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Problem:
    """A note that was set aside.

    place (str): Its file, with the number of the line or document if the file holds several.
    reason (str): What is wrong, with the id of the wrong tag; never note text.
    """

    place: str
    reason: str

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.reason}")  # names and ids may hold anything


@dataclass(frozen=True)
class Format(FileFormat):
    """A format of annotated notes, as four functions: two for the files, two for one note.

    A folder with files of one of its suffixes is of this format.

    folder (bool): Whether it is written as a folder, a file (or more) per note.
    entries (Callable): From a path to pairs (place, raw note), one by one.
    load (Callable): From a raw note to the note, its labels as they stand in the file. Raises
        FormatError, OSError or UnicodeError where that fails.
    dump (Callable): From a note to what `save` takes. Raises FormatError or UnicodeError where the
        format cannot hold the note.
    save (Callable): Writes the dumped notes to a path.
    """

    folder: bool
    entries: Callable[[Path], Iterator[tuple[str, Any]]]
    load: Callable[[Any], Note]
    dump: Callable[[Note], Any]
    save: Callable[[Path, Iterable[Any]], None]


def check_path(path: Path) -> None:
    """Check that there is a file or a folder at a path, not a pipe, which would block.

    RAISES (ValueError): If there is not.
    """
    if kind := special_kind(path):
        raise ValueError(f"{path} is {kind}; name a file or a folder")
    if not path.exists():
        raise ValueError(f"there is no file or folder {path}")


def note_files(path: Path, *suffixes: str) -> list[Path]:
    """The file at `path`, or the files of a folder that end in one of `suffixes`, sorted.

    RAISES (ValueError): If the folder holds none.
    """
    if not path.is_dir():
        return [path]
    files = [file for file in path.iterdir() if _is_visible(file) and _suffix(file) in suffixes]
    if not files:
        raise ValueError(f"there are no {' or '.join(suffixes)} files in {path}")
    return sorted(files)


def suffixes_at(path: Path) -> set[str]:
    """The suffix of the file at `path`, or those of the files in a folder, in lower case."""
    if not path.is_dir():
        return {_suffix(path)}
    return {_suffix(file) for file in path.iterdir() if _is_visible(file)}


def file_name(note_id: str, suffix: str) -> str:
    """The name of a note's file.

    RAISES (FormatError): If the id cannot be a file name on its own.
    """
    if not note_id or note_id.startswith("."):
        raise FormatError("its id is empty or begins with a dot, so no file can be named after it")
    if any(char in "/\\" or unicodedata.category(char) == "Cc" for char in note_id):
        raise FormatError("its id holds a slash or control character, so it cannot name a file")
    if len(note_id.encode("utf-8")) > _LONGEST_NAME:
        raise FormatError(f"its id is longer than the {_LONGEST_NAME} bytes a file name may have")
    return note_id + suffix


def check_covered(text: str, spans: Sequence[PhiSpan], covered: str) -> None:
    """Compare what `spans` cover with the text of their tag; any white space counts as one blank.

    RAISES (FormatError): If they differ.
    """
    stretch = " ".join(text[span.start : span.end] for span in spans)
    if _WHITE_SPACE.sub(" ", stretch) != _WHITE_SPACE.sub(" ", covered):
        raise FormatError(
            f"tag {spans[0].id} covers other text than it says; are its offsets right?"
        )


def save_folder(path: Path, dumped: Iterable[dict[str, bytes]]) -> None:
    """Write notes into a folder, each given as the contents of its files by name."""
    path.mkdir(parents=True, exist_ok=True)
    for files in dumped:
        for name, content in files.items():
            with replacing(path / name) as file:
                file.write(content)


def _is_visible(file: Path) -> bool:
    return not file.name.startswith(".") and file.is_file()


def _suffix(file: Path) -> str:
    return file.suffix.lower()
