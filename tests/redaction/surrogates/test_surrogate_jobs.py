from __future__ import annotations

import pytest
from places_cases import make_note

from spacy_deid.redaction.surrogates.places.jobs import profession
from spacy_deid.redaction.surrogates.tables import data_rows

NOTES = [make_note(patient=f"patient {number}") for number in range(60)]
JOBS = {job: field for field, jobs in data_rows("jobs.tsv") for job in jobs.split(";")}


@pytest.mark.parametrize(
    "value, field",
    [
        ("truck driver", "driving"),
        ("nurse", "health"),
        ("accountant", "finance"),
        ("ICU nurse", "health"),
        ("farmer", "agriculture"),
    ],
)
def test_profession_stays_in_its_field(value, field):
    drawn = {profession(note, value) for note in NOTES}
    assert len(drawn) > 1
    assert {JOBS[job] for job in drawn} == {field}
    assert all(set(value.split()).isdisjoint(job.split()) for job in drawn)


@pytest.mark.parametrize("value", ["architect", "EMT", "urban planner", "underwater welder"])
def test_profession_goes_with_an(value):
    spelled = ("EMT", "X-ray", "HVAC")
    for note in NOTES:
        job = profession(note, value)
        assert job[0] in "aeiou" or job.startswith(spelled)


@pytest.mark.parametrize("value", ["teacher", "union carpenter", "Uber driver", "student"])
def test_profession_goes_with_a(value):
    is_vowel = ("acc", "air", "an", "art", "as", "au", "e", "i", "EMT", "X-ray", "HVAC", "o")
    for note in NOTES:
        job = profession(note, value)
        assert not job.startswith(is_vowel) or job.startswith("one")


@pytest.mark.parametrize(
    "value, like",
    [
        ("PLUMBER", str.isupper),
        ("plumber", lambda job: job[0].islower() or job.split()[0].isupper()),
        ("Truck Driver", lambda job: all(word[0].isupper() for word in job.split())),
        ("retired plumber", lambda job: job.startswith("retired ")),
        ("Self-employed roofer", lambda job: job.startswith("Self-employed ")),
        ("plumbers", lambda job: job.endswith(("s", "men"))),
        ("crane\noperator", lambda job: job.count("\n") == 1),
        ("farming", lambda job: JOBS[job] == "activity"),
    ],
)
def test_profession_keeps_its_form(value, like):
    for note in NOTES:
        job = profession(note, value)
        assert like(job) and job.casefold() != value.casefold()


def test_profession_agrees_in_all_forms():
    for note in NOTES:
        job = profession(note, "truck driver")
        assert profession(note, "Truck driver").casefold() == job.casefold()
        assert profession(note, "former truck  driver").endswith(job.split()[-1])
        assert profession(note, "truck drivers") in (f"{job}s", job.replace("man", "men"))
