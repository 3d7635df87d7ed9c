"""Reviewed notes made of words: capitals are PHI."""

from __future__ import annotations

import re

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.prove import Reading, ReviewedNote


def spans(text, words, kind="PATIENT"):
    found = (re.search(rf"\b{word}\b", text) for word in words.split())
    return tuple(PhiSpan(*match.span(), kind) for match in found)


def reviewed(text, found="", *, note_id="n", first=None, held="", others=(), patient="", **values):
    """A note whose capitals are PHI, read by one reader, and by others who first found `others`."""
    gold = " ".join(word for word in re.findall(r"\w+", text) if word[0].isupper())
    readings = [
        Reading(
            name,
            spans(text, gold),
            spans(text, gold if got is None else got),
            tuple(span for span in spans(text, found) if span not in spans(text, held)),
            spans(text, held),
            60,
        )
        for name, got in zip("abc", (first, *others), strict=False)
    ]
    note = Note(note_id, text, spans(text, gold))
    return ReviewedNote(note, spans(text, found), tuple(readings), patient, **values)
