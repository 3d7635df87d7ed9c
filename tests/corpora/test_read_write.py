from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora_helpers import FILES, FOLDERS, INSTALLED, OF_XML, TARGETS

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import CORPUS_FORMATS, Problem, read_notes, write_notes

NOTES = [Note("1", "In Bath.", (PhiSpan(3, 7, "CITY"),)), Note("2", "Well.")]


def failing() -> Iterator[Note]:
    yield NOTES[0]
    raise RuntimeError


def test_read_sorts_spans_and_normalises_types(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    place = {"start": 3, "end": 7, "label": "location other"}
    spans = [place, {"start": 0, "end": 2, "label": "age"}]
    path.write_text(json.dumps({"id": "1", "text": "In Bath.", "spans": spans}))
    (note,) = read_notes(path)
    assert [span.type for span in note.spans] == ["AGE", "LOCATION-OTHER"]


def test_spans_that_repeat_count_once(tmp_path: Path) -> None:
    ada = {"start": 0, "end": 3, "label": "PATIENT"}
    line = json.dumps({"id": "1", "text": "Ada", "spans": [ada, ada]})
    (tmp_path / "a.jsonl").write_text(line)
    (note,) = read_notes(tmp_path / "a.jsonl")
    assert [(span.start, span.type) for span in note.spans] == [(0, "PATIENT")]


def test_read_is_lazy_but_checks_the_path_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_notes(NOTES, path)
    with path.open("ab") as file:
        file.write(b"broken")
    assert next(read_notes(path)).id == "1"
    with pytest.raises(ValueError, match="no file or folder"):
        read_notes(tmp_path / "b.jsonl")


def test_paths_may_be_text(tmp_path: Path) -> None:
    path = f"{tmp_path}/a.jsonl"
    assert write_notes(NOTES, path).notes == 2
    assert [note.id for note in read_notes(path)] == ["1", "2"]


def test_read_needs_files_of_the_named_format(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no \.txt or \.ann files in"):
        list(read_notes(tmp_path, fmt="brat"))


@pytest.mark.parametrize("fmt", INSTALLED)
def test_write_counts_and_leaves_no_temporary_files(fmt: str, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "out"
    tally = write_notes(NOTES, path, fmt=fmt)
    assert (tally.notes, dict(tally.types)) == (2, {"CITY": 1})
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize("fmt", INSTALLED)
def test_write_replaces_only_when_forced(fmt: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_notes(NOTES, path, fmt=fmt)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(ValueError, match="out exists already"):
        write_notes([Note("1", "New.")], path, fmt=fmt)
    assert before == {file: file.read_bytes() for file in before}
    write_notes([Note("1", "New.")], path, fmt=fmt, force=True)
    assert "New." in [note.text for note in read_notes(path, fmt=fmt)]


@pytest.mark.parametrize("fmt", FILES)
def test_write_leaves_the_old_file_when_it_fails(fmt: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(RuntimeError):
        write_notes(failing(), path, fmt=fmt, force=True)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("out", "old")]


@pytest.mark.parametrize("fmt", FOLDERS)
@pytest.mark.parametrize("note_id", ["", ".1", "../1", "a\\b", "a\nb", "x" * 201])
def test_write_refuses_ids_that_cannot_name_a_file(fmt: str, note_id: str, tmp_path: Path) -> None:
    problems: list[Problem] = []
    tally = write_notes(
        [Note(note_id, ""), NOTES[1]], tmp_path / "o", fmt=fmt, on_problem=problems.append
    )
    assert tally.notes == len(problems) == 1
    assert {file.stem for file in tmp_path.rglob("*.*")} == {"2"}
    with pytest.raises(ValueError, match="its id"):
        write_notes([Note(note_id, "")], tmp_path / "p", fmt=fmt)


@pytest.mark.parametrize("fmt", INSTALLED)
def test_notes_in_folders_are_written_into_one_folder(fmt: str, tmp_path: Path) -> None:
    path, in_folder = tmp_path / TARGETS[fmt], CORPUS_FORMATS[fmt].folder
    problems: list[Problem] = []
    notes = [Note("a/b/1", "one"), Note("a__b__1", "two")]
    tally = write_notes(notes, path, fmt=fmt, on_problem=problems.append)
    names = ["a__b__1"] if in_folder else ["a/b/1", "a__b__1"]
    assert [note.id for note in read_notes(path, fmt=fmt)] == names
    assert tally.notes == len(names)
    same_id = "note a__b__1: another note before it has the same id"
    assert [*map(str, problems)] == [same_id] * in_folder


@pytest.mark.parametrize("fmt", INSTALLED)
def test_write_refuses_half_surrogate_pairs(fmt: str, tmp_path: Path) -> None:
    reason = "XML cannot hold" if fmt in OF_XML else "its text or id holds half a surrogate pair"
    with pytest.raises(ValueError, match=f"note 1: {reason}"):
        write_notes([Note("1", "a\udc80")], tmp_path / "out", fmt=fmt)


def test_problem_prints_whatever_the_file_is_called() -> None:
    assert str(Problem("a\udcff.xml", "broken")).encode("utf-8") == rb"a\udcff.xml: broken"


@pytest.mark.parametrize("fmt", INSTALLED)
@pytest.mark.parametrize(
    "bad, reason",
    [
        (Note("1", "Ada"), "another note before it has the same id"),
        (Note("2", "Ada", (PhiSpan(0, 9, "CITY"),)), r"span \[0, 9\) lies outside the text"),
        (Note("2", "Ada", (PhiSpan(0, 3, "HOME"),)), r"span \[0, 3\) has 'HOME', which is no PHI"),
    ],
)
def test_unsound_notes_are_reported_in_place_of_being_written(
    tmp_path: Path, fmt: str, bad: Note, reason: str
) -> None:
    problems: list[Problem] = []
    path, good = tmp_path / TARGETS[fmt], Note("1", "Quill")
    tally = write_notes([good, bad], path, fmt=fmt, on_problem=problems.append)
    (problem,) = problems
    assert problem.place == f"note {bad.id}" and re.match(reason, problem.reason)
    assert list(read_notes(path, fmt=fmt)) == [good] and tally.notes == 1


@pytest.mark.parametrize("fmt", INSTALLED)
def test_overlapping_spans_are_written_or_reported(tmp_path: Path, fmt: str) -> None:
    note = Note("1", "Mercy Bell", (PhiSpan(0, 10, "HOSPITAL"), PhiSpan(6, 10, "CITY")))
    problems: list[Problem] = []
    path = tmp_path / TARGETS[fmt]
    write_notes([note, Note("2", "")], path, fmt=fmt, on_problem=problems.append)
    (written, *_) = read_notes(path, fmt=fmt, overlaps=True)
    assert [(span.start, span.type) for span in written.spans] == (
        [] if problems else [(0, "HOSPITAL"), (6, "CITY")]
    )
    assert bool(problems) == (fmt == "webanno")
