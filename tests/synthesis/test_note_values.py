from __future__ import annotations

import random
import re
from datetime import date
from pathlib import Path

import pytest

from spacy_deid.synthesis.dates import (
    make_calendar,
    pick_age,
    pick_day,
    write_date,
)
from spacy_deid.synthesis.note_values import NoteValues, make_patient
from spacy_deid.synthesis.places import abbreviate
from spacy_deid.synthesis.roles import FORMS, ROLES
from spacy_deid.synthesis.template import Slot, parse_template
from spacy_deid.synthesis.values import load_values, set_of
from spacy_deid.text.english import number_words, ordinal


def make_note(assets: Path, seed: int = 0, *, record: int = 1) -> NoteValues:
    patient = make_patient(f"{seed}")
    return NoteValues(
        load_values(assets, "train"), patient, random.Random(seed + 100 * record), record
    )


def slot(source: str) -> Slot:
    (node,) = parse_template(source, "test")
    assert isinstance(node, Slot)
    return node


def text_of(note: NoteValues, source: str, follows: str = "") -> str:
    return note.value(slot(source), follows)[0]


def test_every_role_and_form_has_a_value(assets: Path):
    for seed in range(15):
        note = make_note(assets, seed)
        for name, role in ROLES.items():
            for form in ("", *sorted(FORMS[role.kind])):
                text = text_of(note, "{" + ".".join([name, form]).rstrip(".") + "}")
                assert text.strip() == text != ""
                assert "{" not in text


def test_a_role_is_the_same_person_in_all_forms(assets: Path):
    for seed in range(20):
        note = make_note(assets, seed)
        person = note.person("patient", "patient")
        assert text_of(note, "{patient.last}") == person.family
        assert text_of(note, "{patient.first}") == person.given
        assert text_of(note, "{patient}") == text_of(note, "{patient}") == person.full
        assert person.family.upper() in text_of(note, "{patient.last_first}").upper()


def test_a_default_value_is_used_in_some_notes(assets: Path):
    kept = 0
    for seed in range(60):
        note = make_note(assets, seed)
        number = text_of(note, "{case=WX-31}")
        kept += number == "WX-31"
        assert (text_of(note, "{case=wx 31}") == "wx 31") == (number == "WX-31")
    assert 20 < kept < 50


def test_a_set_never_shows_what_belongs_to_another(assets: Path):
    name = next(f"Zz{i}" for i in range(99) if set_of(f"Zz{i}") == "test")
    for seed in range(20):
        assert name not in text_of(make_note(assets, seed), f"{{nurse=Ada {name}}}")


def test_a_default_value_gives_its_case_to_others(assets: Path):
    for seed in range(20):
        note = make_note(assets, seed)
        assert text_of(note, "{nurse.last=smythe}").islower()
        assert text_of(note, "{surgeon.last=SMYTHE}").isupper()
        assert not text_of(note, "{resident.last=Smythe}").isupper()


def test_numbered_roles_differ(assets: Path):
    note = make_note(assets)
    assert len({text_of(note, f"{{doctor{n}}}") for n in ("", "2", "3", "4")}) == 4


def test_user_and_email_have_their_own_types():
    assert slot("{doctor.user}").type == "USERNAME"
    assert slot("{patient.email}").type == "EMAIL"
    assert slot("{patient}").type == "PATIENT"


def test_relatives_share_the_family_name_or_not(assets: Path):
    shared = [
        note.person("wife", "wife").family == note.person("patient", "patient").family
        for note in (make_note(assets, seed) for seed in range(60))
    ]
    assert 15 < sum(shared) < 55


def test_gender_agrees_with_the_role(assets: Path):
    for seed in range(10):
        note = make_note(assets, seed)
        assert note.person("wife", "wife").gender == "f"
        assert note.person("son2", "son").gender == "m"


def test_city_state_and_zip_belong_together(assets: Path):
    note = make_note(assets)
    assert text_of(note, "{state2.abbr}") == note.city("2").abbr
    assert text_of(note, "{zip2}") == note.city("2").zip
    assert text_of(note, "{city}") != text_of(note, "{city2}")


def test_later_records_keep_the_patient_and_move_on(assets: Path):
    first, second = make_note(assets, 3), make_note(assets, 3, record=2)
    for source in ("{patient}", "{mrn}", "{city}", "{wife.first}", "{ssn}", "{pcp.last}"):
        assert text_of(first, source) == text_of(second, source)
    assert first.days.dob == second.days.dob
    assert first.days.today < second.days.today


def test_dates_hold_together(assets: Path):
    for seed in range(200):
        days = make_note(assets, seed).days
        assert days.dob <= days.admit <= days.today <= days.discharge
        rng = random.Random(seed)
        assert days.admit <= pick_day("surgery", days, rng) <= days.today
        assert days.dob <= pick_day("past", days, rng) <= days.admit
        assert pick_day("followup", days, rng) > days.today
        assert days.today <= pick_day("signed", days, rng)


def test_age_follows_from_birthday_and_today(assets: Path):
    for seed in range(50):
        note = make_note(assets, seed)
        years = (note.days.today - note.days.dob).days / 365.25
        assert text_of(note, "{age}") == str(max(1, note.days.age))
        assert abs(years - note.days.age) < 1.01


def test_years_run_widely(assets: Path):
    years = {make_patient(f"{seed}").first_visit.year for seed in range(300)}
    assert min(years) < 2000 and max(years) > 2080


@pytest.mark.parametrize(
    ("source", "follows", "limit"),
    [
        ("{age}", "-month-old", 23),
        ("{age}", " day old", 28),
        ("{onset_age}", " wk", 12),
        ("{baby_age}", "", 23),
    ],
)
def test_ages_in_small_units_are_small(assets: Path, source: str, follows: str, limit: int):
    assert all(
        int(text_of(make_note(assets, seed), source, follows)) <= limit for seed in range(40)
    )


def test_article_stays_outside_the_date(assets: Path):
    values = load_values(assets, "train")
    day = date(2060, 5, 4)
    assert write_date(values, day, "day_ordinal", "", random.Random(0)) == "the 4th"


def test_lead_is_no_part_of_the_value(assets: Path):
    text, lead = make_note(assets).value(slot("{admit.day_ordinal}"))
    assert lead == "the "
    assert re.fullmatch(r"\d+(st|nd|rd|th)", text)


def test_dates_have_many_styles(assets: Path):
    values, day, rng = load_values(assets, "train"), date(2067, 3, 4), random.Random(1)
    shapes = {
        write_date(values, day, form, "{m}/{d}/{y}", rng)
        for form in sorted(FORMS["date"] - {"holiday"}) + [""] * 10
        for _ in range(60)
    }
    assert len(shapes) > 60
    assert {"March 4, 2067", "3/4/67", "Mar '67", "20670304", "'67"} <= shapes


def test_admission_lies_before_a_newborns_today_only_if_born(assets: Path):
    values = load_values(assets, "train")
    calendar = make_calendar(values, date(2030, 1, 2), date(2030, 1, 1), random.Random(2))
    assert calendar.admit >= calendar.dob


@pytest.mark.parametrize(
    ("number", "words"), [(67, "sixty-seven"), (8, "eight"), (104, "one hundred and four")]
)
def test_number_words(number: int, words: str):
    assert number_words(number) == words


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (12, "12th"), (22, "22nd"), (111, "111th")]
)
def test_ordinal(number: int, text: str):
    assert ordinal(number) == text


def test_a_mother_is_older_than_the_patient(assets: Path):
    values = load_values(assets, "train")
    rng = random.Random(0)
    assert all(pick_age(values, "mother", 30, rng) >= 48 for _ in range(50))
    assert all(pick_age(values, "daughter", 60, rng) <= 42 for _ in range(50))
    assert all(1 <= pick_age(values, "onset", 30, rng) <= 30 for _ in range(50))


@pytest.mark.parametrize(
    ("name", "letters"), [("Tanner Fork Regional Hospital", "TFRH"), ("University of Oslo", "UO")]
)
def test_abbreviation_comes_from_the_name(name: str, letters: str):
    assert abbreviate(name, random.Random(0)) == letters


def test_modifier_changes_the_case(assets: Path):
    note = make_note(assets)
    assert text_of(note, "{hospital.upper}") == text_of(note, "{hospital}").upper()


def test_every_role_of_numbers_has_shapes(assets: Path):
    values = load_values(assets, "train")
    for role in ROLES.values():
        if role.kind == "id" and role.base != "pobox":
            assert values.shapes[f"id {role.base}"]


def test_a_spoken_note_spells_its_dates_and_numbers(assets: Path):
    note = make_note(assets)
    note.spoken = True
    assert not re.search("[0-9]", text_of(note, "{past.year=2019}"))
    spoken = text_of(note, "{phone=208-555-0114}")
    assert spoken == text_of(note, "{phone=208-555-0114}")
    assert max(map(len, re.split("[ ,]+", spoken))) <= 5
