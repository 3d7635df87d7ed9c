"""The project's own notes, grammar and values, and what comes out of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spacy_deid.notes import check_spans
from spacy_deid.synthesis import SETS, Generator, check_assets
from spacy_deid.synthesis.library import load_library

ASSETS = Path(__file__).parents[2] / "assets"
SPLIT_TYPES = ("PATIENT", "DOCTOR", "HOSPITAL", "STREET", "CITY", "ORGANIZATION")
NOTES = 150


def test_all_templates_are_sound():
    assert check_assets(ASSETS) == []


def test_check_assets_names_mistakes(tmp_path: Path):
    for folder in ("notes/train", "grammar/train", "grammar/common"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "notes/train/ed_01.txt").write_text("Seen.\n{wif} by {@nobody}\n")
    (tmp_path / "grammar/train/social.txt").write_text("# ok\n{patient}\n{{patient.lst}\n{@drug}\n")
    (tmp_path / "grammar/common/drug.txt").write_text("aspirin\n")
    problems = check_assets(tmp_path)
    assert [re.sub(r".*/", "", problem).split(" ")[0] for problem in problems] == [
        "ed_01.txt:2:",
        "social.txt:3:",
    ]
    (tmp_path / "notes/train/ed_01.txt").write_text("Seen.\n{wife} by {a|{@nobody}}\n")
    assert "'nobody.txt'" in check_assets(tmp_path)[0]


def test_sets_share_no_template():
    sources = [
        {path.read_text().strip() for path in (ASSETS / "notes" / name).glob("*.txt")}
        | {
            line
            for path in (ASSETS / "grammar" / name).glob("*.txt")
            for line in path.read_text().split("\n")
            if "{" in line
        }
        for name in SETS
    ]
    assert all(sources)
    assert (
        not sources[0] & sources[1] and not sources[0] & sources[2] and not sources[1] & sources[2]
    )
    assert all(load_library(ASSETS, name).notes for name in SETS)


@pytest.fixture(scope="module")
def values_by_set() -> dict[str, dict[str, set[str]]]:
    """What each set's notes call persons and places, by type."""
    found: dict[str, dict[str, set[str]]] = {}
    for name in SETS:
        values = found[name] = {phi_type: set() for phi_type in SPLIT_TYPES}
        for note in Generator(ASSETS, name, 7).notes(NOTES):
            assert check_spans(note.text, note.spans) is None
            for span in note.spans:
                if span.type in values:
                    values[span.type].add(note.text[span.start : span.end].casefold())
    return found


@pytest.mark.parametrize("phi_type", SPLIT_TYPES)
def test_sets_share_no_person_or_place(values_by_set, phi_type: str):
    names = [{value for value in values_by_set[name][phi_type] if _tells(value)} for name in SETS]
    assert all(names)
    assert not names[0] & names[1] and not names[0] & names[2] and not names[1] & names[2]


_GENERIC = re.compile(
    r"(?:unit |tower )?\d*\w? ?(?:north|south|east|west)\w? ?\d*\w?|tower \d+|local \d+|.*post \d+|"
    r"\d+\w* (?:[nsew]\.? )?(?:[nsew]\w+ )?\d+\w\w .*|.*\bbox \d+|rfd \d+|(?:rotary|our lady)|"
    r"\d+ ?\w{0,2}|\d+/\w|\w\d+|\d+ tower|infusion suite \d+|ward \d+\w?|micu \w|"
    r"(?:fe)?male (?:medical|surgical) ward ?\d*"
)


def _tells(value: str) -> bool:
    """Whether a value names someone or something: no initials, numbered wards, or post boxes."""
    return sum(char.isalpha() for char in value) > 5 and not _GENERIC.fullmatch(value)
