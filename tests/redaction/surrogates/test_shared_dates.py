from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from note_makers import make_note, make_text

from spacy_deid.redaction.phi_text import ALONE, Shared
from spacy_deid.redaction.surrogates.dates.shared import share_dates
from spacy_deid.redaction.surrogates.dates.shifting import dates


@pytest.mark.parametrize(
    "texts, fields, shared",
    [
        (["Seen 28/02/2067."], [], Shared(None, date(2067, 2, 28))),
        (["04/03/2067", "29/02/1980"], [1], Shared(True, date(1980, 2, 29))),
        (["DOB: 02/29/1980."], [], ALONE),
        (["19601231", "20670304101500-0500"], [0, 1], Shared(None, date(2067, 3, 4))),
        (["Fell on 1999-03-04", "1956-03-04", "1/5/01"], [1, 2], Shared(None, date(2001, 1, 5))),
        (["Seen 3/4/2067", "1960-12-31"], [1], Shared(None, date(2067, 3, 4))),
        (["Seen 3/4/2066", "2067-03-04T10:15:00Z"], [1], Shared(None, date(2067, 3, 4))),
        (["Seen 3/4", "10:30", "3/4", "unknown", "99991231"], [1, 2, 3, 4], ALONE),
        (["Seen March 4, 2067", "on 4 Apr 2066, 2067-03-05"], [], Shared(None, date(2067, 3, 5))),
        (["call 412-13-2067, 1.13/04/2067, 13/04/2067-3", "13/04/206"], [], ALONE),
    ],
)
def test_what_the_texts_of_a_note_tell_of_its_dates(texts, fields, shared):
    assert share_dates(texts, [texts[field] for field in fields]) == shared


def test_a_text_reads_its_dates_as_those_of_its_note():
    note = make_note("DATE", "03/04/2067")
    day_first = replace(note, shared=Shared(True, date(2067, 4, 13)))
    whole = make_note("DATE", "03/04/2067", "13/04/2067")
    assert dates(day_first) == dates(whole)[:1] != dates(note)
    own = replace(make_note("DATE", "03/14/2067"), shared=Shared(True))
    assert dates(own) == dates(make_note("DATE", "03/14/2067"))


@pytest.mark.parametrize("year", range(2060, 2070))
def test_a_date_without_a_year_is_near_the_latest_date_of_its_note(year):
    shared = Shared(None, date(year, 3, 20))
    for number in range(50):
        note = replace(make_text("DATE", "Seen [3/4]"), patient=f"patient {number}", shared=shared)
        dated = make_text("DATE", f"Seen [3/4/{year}]")
        (whole,) = dates(replace(dated, patient=note.patient))
        assert dates(note) == [whole[:-5]]
