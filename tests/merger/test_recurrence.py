"""Words of the people in a note, where a name may stand."""

from __future__ import annotations

import pytest
import spacy

from spacy_deid.merger import recurrence
from spacy_deid.merger.recurrence import People, is_full

VOCAB = spacy.blank("en").vocab


def found(name: str, text: str) -> list[str]:
    people = People(VOCAB)
    people.add(name.split(), "PATIENT")
    words = text.split(" ")
    return [" ".join(words[max(0, i - 1) : i + 1]) for i, _ in people.find(words)]


@pytest.mark.parametrize(
    "text",
    [
        "Young denies pain",
        "wound of Young is clean",
        "Young 's wound",
        "pain 4 per Young ,",
        "Told Young to rest",
        "Young to see her",
        "Young to f / u",
        "Young c / o pain",
        "Young in no distress",
        "Young : agree with plan",
        "Young resting in bed",
    ],
)
def test_a_word_of_a_name_is_found_where_a_name_stands(text):
    assert len(found("Young , Ana", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "young adults",
        "Young adults only",
        "YOUNG denies pain",
        "the Young adult unit",
        "of Young Adults",
        "class Young 2",
        "of Young - Simpson",
        "Old denies pain",
        "told Young not",
        "Young to middle aged",
    ],
)
def test_elsewhere_it_is_a_word(text):
    assert not found("Young , Ana", text)


def test_two_words_of_a_name_need_no_place():
    assert found("Looks Twice , Delbert", "X Looks Twice : stable") == ["X Looks", "Looks Twice"]
    assert found("Looks Twice , Delbert", "X LOOKS TWICE : stable") == ["X LOOKS", "LOOKS TWICE"]
    assert not found("Looks Twice , Delbert", "X looks twice : stable")
    assert not found("Looks Twice , Delbert", "X Twice Looks : stable")
    assert found("Oh , Ji", "in Ji Oh : stable") == ["in Ji", "Ji Oh"]


def test_titles_initials_and_numbers_are_no_words_of_a_name():
    assert not found("Dr B 2 Oh", "Dr denies pain")
    assert not found("Dr B 2 Oh", "B denies pain")
    assert found("Dr B 2 Oh", "Oh denies pain")


def test_the_first_type_of_a_word_stays():
    people = People(VOCAB)
    people.add(["Ana", "Young"], "PATIENT")
    people.add(["Young"], "DOCTOR")
    assert list(people.find(["per", "Young"])) == [(1, "PATIENT")]


def test_a_full_name_has_two_words():
    assert is_full(["Young", ",", "Ana"]) and is_full(["Ana", "Oh"])
    assert not is_full(["Young"]) and not is_full(["Dr", "A", ".", "Young"])


def test_two_letters_that_are_no_word_need_no_place(monkeypatch):
    assert found("Xu , Ana", "Echo Xu 4/2 :") == ["Echo Xu"]
    assert not found("Xu , Ana", "Echo XU 4/2 :")
    assert not found("Xu , Ana", "Xu 2 :")
    monkeypatch.setattr(recurrence, "in_word_list", lambda *args: True)
    assert not found("Xu , Ana", "Echo Xu 4/2 :")
