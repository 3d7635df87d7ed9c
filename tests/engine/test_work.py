from __future__ import annotations

from datetime import date

from spacy_deid.engine.work import WholeNote, whole_notes
from spacy_deid.records import Record


def test_the_dates_in_fields_are_dates_of_their_note():
    fields = [
        Record(text=text, row=str(row), note="1", type="DATE")
        for row, text in enumerate(("20670304101500-0500", "19601231"))
    ]
    text = Record(text="Seen 3/4, back 3/18.", row="2", note="1")
    alone = Record(text="Seen 3/4/2068.", row="3", note="2")
    *notes, other = whole_notes([*fields, text, alone])
    assert [note.shared.latest for note in notes] == [date(2067, 3, 4)] * 3
    assert other == WholeNote()
