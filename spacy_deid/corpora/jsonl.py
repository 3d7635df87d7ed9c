"""JSON lines: `{"id": …, "text": …, "spans": [{"start": …, "end": …, "label": …}]}` on each line.

Other keys are ignored, except a span's "text", which must match the note. "spans" is optional.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..files import FormatError, replacing
from .base import Format, check_covered, note_files


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
    content = line.decode("utf-8-sig")
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        raise FormatError("the line is not valid JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise FormatError('the line is not an object with a string as "text"')
    note_id = record.get("id")
    if not isinstance(note_id, (str, int)):
        raise FormatError('the note has no string or number as "id"')
    spans = record.get("spans", [])
    if not isinstance(spans, list):
        raise FormatError('the note\'s "spans" are not a list')
    text = record["text"]
    return Note(
        str(note_id), text, tuple(_load_span(i, span, text) for i, span in enumerate(spans))
    )


def dump(note: Note) -> bytes:
    """Write a note as a line."""
    spans = [{"start": span.start, "end": span.end, "label": span.type} for span in note.spans]
    record = {"id": note.id, "text": note.text, "spans": spans}
    return json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"


def save(path: Path, dumped: Iterable[bytes]) -> None:
    """Write the lines of notes to one file."""
    with replacing(path) as file:
        file.writelines(dumped)


def _load_span(number: int, record: Any, text: str) -> PhiSpan:
    name = f"spans[{number}]"
    if not isinstance(record, dict) or not isinstance(record.get("label"), str):
        raise FormatError(f'{name} is not an object with a string as "label"')
    start, end = record.get("start"), record.get("end")
    if type(start) is not int or type(end) is not int:
        raise FormatError(f"{name} has no whole numbers for start and end")
    span = PhiSpan(start, end, record["label"], name)
    if isinstance(record.get("text"), str):
        check_covered(text, [span], record["text"])
    return span


JSONL = Format("jsonl", (".jsonl",), False, entries, load, dump, save)
