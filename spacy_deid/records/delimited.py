"""CSV and TSV: one note per row, with a header row.

All other cells stay, byte by byte; a changed cell is quoted if it was or has to be. A withheld text
becomes an empty cell. In a row with a stray quote or the wrong number of cells, all are emptied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import BinaryIO

from ..files import FormatError
from .base import Chunk, Fields, Format, Record, decode, id_text
from .rows import Row, read_rows


def _read(delimiter: bytes, file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    rows = read_rows(file, delimiter)
    header = next(rows, None)
    if header is None:
        return
    if any(b"\r" in cell and not cell.startswith(b'"') for cell in header.cells):
        raise FormatError("its rows end in CR alone; save it with line ends of Unix or Windows")
    names = _names(header)
    places = [_place(name, names) for name in fields.text]
    if fields.patient:
        _place(fields.patient, names)
    kept = tuple(name for name in names if name not in fields.text)
    yield Chunk((), partial(_as_is, header, delimiter), header.size, kept)
    for number, row in enumerate(rows, 1):
        if row.cells == [b""]:
            yield Chunk((), partial(_as_is, row, delimiter), row.size)
        elif not row.sound or len(row.cells) != len(names):
            yield _withheld(row, str(number), len(names), delimiter)
        else:
            records = tuple(_record(row, place, str(number), names, fields) for place in places)
            yield Chunk(records, partial(_render, row, places, delimiter), row.size)


def _columns(delimiter: bytes, file: BinaryIO) -> list[str]:
    return next((_names(header) for header in read_rows(file, delimiter)), [])


def _names(header: Row) -> list[str]:
    names = [_unquote(decode(cell)[0]).strip() for cell in header.cells]
    names[0] = _unquote(names[0].removeprefix("\ufeff"))
    return names


def _place(name: str, names: Sequence[str]) -> int:
    """The number of a column. Errors do not quote the first row, which may not be a header."""
    if names.count(name) != 1:
        raise FormatError(
            f"its first row names {names.count(name)} columns '{name}' among {len(names)}; "
            "choose the column of the notes with fields.text"
        )
    return names.index(name)


def _withheld(row: Row, number: str, width: int, delimiter: bytes) -> Chunk:
    reason = "its quotes or its number of cells are wrong"
    empty = delimiter * (width - 1) + row.end
    return Chunk((Record("", number, error=reason),), lambda _: empty, row.size)


def _record(row: Row, place: int, number: str, names: list[str], fields: Fields) -> Record:
    text, error = decode(row.cells[place])
    note_id, patient = (
        id_text(_unquote(decode(row.cells[names.index(name)])[0])) if name and name in names else ""
        for name in (fields.id, fields.patient)
    )
    return Record(_unquote(text), fields.row(number, names[place]), note_id, patient, error, number)


def _as_is(row: Row, delimiter: bytes, _: Sequence[str | None]) -> bytes:
    return delimiter.join(row.cells) + row.end


def _render(row: Row, places: list[int], delimiter: bytes, new: Sequence[str | None]) -> bytes:
    cells = list(row.cells)
    for place, text in zip(places, new, strict=True):
        if text is None or text != _unquote(decode(cells[place])[0]):
            cells[place] = _quote(text or "", delimiter, cells[place].startswith(b'"'))
    return delimiter.join(cells) + row.end


def _quote(text: str, delimiter: bytes, quoted: bool) -> bytes:
    cell = text.encode("utf-8")
    if quoted or cell.startswith(b'"') or any(mark in cell for mark in (delimiter, b"\n", b"\r")):
        return b'"' + cell.replace(b'"', b'""') + b'"'
    return cell


def _unquote(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


CSV = Format("csv", (".csv",), False, partial(_read, b","), columns=partial(_columns, b","))
TSV = Format(
    "tsv",
    (".tsv", ".tab"),
    False,
    partial(_read, b"\t"),
    columns=partial(_columns, b"\t"),
)
