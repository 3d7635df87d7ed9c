"""CSV and TSV: one note per row, with a header row.

All other cells stay, byte by byte; a changed cell is quoted if it was or has to be. A withheld text
becomes an empty cell. In a row with a stray quote or the wrong number of cells, all are emptied;
but many programs write TSV without quoting, so that a line that cannot be read with quotes, but has
the right number of tabs, is a row without quoting. Where lines can be read as one row with quotes
and as rows without, all are emptied: as one row, notes might be taken for another patient's.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO

from ..files import FormatError
from ..ids import id_text
from .base import Chunk, Fields, Record, RecordFormat, decode, share_known, unchanged, unreadable
from .columns import missing_column

_LONGEST = 1 << 27  # bytes of one row; a longer one lost its closing quote
_TAB = b"\t"
_QUOTED = re.compile(rb'[^"]*(?:""[^"]*)*"(?!")')  # to the closing quote; "" is a literal one


@dataclass
class _Row:
    """A row as raw bytes, so that what does not change stays byte by byte."""

    delimiter: bytes
    cells: list[bytes] = field(default_factory=list)  # its cells, with their quotes
    end: bytes = b""  # its line end
    valid: bool = True  # whether a delimiter follows each closing quote
    quoted: bool = True  # whether quotes enclose cells
    size: int = 0  # number of its bytes
    open: list[bytes] = field(default_factory=list)  # lines of a cell that is not closed

    def add(self, line: bytes) -> bool:
        """Add a line; returns whether the row is complete, with all quotes closed."""
        self.size += len(line)
        body, self.end = _split_end(line)
        at = 0
        while at <= len(body):
            stop = at
            if self.open or body.startswith(b'"', at):
                quoted = _QUOTED.match(body, at if self.open else at + 1)
                if not quoted:
                    self.open.append(line[at:])
                    return False
                stop = quoted.end()
            end = body.find(self.delimiter, stop)
            end = len(body) if end < 0 else end
            self.valid &= stop in (at, end)
            self.cells.append(b"".join([*self.open, body[at:end]]))
            self.open = []
            at = end + 1
        return True

    def fits(self, count: int) -> bool:
        """Whether the row can be read, and has this many cells."""
        return self.valid and len(self.cells) == count

    def may_fit(self, count: int) -> bool:
        """Whether the row, which is not complete, may do so with the lines that follow."""
        return self.valid and len(self.cells) < count

    def text(self, place: int) -> tuple[str, str]:
        """The text of a cell, and the error if it is not text."""
        text, error = decode(self.cells[place])
        return _unquote(text) if self.quoted else text, error

    def id(self, place: int) -> str:
        """The id in a cell, without quotes around it, so that it is the same in all rows."""
        return _unquote(self.cells[place].decode("utf-8", "backslashreplace"))

    def join(self, cells: Sequence[bytes]) -> bytes:
        """The row with other cells."""
        return self.delimiter.join(cells) + self.end


def _read_rows(file: BinaryIO, delimiter: bytes) -> Iterator[_Row]:
    ahead: deque[bytes] = deque()  # lines to read again, after a quote that encloses nothing

    def following() -> bytes:
        return ahead.popleft() if ahead else next(file, b"")

    count = 0
    while line := following():
        plain = _plain_row(line)
        readable = delimiter == _TAB and plain.fits(count)  # without quotes
        row, lines = _Row(delimiter), [line]
        complete = row.add(line)
        while (
            not complete
            and row.size <= _LONGEST
            and (row.may_fit(count) or not readable)
            and (line := following())
        ):
            lines.append(line)
            complete = row.add(line)
        if readable and not (complete and row.fits(count)):
            row, complete = plain, True
            ahead.extendleft(reversed(lines[1:]))
        if not complete:
            raise FormatError("a quote opens and never closes")
        count = count or len(row.cells)
        # In a file of one column, all lines fit, and as one row nothing stays unsearched.
        unsure = readable and row.quoted and count > 1 and len(lines) > 1
        rows = list(map(_plain_row, lines)) if unsure else []
        if rows and all(each.fits(count) for each in rows):
            yield from (replace(each, valid=False) for each in rows)
        else:
            yield row


def _plain_row(line: bytes) -> _Row:
    """A line of TSV whose quotes are signs like others."""
    body, end = _split_end(line)
    return _Row(_TAB, body.split(_TAB), end, quoted=False, size=len(line))


def _split_end(line: bytes) -> tuple[bytes, bytes]:
    """A line, and its end."""
    body = line.removesuffix(b"\n").removesuffix(b"\r")
    return body, line[len(body) :]


def _read(delimiter: bytes, file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    rows = _read_rows(file, delimiter)
    header = next(rows, None)
    if header is None:
        return
    if any(b"\r" in cell and not cell.startswith(b'"') for cell in header.cells):
        raise FormatError("its rows end in CR alone; save it with line ends of Unix or Windows")
    names = _names(header)
    if problem := missing_column(names, fields.needed, fields.setting_of):
        raise FormatError(f"it {problem}")
    places = [names.index(name) for name in fields.names]
    kept = tuple(name for name in names if name not in fields.names)
    yield unchanged(header.join(header.cells), kept)
    for number, row in enumerate(rows, 1):
        if row.cells == [b""]:
            yield unchanged(row.join(row.cells))
        elif not row.fits(len(names)):
            error = "its quotes or its number of cells are wrong"
            yield unreadable(str(number), error, row.size, row.join([b""] * len(names)))
        else:
            records = tuple(_record(row, place, str(number), names, fields) for place in places)
            if fields.known:
                records = share_known(records)
            yield Chunk(records, partial(_render, row, places), row.size)


def _columns(delimiter: bytes, file: BinaryIO, asked: Collection[str]) -> list[str]:
    return next((_names(header) for header in _read_rows(file, delimiter)), [])


def _names(header: _Row) -> list[str]:
    names = [_unquote(decode(cell)[0]).strip() for cell in header.cells]
    names[0] = _unquote(names[0].removeprefix("\ufeff"))
    return names


def _record(row: _Row, place: int, number: str, names: list[str], fields: Fields) -> Record:
    text, error = row.text(place)
    note_id, patient = (
        id_text(row.id(names.index(name))) if name and name in names else ""
        for name in (fields.id, fields.patient)
    )
    name = names[place]
    where, phi_type = fields.row(number, name), fields.type_of(name)
    return Record(
        text=id_text(text) if phi_type else text,
        row=where,
        id=note_id,
        patient_id=patient,
        error=error,
        note=number,
        type=phi_type,
    )


def _render(row: _Row, places: list[int], new: Sequence[str | None]) -> bytes:
    cells = list(row.cells)
    for place, text in zip(places, new, strict=True):
        old = row.text(place)[0]
        if text not in (old, id_text(old)):
            cells[place] = _cell(text or "", row, cells[place].startswith(b'"'))
    return row.join(cells)


def _cell(text: str, row: _Row, quoted: bool) -> bytes:
    """A cell for a row; `quoted` is whether the old one began with a quote."""
    cell = text.encode("utf-8")
    quoted = row.quoted and (quoted or cell.startswith(b'"'))
    if quoted or any(mark in cell for mark in (row.delimiter, b"\n", b"\r")):
        return b'"' + cell.replace(b'"', b'""') + b'"'
    return cell


def _unquote(cell: str) -> str:
    enclosed = len(cell) > 1 and cell.startswith('"') and cell.endswith('"')
    return cell[1:-1].replace('""', '"') if enclosed else cell


def _format(name: str, suffixes: tuple[str, ...], delimiter: bytes) -> RecordFormat:
    read, columns = partial(_read, delimiter), partial(_columns, delimiter)
    return RecordFormat(name, suffixes, False, read, columns=columns)


CSV = _format("csv", (".csv",), b",")
TSV = _format("tsv", (".tsv", ".tab"), b"\t")
