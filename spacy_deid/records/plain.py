"""Plain text in UTF-8, one note per file. A withheld note has no file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from .base import Chunk, Fields, Format, Record, decode


def read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The one note of a file."""
    data = file.read()
    text, error = decode(data)
    yield Chunk((Record(text, error=error),), lambda new: (new[0] or "").encode(), len(data))


TEXT = Format("text", (".txt",), True, read)
