"""doccano's JSON lines for sequence labelling: `{"text": …, "label": [[start, end, label], …]}`.

doccano numbers notes itself, so that the note's id is in "note_id", which it keeps. Exports of
projects with relations have "entities"; relations and comments are ignored. A line without any of
these keys, or with "spans", is of another program, and its PHI would be lost.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..files import FormatError
from .base import CorpusFormat
from .jsonl import DOCCANO_KEYS, dump_record, entries, load_record, load_spans, note_id, save


def load(line: bytes) -> Note:
    """Read a note from a line."""
    record = load_record(line)
    name = note_id(record, "note_id", "id")
    if "spans" in record:
        raise FormatError(
            'it has "spans", which doccano does not write; read it with the format jsonl or '
            "prodigy, or remove them"
        )
    keys = [key for key in DOCCANO_KEYS if key in record]
    if not keys:
        raise FormatError(f"it has none of doccano's keys {', '.join(DOCCANO_KEYS)}")
    spans = chain.from_iterable(_load_spans(record, key) for key in keys)
    return Note(name, record["text"], tuple(spans))


def dump(note: Note) -> bytes:
    """Write a note as a line."""
    spans = [[span.start, span.end, span.type] for span in note.spans]
    return dump_record({"note_id": note.id, "text": note.text, "label": spans})


def _load_spans(record: dict[str, Any], key: str) -> tuple[PhiSpan, ...]:
    if isinstance(record[key], list):
        record[key] = [_as_object(row) for row in record[key]]
    return load_spans(record, key)


def _as_object(row: Any) -> Any:
    """A span as an object with start, end and label, if it is one of either kind."""
    if isinstance(row, list) and len(row) == 3:
        return dict(zip(("start", "end", "label"), row, strict=True))
    if isinstance(row, dict):
        start, end = row.get("start_offset"), row.get("end_offset")
        return {"start": start, "end": end, "label": row.get("label")}
    return row


DOCCANO = CorpusFormat("doccano", (), False, entries, load, dump, save)
