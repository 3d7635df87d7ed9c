"""A reader of a review who takes every detection for right."""

from __future__ import annotations

from pathlib import Path

from spacy_deid.review.state import Event
from spacy_deid.review.store import READ, Store


def accept_all(folder: Path) -> None:
    """Read all notes of a project, and accept what was found."""
    with Store(folder) as store:
        for note in store.notes():
            rows = [found.mark._replace(decided=True) for found in note.found]
            edit = Event(0, "edit", {"remove": rows, "add": rows})
            last = store.append(note.number, "anna", READ, edit, 0)
            store.append(note.number, "anna", READ, Event(0, "done", {}, 5.0), last)
