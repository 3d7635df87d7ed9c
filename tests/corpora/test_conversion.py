from __future__ import annotations

import json
from pathlib import Path

import pytest

from spacy_deid.corpora import read_notes
from spacy_deid.corpora.convert import convert


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two sound notes and three that are not, in the labels of another project."""
    text, ada = "Mr Ada of Dover", {"start": 3, "end": 6, "label": "PERSON"}
    notes = [
        ("1", [{"start": 0, "end": 2, "label": "TITLE"}, ada]),
        ("2", [{"start": 10, "end": 15, "label": "ADDRESS"}]),
        ("2", []),
        ("3", [ada, {**ada, "label": "ORGANIZATION"}]),
        ("4", [{"start": 0, "end": 2, "label": "PREFIX"}, {**ada, "label": "DOG"}]),
    ]
    path = tmp_path / "in.jsonl"
    lines = [json.dumps({"id": i, "text": text, "spans": spans}) + "\n" for i, spans in notes]
    path.write_text("".join(lines))
    return path


def test_convert_maps_labels_and_sets_bad_notes_aside(source: Path, tmp_path: Path) -> None:
    conversion = convert(source, tmp_path / "out", target_format="i2b2", labels="presidio-research")
    assert [(note.id, note.spans[0].type) for note in read_notes(tmp_path / "out")] == [
        ("1", "PATIENT"),
        ("2", "CITY"),
    ]
    assert conversion.written.notes == 2
    assert conversion.written.types == {"PATIENT": 1, "CITY": 1}
    assert conversion.dropped == {"TITLE": 1, "PREFIX": 1}
    assert [str(problem).removeprefix(f"{source}, ") for problem in conversion.problems] == [
        "line 3: another note before it has the same id",
        "line 4: tag spans[0] [3, 6) overlaps tag spans[1] [3, 6)",
        "line 5: tag spans[1] [3, 6) has the unknown label 'DOG'",
    ]


def test_convert_reports_notes_that_the_target_cannot_hold(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "1", "text": "a\\u0000b"}\n{"id": "2", "text": ""}')
    conversion = convert(tmp_path / "in.jsonl", tmp_path / "out", target_format="i2b2")
    (problem,) = conversion.problems
    assert str(problem) == "note 1: XML cannot hold its character 1, U+0000"
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["2.xml"]


def test_convert_never_replaces_its_input(source: Path, tmp_path: Path) -> None:
    """Notes that are set aside would be lost."""
    (tmp_path / "link.jsonl").symlink_to(source)
    before = source.read_bytes()
    for one, other in ((source, source), (tmp_path, source), (source, tmp_path / "link.jsonl")):
        with pytest.raises(ValueError, match="would replace what is read from"):
            convert(one, other, source_format="jsonl", labels="presidio-research", force=True)
    assert source.read_bytes() == before


def test_convert_may_write_a_new_file_into_its_input(source: Path) -> None:
    written = convert(source.parent, source.with_name("out.spacy"), labels="presidio-research")
    assert written.written.notes == 2


def test_convert_refuses_unknown_label_sets_before_it_writes(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown label set 'mine'; the sets are i2b2-2014"):
        convert(source, tmp_path / "out.spacy", labels="mine")
    assert not (tmp_path / "out.spacy").exists()
