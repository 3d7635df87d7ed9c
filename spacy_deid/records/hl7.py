r"""HL7 version 2: the text of observations (OBX-5 of the types TX, FT and ST) and notes (NTE-3).

Reports that stand line by line in OBX segments, and notes in NTE segments, are read as one text; if
PHI went over the end of a line, the lines behind it move up. Embedded documents (type ED) are
emptied, and so are a text that is withheld and a line that is no segment. All else stays: the PID
segment with the patient's name, too.

Escapes do not hide what stands beside them: one that formats is searched as a blank of its own
kind, one for a delimiter as the wide form of that sign, and both are written back as they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from .base import Chunk, Fields, Format, Record, RecordError, decode

_BLOCK = 1 << 16
_FRAME = b"\xef\xbb\xbf\x0b\x1c"  # marks around a file, and around a message that is sent
_VALUE = {b"OBX": 5, b"NTE": 3}
_TEXTS = (b"TX", b"FT", b"ST", b"")
_LINES = (b"TX", b"FT", b"NTE")
_NONE = b"none"  # of a line that is no segment
_BROKEN = "a line that is no segment cannot be read"
_ENDS = re.compile(rb"[\r\n]")
_SEGMENT = re.compile(rb"[A-Z][A-Z0-9]{2}")
_ESCAPE = re.compile(
    r"~|\\(?:\.[A-Za-z]{2}[ ]?[+-]?[0-9]{0,4}|[HNFSTRE]|(?P<hex>X(?:[0-9A-Fa-f]{2}){1,64}))\\"
)
# A line feed stands between segments, so other breaks have to be told from it.
_MARKS = {
    "\\.br\\": "\r",
    "~": "\x0b",
    "\\F\\": "\uff5c",
    "\\S\\": "\uff3e",
    "\\T\\": "\uff06",
    "\\R\\": "\uff5e",
    "\\E\\": "\uff3c",
}
_BLANKS = "\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
"""White space that no report holds, one for each other kind of escape in a text."""


@dataclass
class _Text:
    """A text, and the segments that it stands in."""

    kind: bytes
    row: str
    segments: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    error: str = ""
    marks: dict[str, str] = field(default_factory=lambda: dict(_MARKS))

    def read(self, line: str) -> str:
        """A line with a sign for each escape."""
        return _ESCAPE.sub(self._mark, line)

    def write(self, line: str, bar: str) -> str:
        """A line with its escapes."""
        for escape, mark in self.marks.items():
            line = line.replace(mark, escape)
        return line.replace(bar, "\\F\\")

    def _mark(self, match: re.Match[str]) -> str:
        escape = match[0]
        if escape not in self.marks:
            if match["hex"] and (letters := _letters(match["hex"])):
                return letters
            used = len(self.marks) - len(_MARKS)
            if used == len(_BLANKS):
                self.error = self.error or "it has too many kinds of escapes"
                return " "
            self.marks[escape] = _BLANKS[used]
        return self.marks[escape]


def read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The messages of a file."""
    message: list[bytes] = []
    number, begun = 0, False
    for segment in _segments(file):
        name = segment.lstrip(_FRAME)[:3]
        if name in (b"MSH", b"FHS", b"BHS"):
            if begun:
                yield _chunk(message, number)
                message = []
            number, begun = number + (name == b"MSH"), True
        elif not begun and segment.strip(_FRAME + b"\r\n "):
            raise RecordError("it does not begin with an HL7 header")
        message.append(segment)
    if begun:
        yield _chunk(message, number)


def _segments(file: BinaryIO) -> Iterator[bytes]:
    """The segments of a file with their ends: CR, LF or both."""
    rest: list[bytes] = []  # the blocks of a segment whose end was not read yet
    while block := file.read(_BLOCK):
        if rest and not rest[-1].endswith(b"\r") and not _ENDS.search(block):
            rest.append(block)
            continue
        *whole, last = (b"".join(rest) + block).splitlines(keepends=True)
        if last.endswith(b"\n"):
            whole, last = [*whole, last], b""
        yield from whole
        rest = [last] if last else []
    if rest:
        yield b"".join(rest)


def _chunk(message: list[bytes], number: int) -> Chunk:
    bar = next(filter(None, (segment.strip(_FRAME + b"\r\n ") for segment in message)), b"")[3:4]
    rows = [_split(segment, bar) for segment in message]
    texts = _texts(rows, number)
    patient = next((row[3].partition(b"^")[0] for row in rows if row[0] == b"PID" and row[4:]), b"")
    records = tuple(
        Record("\n".join(text.lines), text.row, "", decode(patient)[0], text.error)
        for text in texts
    )

    def render(new: Sequence[str | None]) -> bytes:
        changed = [list(row) for row in rows]
        for text, value in zip(texts, new, strict=True):
            for segment, line in zip(text.segments, _spread(text, value), strict=True):
                row = changed[segment]
                if text.kind == _NONE:
                    changed[segment] = [b"", row[-1]]
                else:
                    row[_VALUE[row[0]]] = text.write(line, bar.decode("latin-1")).encode("utf-8")
        return b"".join(bar.join(row[:-1]) + row[-1] for row in changed)

    seen = {segment for text in texts for segment in text.segments}
    kept = dict.fromkeys(_name(row) for number, row in enumerate(rows) if number not in seen)
    return Chunk(records, render, sum(map(len, message)), tuple(filter(None, kept)))


def _name(row: list[bytes]) -> str:
    """What stays, in words: a segment, or a type of observation."""
    name = row[0].strip(_FRAME)
    kind = row[2] if name == b"OBX" and row[3:] else b""
    return decode(b"segment " + name + (b" of type " + kind if kind else b""))[0] if name else ""


def _split(segment: bytes, bar: bytes) -> list[bytes]:
    """The fields of a segment, and its end."""
    body = segment.rstrip(b"\r\n")
    return [*body.split(bar), segment[len(body) :]]


def _texts(rows: list[list[bytes]], message: int) -> list[_Text]:
    """The texts of a message; one that goes on in the next segment is continued."""
    texts: list[_Text] = []
    last: _Text | None = None
    for number, row in enumerate(rows):
        if not _SEGMENT.fullmatch(row[0].strip(_FRAME)):
            last = None
            if any(cell.strip(_FRAME + b" \t") for cell in row[:-1]):
                texts.append(_Text(_NONE, f"{message}/[{number}]", [number], [""], _BROKEN))
            continue
        place = _VALUE.get(row[0])
        kind = row[2] if row[0] == b"OBX" and row[3:] else row[0]
        if place is None or len(row) < place + 2 or kind not in (*_TEXTS, b"ED", b"NTE"):
            last = None
            continue
        if last is None or last.kind != kind or kind not in _LINES:
            last = _Text(kind, f"{message}/{row[0].decode('ascii')}[{number}]")
            texts.append(last)
        line, error = decode(row[place])
        last.segments.append(number)
        last.lines.append(last.read(line))
        last.error = last.error or error
        if kind == b"ED":
            last.error = "an embedded document cannot be redacted"
    return texts


def _spread(text: _Text, value: str | None) -> list[str]:
    """The lines of a new text, one for each segment."""
    lines = (value or "").split("\n")
    count = len(text.segments)
    if len(lines) > count:
        lines = [*lines[: count - 1], "\r".join(lines[count - 1 :])]
    return lines + [""] * (count - len(lines))


def _letters(code: str) -> str:
    """What bytes in hexadecimal stand for; empty if they are no letters and signs."""
    try:
        letters = bytes.fromhex(code[1:]).decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return letters if letters.isprintable() else ""


HL7 = Format("hl7", (".hl7",), False, read)
