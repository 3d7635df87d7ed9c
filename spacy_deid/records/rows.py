"""The rows of delimited text as raw bytes, so that what does not change stays byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from ..files import FormatError

_LONGEST = 1 << 27  # bytes of one row; a longer one lost its closing quote


@dataclass
class Row:
    """A row.

    cells (list[bytes]): Its raw cells, with their quotes.
    end (bytes): Its line end.
    sound (bool): Whether nothing but a delimiter follows each closing quote.
    size (int): Number of its bytes.
    """

    cells: list[bytes] = field(default_factory=list)
    end: bytes = b""
    sound: bool = True
    size: int = 0
    _open: list[bytes] = field(default_factory=list)

    def add(self, line: bytes, delimiter: bytes) -> bool:
        """Add a line; returns whether the row is complete, with all quotes closed."""
        self.size += len(line)
        body = line.removesuffix(b"\n").removesuffix(b"\r")
        self.end = line[len(body) :]
        at = 0
        while at <= len(body):
            stop = at
            if self._open or body.startswith(b'"', at):
                closing = _closing(body, at if self._open else at + 1)
                if closing < 0:
                    self._open.append(line[at:])
                    return False
                stop = closing + 1
            end = body.find(delimiter, stop)
            end = len(body) if end < 0 else end
            self.sound &= stop in (at, end)
            self.cells.append(b"".join([*self._open, body[at:end]]))
            self._open = []
            at = end + 1
        return True


def _closing(body: bytes, at: int) -> int:
    """Where a quoted cell closes, or -1; a doubled quote is a literal one."""
    while True:
        at = body.find(b'"', at)
        if at < 0 or body[at + 1 : at + 2] != b'"':
            return at
        at += 2


def read_rows(file: BinaryIO, delimiter: bytes) -> Iterator[Row]:
    """The rows of a file.

    RAISES (FormatError): If a quote opens and never closes.
    """
    row, whole = Row(), True
    for line in file:
        whole = row.add(line, delimiter)
        if whole:
            yield row
            row = Row()
        elif row.size > _LONGEST:
            break
    if not whole:
        raise FormatError("a quote opens and never closes")
