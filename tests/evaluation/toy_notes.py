"""A gold and a system that differ in every way, small enough to count by hand."""

from __future__ import annotations

from spacy_deid.annotation.notes import Note, PhiSpan

TEXT = "Maria Lopez, 53RHM, seen 3/4/67 at Mercy by Dr. Chen. Maria called 412-555-0116."


def note(note_id, *spans, text=TEXT):
    """A note whose spans are given as (covered text, type), each at its first place."""
    found = [
        PhiSpan(text.index(covered), text.index(covered) + len(covered), t) for covered, t in spans
    ]
    return Note(note_id, text, tuple(found))


GOLD = [
    note("a", ("Maria Lopez", "PATIENT"), ("53", "AGE"), ("3/4/67", "DATE"), ("Mercy", "HOSPITAL")),
    note("b", ("Chen", "DOCTOR"), ("412-555-0116", "PHONE")),
    note("c"),
]
SYSTEM = [
    note("a", ("Maria", "PATIENT"), ("53", "AGE"), ("3/4/67", "PHONE"), ("seen", "PATIENT")),
    note("b", ("Dr. Chen", "DOCTOR"), ("412-555-0116", "PHONE")),
    note("c"),
]
