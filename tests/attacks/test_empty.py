"""Notes without text, or with none that is seen, are searched like all others."""

from __future__ import annotations

import pytest

from spacy_deid import deidentify

EMPTY = ["", "\0", "\u200b\u200b", " \n"]


@pytest.mark.parametrize("text", EMPTY)
def test_a_note_without_text_is_redacted(en_deid, text):
    assert deidentify(text, model=en_deid).text == text


def test_batches_of_empty_notes_are_searched(en_deid):
    docs = list(en_deid.pipe([*EMPTY, "Seen by Dr. Maria Lopez.", ""], batch_size=2))
    assert [len(doc.ents) for doc in docs] == [0, 0, 0, 0, 1, 0]
