"""JSON lines: `{"id": …, "text": …, "spans": [{"start": …, "end": …, "label": …}]}` on each line.

Other keys are ignored, except a span's "text", which must match the note. "spans" is optional, but
a line that has its annotations under another key is set aside, as its PHI would be lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..files import FormatError, replacing
from .base import CorpusFormat, check_covered, note_files

DOCCANO_KEYS = ("label", "labels", "entities")
"""Keys of doccano's for the PHI of a note."""
_OFFSETS = ("start", "begin", "offset")
_NO_PHI = ("tokens", "sents")  # the tokens of Prodigy; both in the JSON of spaCy


def entries(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file, or of each file of a folder."""
    for file in note_files(path, ".jsonl"):
        # Binary mode ends lines at LF only; a note may contain other line separators.
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{file}, line {number}", line


def load(line: bytes) -> Note:
    """Read a note from a line."""
    record = load_record(line)
    return Note(note_id(record, "id"), record["text"], load_spans(record, "spans"))


def dump(note: Note) -> bytes:
    """Write a note as a line."""
    return dump_record({"id": note.id, "text": note.text, "spans": dump_spans(note)})


def save(path: Path, dumped: Iterable[bytes]) -> None:
    """Write the lines of notes to one file."""
    with replacing(path) as file:
        file.writelines(dumped)


def load_record(line: bytes) -> dict[str, Any]:
    """The object on a line, with a string as "text".

    RAISES (FormatError): If there is none.
    """
    content = line.decode("utf-8-sig")
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        raise FormatError("the line is not valid JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise FormatError('the line is not an object with a string as "text"')
    return record


def dump_record(record: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"


def note_id(record: Mapping[str, Any], *keys: str) -> str:
    """The first string or number under one of the keys.

    RAISES (FormatError): If there is none.
    """
    for key in keys:
        value = record.get(key)
        if isinstance(value, (str, int)):
            return str(value)
    raise FormatError(f'the note has no string or number as "{keys[0]}"')


def load_spans(record: Mapping[str, Any], key: str) -> tuple[PhiSpan, ...]:
    """The spans of a record, a list of objects with start, end and label under a key.

    RAISES (FormatError): If it is not such a list, or a span covers other text than it says, or the
        PHI is under another key.
    """
    if key not in record:
        _refuse_doccano(record)
        _refuse_other_keys(record, key)
    rows = record.get(key, [])
    if not isinstance(rows, list):
        raise FormatError(f'the note\'s "{key}" are not a list')
    return tuple(_load_span(f"{key}[{i}]", row, record["text"]) for i, row in enumerate(rows))


def dump_spans(note: Note) -> list[dict[str, Any]]:
    """The spans of a note as objects."""
    return [{"start": span.start, "end": span.end, "label": span.type} for span in note.spans]


def _refuse_doccano(record: Mapping[str, Any]) -> None:
    """Raise a FormatError if the PHI is under a key of doccano's: it would be lost."""
    for key in DOCCANO_KEYS:
        if isinstance(record.get(key), list):
            raise FormatError(
                f'it has "{key}", but no "spans"; if doccano wrote it, read it with the format '
                "doccano (--format doccano)"
            )


def _refuse_other_keys(record: Mapping[str, Any], key: str) -> None:
    """Raise a FormatError if another key has what may be the PHI of a note: it would be lost."""
    for other, rows in record.items():
        if other not in _NO_PHI and isinstance(rows, list) and any(map(_is_place, rows)):
            raise FormatError(
                f'it has "{other}", but no "{key}"; if those are its PHI, name them "{key}", and '
                f'else add an empty "{key}"'
            )


def _is_place(row: Any) -> bool:
    """Whether it has the offsets of a span: `[0, 5, "NAME"]` or `{"start_offset": 0, …}`."""
    if isinstance(row, list):
        return [type(value) for value in row[:3]] == [int, int, str]
    return isinstance(row, dict) and any(
        key.lower().startswith(_OFFSETS) and type(value) is int for key, value in row.items()
    )


def _load_span(name: str, record: Any, text: str) -> PhiSpan:
    if not isinstance(record, dict) or not isinstance(record.get("label"), str):
        raise FormatError(f'{name} is not an object with a string as "label"')
    start, end = record.get("start"), record.get("end")
    if type(start) is not int or type(end) is not int:
        raise FormatError(f"{name} has no whole numbers for start and end")
    span = PhiSpan(start, end, record["label"], name)
    if isinstance(record.get("text"), str):
        check_covered(text, [span], record["text"])
    return span


JSONL = CorpusFormat("jsonl", (".jsonl",), False, entries, load, dump, save)
