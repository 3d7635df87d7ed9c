"""Prodigy's JSON lines, as `prodigy ner.manual` reads and `prodigy db-out` writes them.

The note's id is in "meta", which Prodigy shows and keeps; notes from elsewhere have the hash that
Prodigy gives each text. Examples that were rejected or ignored are set aside.
"""

from __future__ import annotations

from ..annotation.notes import Note
from ..files import FormatError
from .base import CorpusFormat
from .jsonl import dump_record, dump_spans, entries, load_record, load_spans, note_id, save


def load(line: bytes) -> Note:
    """Read a note from an example."""
    record = load_record(line)
    answer = record.get("answer", "accept")
    if answer != "accept":
        raise FormatError("its annotator did not accept it; annotate it again, or leave it out")
    meta = record.get("meta")
    ids = {**record, **(meta if isinstance(meta, dict) else {})}
    name = note_id(ids, "id", "_input_hash")
    return Note(name, record["text"], load_spans(record, "spans"))


def dump(note: Note) -> bytes:
    """Write a note as an example."""
    return dump_record({"text": note.text, "meta": {"id": note.id}, "spans": dump_spans(note)})


PRODIGY = CorpusFormat("prodigy", (), False, entries, load, dump, save)
