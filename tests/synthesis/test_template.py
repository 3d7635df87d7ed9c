from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.synthesis.roles import FORMS, ROLES, find_role
from spacy_deid.synthesis.template import (
    Choice,
    Entry,
    Number,
    Slot,
    TemplateError,
    Text,
    parse_template,
)


def parse(source: str):
    return parse_template(source, "note.txt")


def test_slot_parts():
    (slot,) = parse("{doctor2.last.upper}")
    assert isinstance(slot, Slot)
    assert (slot.name, slot.form, slot.modifier) == ("doctor2", "last", "upper")
    assert (slot.role.base, slot.role.type, slot.role.number) == ("doctor", "DOCTOR", "2")


def test_a_slot_may_have_a_default_value():
    (slot,) = parse("{doctor2.last=O'Dea-Roux, jr.}")
    assert isinstance(slot, Slot)
    assert (slot.name, slot.form, slot.default) == ("doctor2", "last", "O'Dea-Roux, jr.")


def test_default_values_in_choices():
    (choice,) = parse("{{patient.first=Jo}|{date.month_day=3rd of May}}")
    assert isinstance(choice, Choice)
    assert [getattr(option[0], "default", None) for option in choice.options] == [
        "Jo",
        "3rd of May",
    ]


@pytest.mark.parametrize("source", ["{doctor=}", "{doctor= Roux}", "{doctor=Roux }"])
def test_a_default_value_is_not_empty_or_padded(source: str):
    with pytest.raises(TemplateError, match="is empty or has blanks"):
        parse(source)


def test_modifier_without_form():
    (slot,) = parse("{hospital.upper}")
    assert (slot.form, slot.modifier) == ("", "upper")


def test_text_around_slots_is_kept():
    before, slot, after = parse("Dr. {doctor.last}'s\tnote\n")
    assert (before, after) == (Text("Dr. "), Text("'s\tnote\n"))


def test_choice_holds_text_and_slots():
    (choice,) = parse("{Mr. {patient.last}|he|}")
    assert isinstance(choice, Choice)
    assert [len(option) for option in choice.options] == [2, 1, 0]


@pytest.mark.parametrize(
    "source", ["{ {patient}|he} was", "{{patient}|he} was", "{he|{patient} } was", "{he|{patient}}"]
)
def test_slots_at_the_edge_of_a_choice(source: str):
    choice = parse(source)[0]
    assert isinstance(choice, Choice)
    assert {type(node) for option in choice.options for node in option} == {Slot, Text}
    assert Text(" ") not in [node for option in choice.options for node in option]


def test_blank_before_an_optional_slot_is_kept():
    choice = parse("Mary{ {patient.last}|}")[1]
    assert isinstance(choice, Choice)
    assert choice.options[0][0] == Text(" ")


def test_grammar_entry_and_numbers():
    assert parse("{@drug}") == (Entry("drug"),)
    assert parse("{n:60-110}") == (Number(60, 110, 0),)
    assert parse("{f:3.50-5.25}") == (Number(3.5, 5.25, 2),)


def test_doubled_braces_are_braces():
    assert parse("a {{b}} c") == (Text("a {b} c"),)


@pytest.mark.parametrize(
    ("source", "phi_type"),
    [("Quit? no. {job=seamstress}", "PROFESSION"), ("Job# {jobnumber}", "IDNUM")],
)
def test_job_is_work_or_a_dictation_number(source: str, phi_type: str):
    slot = parse(source)[1]
    assert isinstance(slot, Slot)
    assert slot.role.type == phi_type


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("ok\n{wif}", "note.txt:2: unknown role 'wif'"),
        ("{patient.nickname}", "note.txt:1: role 'patient' has no form 'nickname'"),
        ("{mrn.upper.long}", "role 'mrn' has no form 'upper.long'"),
        ("a\n\n{patient", "note.txt:3: '{' without '}'"),
        ("patient}", "'}' without '{'"),
        ("{The patient}", "'{The patient}' is not a slot"),
        ("{n:9-3}", "the range 9-3 is upside down"),
    ],
)
def test_mistakes_are_named_with_file_and_line(source: str, problem: str):
    with pytest.raises(TemplateError, match="note.txt") as error:
        parse(source)
    assert problem in str(error.value)


def test_first_line_moves_the_line_of_a_mistake():
    with pytest.raises(TemplateError, match="note.txt:12:"):
        parse_template("{wif}", "note.txt", first_line=12)


@given(st.text(alphabet="ab {}|.\n@n:1-", max_size=40))
def test_any_text_parses_or_is_a_template_error(source: str):
    try:
        parse(source)
    except TemplateError as error:
        assert "note.txt:" in str(error)


def test_every_role_has_a_type_and_forms():
    assert [role.base for role in ROLES.values() if role.type not in CATEGORY] == ["author"]
    assert not ROLES["author"].type
    assert {role.kind for role in ROLES.values()} == set(FORMS)


@pytest.mark.parametrize(
    ("name", "base", "phi_type"),
    [("mother_age", "mother", "AGE"), ("age", "age", "AGE"), ("past3", "past", "DATE")],
)
def test_find_role(name: str, base: str, phi_type: str):
    role = find_role(name)
    assert (role.base, role.type) == (base, phi_type)
