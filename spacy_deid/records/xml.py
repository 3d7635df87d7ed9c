"""The XML of the i2b2 corpora, one note per file. A withheld note has no file.

Tags are not written, as they quote PHI and count characters of the old text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from ..annotation.notes import Note
from ..corpora.i2b2 import dump, parse
from .base import Chunk, Fields, Format, Record


def read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The one note of a file."""
    data = file.read()
    _, text = parse(data)
    yield Chunk((Record(text),), _render, len(data))


def _render(new: Sequence[str | None]) -> bytes:
    if new[0] is None:
        return b""
    (data,) = dump(Note("note", new[0])).values()
    return data


I2B2 = Format("i2b2", (".xml",), True, read)
