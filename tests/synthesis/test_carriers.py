from __future__ import annotations

import json
from pathlib import Path

import pytest
from linear import steps

from spacy_deid.synthesis.carriers import Carrier, CarrierSet, load_carriers
from spacy_deid.synthesis.template import Choice, Slot, Text
from spacy_deid.synthesis.values import SETS, set_of

PLAIN = "She denies chest pain. lungs are clear. the neck is supple. abdomen is soft."


def train_id() -> str:
    return next(f"c{i}" for i in range(99) if set_of(f"c{i}") == "train")


def prepared(text: str, assets: Path) -> str:
    """A carrier's sentences with slots in braces; a choice is written "<...>"."""
    carriers = CarrierSet([Carrier(train_id(), text), Carrier("other", PLAIN)], "train", assets)
    sentences = [
        nodes for paragraph in carriers.paragraphs(carriers.carriers[0]) for nodes in paragraph
    ]
    return " ".join("".join(map(written, nodes)) for nodes in sentences)


def written(node: object) -> str:
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Slot):
        return "{" + node.name + (f".{node.form}" if node.form else "") + "}"
    assert isinstance(node, Choice)
    return "<...>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She is a 57-year-old female with pain.", "She is a {age}-year-old female with pain."),
        ("Her son is 8 years old.", ""),
        ("Seen on 3/4/2067 for pain.", "Seen on {date} for pain."),
        ("Pain since 1998.", "Pain since {past.year}."),
        ("She fell on Monday.", "She fell on {date.weekday}."),
        ("Seen by Dr. Smithers again.", "Seen by Dr. {doctor.last} again."),
        ("Mr. Babako denies pain.", "Mr. {patient.last} denies pain."),
        ("The patient denies pain.", "<...> denies pain."),
        ("She denies pain.", "She denies pain."),
    ],
)
def test_plain_phi_becomes_a_slot(text: str, expected: str, assets: Path):
    assert prepared(text, assets) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "She was taken to Bababa by car.",
        "Call 555-0199 with questions.",
        "Her chart is 4471908.",
        "She worked as a clerk for years.",
        "She was born in the city.",
        "See www.pain.example today.",
        "She came to Mercy Hospital last night.",
        "It happened around Christmas.",
        "She was a twelve-year-old then.",
        "She is a retail manager.",
        "It began in the fall.",
    ],
)
def test_sentences_that_may_hold_phi_are_dropped(sentence: str, assets: Path):
    assert prepared(f"{sentence} She denies pain.", assets) == "She denies pain."


def test_eponyms_and_abbreviations_stay(assets: Path):
    text = "She has Parkinson disease and a Foley with CHF."
    assert prepared(text, assets) == text


def test_comma_headings_become_lines(assets: Path):
    text = "She denies pain.,PLAN:, she denies pain.,ALLERGIES:, none."
    kept = prepared(text, assets)
    assert "PLAN:" in kept and ".," not in kept and ":," not in kept


def test_braces_in_carriers_are_no_slots(assets: Path):
    assert prepared("pain {patient} | none", assets) == "pain (patient) / none"


def test_sets_share_no_carrier(assets: Path):
    texts = [Carrier(f"c{i}", PLAIN) for i in range(200)]
    sets = [CarrierSet(texts, name, assets).carriers for name in SETS]
    assert sum(map(len, sets)) == len(set().union(*sets)) == 200
    assert all(sets)


def test_load_jsonl_text_and_folders(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"id": "x", "text": "one"}\n\n{"text": "two"}\n')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text("three")
    assert load_carriers([tmp_path]) == [
        Carrier("x", "one"),
        Carrier("a-3", "two"),
        Carrier("b", "three"),
    ]


def test_missing_and_broken_carriers_are_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_carriers([tmp_path / "nowhere"])
    broken = tmp_path / "c.jsonl"
    broken.write_text(json.dumps({"body": "secret"}))
    with pytest.raises(ValueError, match=r"c\.jsonl:1") as error:
        load_carriers([broken])
    assert "secret" not in str(error.value)
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(ValueError, match=r"no text in .*empty\.txt"):
        load_carriers([tmp_path / "empty.txt"])


def test_carriers_take_linear_time(assets: Path):
    texts = [Carrier(f"c{i}", PLAIN + " The patient is well.") for i in range(400)]

    def prepare(number: int) -> None:
        carriers = CarrierSet(texts[:number], "train", assets)
        assert all(map(carriers.paragraphs, carriers.carriers))

    prepare(1)  # reads the lists
    few, many = (steps(lambda n=number: prepare(n)) for number in (100, 400))
    assert many <= 5 * few
