r"""HL7 version 2: the text of observations and notes.

Texts are OBX-5 of the types TX, FT and ST, or without one, NTE-3 and DSP-3. A short ST with units,
a range or a flag is a result, such as "5-10" or "Amber", and stays.

Reports in consecutive OBX segments, and notes in NTE segments, are read as one text; if PHI spanned
a line end, the lines after it move up. Embedded documents (type ED), withheld texts and lines that
are not segments are emptied. Long components of other fields are texts, too. Everything else stays,
including the PID segment with the patient's name, unless structured fields are to be redacted
(`hl7_fields`). A message whose header does not define its delimiters is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from io import TextIOWrapper
from itertools import groupby
from typing import BinaryIO, NamedTuple

from ..files import FormatError
from .base import (
    RESULT,
    Chunk,
    Fields,
    Record,
    RecordFormat,
    decode,
    holds_base64,
    unreadable,
    with_known,
)
from .hl7_escapes import Delimiters, Escapes
from .hl7_fields import (
    DOCUMENT,
    NULL,
    Component,
    find_components,
    is_free_text,
    may_be_text,
    replace_components,
)

_FRAME = b"\xef\xbb\xbf\x0b\x1c"  # marks around a file, and around a message that is sent
_VALUE = {b"OBX": 5, b"NTE": 3, b"DSP": 3}
_TEXTS = (b"TX", b"FT", b"ST", b"")
_LINES = (b"TX", b"FT", b"NTE", b"DSP")
_PATIENT = {b"PID": 3, b"MRG": 1}
"""Fields with the ids of a patient; MRG is about the one that is merged into that of PID."""

_DOCUMENT = b"ED"
_NONE = b"none"  # a line that is not a segment
_BROKEN = "a line that is not a segment cannot be read"
_LAST_LINE = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}").fullmatch  # of base64
_SEGMENT = re.compile(rb"[A-Z][A-Z0-9]{2}")
_TYPE = re.compile(rb"[A-Z]{1,3}").fullmatch


@dataclass
class _Text:
    """A text, and its segments."""

    kind: bytes
    row: str
    segments: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    error: str = ""


class _Owner(NamedTuple):
    """Whom a segment is about."""

    note: str  # number of the message, and of the patient if it is about several
    patient: str


def _read(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The messages of a file."""
    message: list[bytes] = []
    number, begun = 0, False
    for segment in _segments(file):
        name = segment.lstrip(_FRAME + b" \t")[:3]
        if name in (b"MSH", b"FHS", b"BHS"):
            if begun:
                yield _chunk(message, number, fields)
                message = []
            number, begun = number + (name == b"MSH"), True
        elif not begun and segment.strip(_FRAME + b"\r\n "):
            raise FormatError("it does not begin with an HL7 header")
        message.append(segment)
    if begun:
        yield _chunk(message, number, fields)


def _segments(file: BinaryIO) -> Iterator[bytes]:
    """The segments of a file with their ends: CR, LF or both."""
    lines = TextIOWrapper(file, "latin-1", newline="")  # which keeps all bytes and line ends
    try:
        for line in lines:
            yield line.encode("latin-1")
    finally:
        with suppress(ValueError):  # the file is closed already
            lines.detach()


def _chunk(message: list[bytes], number: int, fields: Fields) -> Chunk:
    size = sum(map(len, message))
    header = next(filter(None, (segment.strip(_FRAME + b"\r\n") for segment in message)), b"")
    try:
        signs = Delimiters.read(header)
    except ValueError as error:
        return unreadable(f"{number}/header", str(error), size)
    rows = [_split(segment, signs.field.encode("ascii")) for segment in message]
    owners = _owners(rows, signs, number)
    texts = [(text, Escapes(signs, text.lines)) for text in _texts(rows, number)]
    found = _components(rows, signs, [text for text, _ in texts])
    components = found if fields.structured else _free_text(found)
    records = (
        *(component.record(number, *owners[component.segment]) for component in components),
        *(_record(text, escapes, *owners[text.segments[0]]) for text, escapes in texts),
    )
    if fields.known:
        known = filter(Component.is_known, found)
        records = with_known(
            records, ((owners[each.segment].note, each.type, each.text) for each in known)
        )
    return Chunk(
        records,
        partial(_render, rows, signs, components, texts),
        size,
        _kept(rows, [text for text, _ in texts], {each.segment for each in components}),
    )


def _record(text: _Text, escapes: Escapes, note: str, patient: str) -> Record:
    return Record(
        text="\n".join(map(escapes.decode, text.lines)),
        row=text.row,
        patient_id=patient,
        error=text.error or escapes.error,  # the latter is known now
        note=note,
    )


def _render(
    rows: list[list[bytes]],
    signs: Delimiters,
    components: list[Component],
    texts: list[tuple[_Text, Escapes]],
    new: Sequence[str | None],
) -> bytes:
    """The message with new values in the place of its components and texts."""
    changed = [list(row) for row in rows]
    changes = zip(components, new, strict=False)
    for (segment, at), those in groupby(changes, lambda each: (each[0].segment, each[0].field)):
        changed[segment][at] = replace_components(rows[segment][at], those, signs)
    for (text, escapes), value in zip(texts, new[len(components) :], strict=True):
        for segment, line in zip(text.segments, _spread(text, value), strict=True):
            row = changed[segment]
            if text.kind == _NONE:
                changed[segment] = [b"", row[-1]]
            else:
                row[_VALUE[_name(row)]] = escapes.encode(line).encode("utf-8")
    return b"".join(signs.field.encode("ascii").join(row[:-1]) + row[-1] for row in changed)


def _components(rows: list[list[bytes]], signs: Delimiters, texts: list[_Text]) -> list[Component]:
    """The PHI and the free text of a message beside its reports and notes."""
    value = _VALUE[b"OBX"]
    left = {(each, _VALUE.get(_name(rows[each]), 0)) for text in texts for each in text.segments}
    left |= {
        (number, value)
        for number, row in enumerate(rows)
        if _name(row) == b"OBX" and _kind(row) == b"NM" and not any(map(may_be_text, row))
    }
    names = [name if _SEGMENT.fullmatch(name) else b"" for name in map(_name, rows)]
    return list(find_components(rows, names, signs, left))


def _free_text(found: list[Component]) -> list[Component]:
    """What may be a text, also in fields that are PHI by definition."""
    return [replace(each, type="") for each in found if not each.type or may_be_text(each.text)]


def _owners(rows: list[list[bytes]], signs: Delimiters, message: int) -> list[_Owner]:
    """The note and the patient of each segment: those of the PID before it, else of the first.

    The patient of MRG is its own, as it had surrogates before it was merged.
    """
    starts = [number for number, row in enumerate(rows) if _name(row) == b"PID"]
    patients = [
        _Owner(f"{message}/{number}" if number else str(message), _patient(rows[start], signs))
        for number, start in enumerate(starts)
    ] or [_Owner(str(message), "")]
    owners = [patients[max(bisect_right(starts, number) - 1, 0)] for number in range(len(rows))]
    return [
        owner._replace(patient=_patient(row, signs) or owner.patient)
        for row, owner in zip(rows, owners, strict=True)
    ]


def _patient(row: list[bytes], signs: Delimiters) -> str:
    """The first id in a segment that has those of a patient."""
    number = _PATIENT.get(_name(row), len(row))
    cell = decode(row[number])[0] if row[number + 1 :] else ""
    ids = [each.partition(signs.component)[0].strip() for each in cell.split(signs.repetition)]
    return next((each for each in ids if each not in ("", NULL)), "")


def _kept(rows: list[list[bytes]], texts: list[_Text], redacted: set[int]) -> tuple[str, ...]:
    """What stays, in words: segments, types of observations, and other fields of texts.

    redacted (set[int]): Numbers of the segments with redacted fields.
    """
    kinds = {segment: text.kind for text in texts for segment in text.segments}
    names: dict[str, None] = {}
    for number, row in enumerate(rows):
        name = decode(_name(row))[0]
        if number in kinds:
            name = "" if kinds[number] == _NONE else f"other fields of segment {name}"
        elif number in redacted:
            name = f"other fields of segment {name}"
        elif name:
            kind = _kind(row) if name == "OBX" else b""
            name = f"segment {name}" + (f" of type {decode(kind)[0]}" if _TYPE(kind) else "")
        names[name] = None
    return tuple(filter(None, names))


def _name(row: list[bytes]) -> bytes:
    return row[0].strip(_FRAME)


def _kind(row: list[bytes]) -> bytes:
    """The type of the value of an OBX segment; empty if it has none."""
    return row[2].strip().upper() if row[3:] else b""


def _split(segment: bytes, bar: bytes) -> list[bytes]:
    """The fields of a segment, and its end."""
    body = segment.rstrip(b"\r\n\x1c")
    return [*body.split(bar), segment[len(body) :]]


def _texts(rows: list[list[bytes]], message: int) -> list[_Text]:
    """The texts of a message, across consecutive segments."""
    texts: list[_Text] = []
    last: _Text | None = None
    for number, row in enumerate(rows):
        name = _name(row)
        if not _SEGMENT.fullmatch(name):
            last = None
            if any(cell.strip(_FRAME + b" \t") for cell in row[:-1]):
                texts.append(_Text(_NONE, f"{message}/[{number}]", [number], [""], _BROKEN))
            continue
        place = _VALUE.get(name)
        kind = _kind(row) if name == b"OBX" else name
        if (
            place is None
            or len(row) < place + 2
            or kind not in (*_TEXTS, _DOCUMENT, b"NTE", b"DSP")
            or (kind == b"ST" and _is_result(row))
        ):
            last = None
            continue
        line, error = decode(row[place])
        if holds_base64(line) or (
            last and last.kind == _DOCUMENT and _goes_on(rows[number - 1], row)
        ):
            kind = _DOCUMENT
        if last is None or last.kind != kind or kind not in _LINES:
            last = _Text(kind, f"{message}/{name.decode('ascii')}[{number}]")
            texts.append(last)
        last.segments.append(number)
        last.lines.append(line)
        last.error = last.error or error
        if kind == _DOCUMENT:
            last.error = DOCUMENT
    return texts


def _goes_on(before: list[bytes], row: list[bytes]) -> bool:
    """Whether a segment holds the last line of the document before it, which may be short."""
    place = _VALUE[_name(row)]
    what = slice(2, min(place, 4))  # what is observed
    same = _name(before) == _name(row) and before[what] == row[what]
    return same and _LAST_LINE(row[place]) is not None


def _is_result(row: list[bytes]) -> bool:
    """Whether an OBX segment holds a short result: it has units, a range or a flag."""
    measured = any(cell.strip() for cell in row[6:-1][:3])
    return measured and not is_free_text(row[5]) and RESULT(decode(row[5])[0]) is not None


def _spread(text: _Text, value: str | None) -> list[str]:
    """The lines of a new text, one for each segment."""
    lines = (value or "").split("\n")
    count = len(text.segments)
    if len(lines) > count:
        lines = [*lines[: count - 1], "\r".join(lines[count - 1 :])]
    return lines + [""] * (count - len(lines))


HL7 = RecordFormat("hl7", (".hl7",), False, _read, structured=True)
