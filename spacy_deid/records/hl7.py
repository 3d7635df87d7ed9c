r"""HL7 version 2: the text of observations (OBX-5 of the types TX, FT and ST) and notes (NTE-3).

Reports that stand line by line in OBX segments, and notes in NTE segments, are read as one text; if
PHI went over the end of a line, the lines behind it move up. Embedded documents (type ED) are
emptied, and so are a text that is withheld and a line that is no segment. All else stays: the PID
segment with the patient's name, too.
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
_SEGMENT = re.compile(rb"[A-Z][A-Z0-9]{2}")
_BREAK = "\\.br\\"
# A line feed stands between segments, so other breaks have to be told from it.
_BREAKS = {_BREAK: "\r", "~": "\x0b"}


@dataclass
class _Text:
    """A text, and the segments that it stands in."""

    kind: bytes
    row: str
    segments: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    error: str = ""


def read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The messages of a file."""
    message: list[bytes] = []
    number = 0
    for segment in _segments(file):
        name = segment.lstrip(_FRAME)[:3]
        if name in (b"MSH", b"FHS", b"BHS"):
            if message:
                yield _chunk(message, number)
            message, number = [], number + (name == b"MSH")
        elif not number and not message and segment.strip(_FRAME + b"\r\n "):
            raise RecordError("it does not begin with an HL7 header")
        message.append(segment)
    if message:
        yield _chunk(message, number)


def _segments(file: BinaryIO) -> Iterator[bytes]:
    """The segments of a file with their ends: CR, LF or both."""
    rest = b""
    while block := file.read(_BLOCK):
        *whole, rest = (rest + block).splitlines(keepends=True)
        if rest.endswith(b"\n"):
            whole, rest = [*whole, rest], b""
        yield from whole
    if rest:
        yield rest


def _chunk(message: list[bytes], number: int) -> Chunk:
    bar = message[0].lstrip(_FRAME)[3:4]
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
                    row[_VALUE[row[0]]] = _escape(line, bar.decode("latin-1")).encode("utf-8")
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
        last.lines.append(_unescape(line))
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


def _unescape(line: str) -> str:
    for code, char in _BREAKS.items():
        line = line.replace(code, char)
    return line


def _escape(line: str, bar: str) -> str:
    for code, char in _BREAKS.items():
        line = line.replace(char, code)
    return line.replace(bar, "\\F\\")


HL7 = Format("hl7", (".hl7",), False, read)
