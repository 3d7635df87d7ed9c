"""The project's own notes, grammar and values, and what comes out of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spacy_deid.annotation.notes import check_spans
from spacy_deid.synthesis import SETS, Generator
from spacy_deid.synthesis.library import Template, check_assets, load_library
from spacy_deid.synthesis.template import TemplateError, Text

ASSETS = Path(__file__).parents[2] / "assets"
SPLIT_TYPES = ("PATIENT", "DOCTOR", "HOSPITAL", "STREET", "CITY", "ORGANIZATION")
NOTES = 150
HEADER = "%% ab01 | kind: ed | ages: 16-110 | sex: f"


def test_all_templates_are_sound():
    assert check_assets(ASSETS) == []


def test_check_assets_names_mistakes(tmp_path: Path):
    for folder in ("notes/train", "grammar/train", "grammar/common"):
        (tmp_path / folder).mkdir(parents=True)
    notes = tmp_path / "notes/train/ab.txt"
    notes.write_text(f"{HEADER}\nSeen.\n\n{HEADER}\nSeen.\n{{wif}} by {{@nobody}}\n")
    (tmp_path / "grammar/train/social.txt").write_text("# ok\n{patient}\n{{patient.lst}\n{@drug}\n")
    (tmp_path / "grammar/common/drug.txt").write_text("aspirin\n")
    problems = check_assets(tmp_path)
    assert [re.sub(r".*/", "", problem).split(" ")[0] for problem in problems] == [
        "ab.txt:6:",
        "social.txt:3:",
    ]
    notes.write_text(f"{HEADER}\nSeen.\n{{wife}} by {{a|{{@nobody}}}}\n")
    assert "ab.txt:1: the grammar has no file 'nobody.txt'" in check_assets(tmp_path)[0]


@pytest.mark.parametrize(
    "text, line",
    [
        ("Seen by {doctor}.\n", 1),
        (f"Seen by {{doctor}}.\n{HEADER}\nSeen.\n", 1),
        (f"{HEADER}\nSeen.\n\n%% ab02 | ages: 16-110 | sex: f\nSeen.\n", 4),
        (f"{HEADER}\nSeen.\n%%\nSeen.", 3),
        (HEADER.replace("sex: f", "sex: x") + "\nSeen.\n", 1),
        (HEADER.replace("16-110", "110-16") + "\nSeen.\n", 1),
        (f"{HEADER}\n\n{HEADER}\nSeen.\n", 1),
    ],
)
def test_header_of_a_note_is_checked(tmp_path: Path, text: str, line: int):
    (tmp_path / "notes/train").mkdir(parents=True)
    (tmp_path / "notes/train/ab.txt").write_text(text)
    with pytest.raises(TemplateError, match=rf"ab\.txt:{line}: wrong header"):
        load_library(tmp_path, "train")


def test_notes_are_read_with_their_headers(tmp_path: Path):
    (tmp_path / "notes/train").mkdir(parents=True)
    child = "%% ab02 | kind: Ward | ages: 0-17 | sex: any"
    (tmp_path / "notes/train/ab.txt").write_text(f"{HEADER}\n\n A\n\n%B\n \n{child}\nC\n")
    (tmp_path / "notes/train/0.txt").write_text("%% 001 | kind: ed | ages: 16-44 | sex: m\nD")
    assert load_library(tmp_path, "train").notes == (
        Template("Ward_ab02", (Text("C"),), "any", (0, 17)),
        Template("ed_001", (Text("D"),), "m", (16, 44)),
        Template("ed_ab01", (Text("\n A\n\n%B"),), "f", (16, 110)),
    )


@pytest.mark.parametrize(
    "entry", ["%% sex: f %% Seen.", "%% ages: 0-110 | sex: f Seen.", "%% ages: 0-110 | sex: f %% "]
)
def test_header_of_an_entry_is_checked(tmp_path: Path, entry: str):
    (tmp_path / "grammar/train").mkdir(parents=True)
    (tmp_path / "grammar/train/social.txt").write_text(f"# ok\n{entry}\n")
    with pytest.raises(TemplateError, match=r"social\.txt:2: wrong header"):
        load_library(tmp_path, "train")


def test_entries_are_read_with_their_headers(tmp_path: Path):
    (tmp_path / "grammar/train").mkdir(parents=True)
    entries = "# ok\nHe smokes.\n%% ages: 18-110 | sex: f %% She\\nsmokes.\n"
    (tmp_path / "grammar/train/social.txt").write_text(entries)
    assert load_library(tmp_path, "train").grammar["social"] == (
        Template("train/social:2", (Text("He smokes."),), "any", (0, 110)),
        Template("train/social:3", (Text("She\nsmokes."),), "f", (18, 110)),
    )


def test_fits():
    template = Template("ed_ab01", (), "f", (16, 44))
    assert template.fits("f", 16) and template.fits("f", 44)
    assert not template.fits("f", 15) and not template.fits("f", 45) and not template.fits("m", 30)
    assert Template("ed_ab01", (), "any", (0, 110)).fits("m", 30)


def test_ids_of_notes_are_unique_and_name_their_file():
    ids = [
        (path.stem, note_id)
        for path in ASSETS.glob("notes/*/*.txt")
        for note_id in re.findall(r"^%% (\w+)", path.read_text(), re.MULTILINE)
    ]
    assert len({note_id for _, note_id in ids}) == len(ids) > 9000
    assert [pair for pair in ids if not re.fullmatch(pair[0] + r"\d\d+", pair[1])] == []


def test_sets_share_no_template():
    sources = [
        {
            note.strip()
            for path in (ASSETS / "notes" / name).glob("*.txt")
            for note in re.split(r"^%%.*$", path.read_text(), flags=re.MULTILINE)[1:]
        }
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


def test_blocks_are_inserted_into_notes():
    nodes = (node for block in load_library(ASSETS, "train").blocks for node in block.nodes)
    lines = {node.text.strip().split("\n")[0] for node in nodes if isinstance(node, Text)}
    long = [line for line in lines if len(line) > 40]
    assert len(long) > 100
    notes = [note.text for note in Generator(ASSETS, "train", 7).notes(40)]
    assert any(line in note for line in long for note in notes)
