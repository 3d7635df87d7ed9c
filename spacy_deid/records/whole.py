"""One note per file: plain text in UTF-8, and the XML of the i2b2 corpora.

A withheld note has no file. Tags are not written, as they quote PHI and count characters of the old
text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from ..xml import parse_i2b2, render_i2b2
from .base import Chunk, Fields, Record, RecordFormat, decode


def _read_text(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    data = file.read()
    text, error = decode(data)
    yield Chunk((Record(text=text, error=error),), lambda new: (new[0] or "").encode(), len(data))


def _read_xml(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    data = file.read()
    _, text = parse_i2b2(data)
    yield Chunk((Record(text=text),), _render_xml, len(data))


def _render_xml(new: Sequence[str | None]) -> bytes:
    return b"" if new[0] is None else render_i2b2(new[0])


TEXT = RecordFormat("text", (".txt",), True, _read_text)
I2B2 = RecordFormat("i2b2", (".xml",), True, _read_xml)
