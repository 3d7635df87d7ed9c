"""Small review projects, and readers who act on them."""

from __future__ import annotations

from spacy_deid.review.results import Desk
from spacy_deid.review.state import Event, Mark
from spacy_deid.review.store import READ, Detection, DrawnNote, create_store

SETTINGS = {
    "system": "toy",
    "seed": 1,
    "threshold": None,
    "claim": None,
    "confidence": None,
    "design_effect": None,
}
TEXT = "Maria met Chen on Monday, Rosa did not"
MARIA, CHEN, MONDAY = Mark(0, 5, "PATIENT"), Mark(10, 14, "DOCTOR"), Mark(18, 24, "DATE")
ROSA = Mark(26, 30, "PATIENT")


def drawn(number=1, text=TEXT, marks=(MARIA, CHEN), held=(), stratum="random", patient="p"):
    found = tuple(Detection(mark, 0.9, place in held) for place, mark in enumerate(marks))
    return DrawnNote(number, f"n{number}", text, patient, stratum, found)


def project(folder, *notes):
    return create_store(folder, SETTINGS, notes or [drawn()])


def act(store, kind, number=1, reader="anna", role=READ, **data):
    """Append an event to a reading as the server does."""
    desk = Desk(store, reader, role)
    note = store.note(number)
    return desk.add(note, Event(0, kind, data, 2.0), desk.state(note).last)


def edit(store, add=(), remove=(), **values):
    return act(store, "edit", add=[m._replace(decided=True) for m in add], remove=remove, **values)


def accept(store, number=1, reader="anna", role=READ):
    """Accept everything that is open."""
    state = Desk(store, reader, role).state(store.note(number))
    marks = [mark for mark in state.marks.values() if not mark.decided]
    return edit(store, marks, marks, number=number, reader=reader, role=role)


def finish(store, number=1, reader="anna", role=READ):
    accept(store, number, reader, role)
    return act(store, "done", number, reader, role)
