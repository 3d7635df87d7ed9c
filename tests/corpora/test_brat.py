from __future__ import annotations

from pathlib import Path

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import Problem, read_notes, write_notes

TEXT = "Ada\nQuill, of\r\nDover"


def read_one(tmp_path: Path, annotation: str, text: str = TEXT) -> Note:
    (tmp_path / "a.1.txt").write_bytes(text.encode())
    (tmp_path / "a.1.ann").write_bytes(annotation.encode())
    (note,) = read_notes(tmp_path)
    return note


def test_brat_reads_spans_and_ignores_other_lines(tmp_path: Path) -> None:
    annotation = (
        "T1\tDOCTOR 4 9\tQuill\r\n#1\tAnnotatorNotes T1\tsure?\nA1\tNegated T1\n\n"
        "R1\tIn Arg1:T1 Arg2:T2\nT2\tLOCATION-OTHER 15 20\tDover"
    )
    spans = PhiSpan(4, 9, "DOCTOR", "T1"), PhiSpan(15, 20, "LOCATION-OTHER", "T2")
    assert read_one(tmp_path, annotation) == Note("a.1", TEXT, spans)


def test_brat_ignores_a_byte_order_mark(tmp_path: Path) -> None:
    assert read_one(tmp_path, "\ufeffT1\tDOCTOR 4 9\tQuill").spans


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("T1\tDOCTOR 0 9\tAda Quill", [(0, 9)]),
        ("T1\tDOCTOR 0 3;4 9\tAda Quill", [(0, 9)]),  # brat's way across a line end
        ("T1\tDOCTOR 0 3;15 20\tAda Dover", [(0, 3), (15, 20)]),
        ("T1\tDOCTOR 0 3;4 9;15 20\tAda Quill Dover", [(0, 9), (15, 20)]),
    ],
)
def test_brat_joins_fragments_across_white_space(
    tmp_path: Path, line: str, expected: list[tuple[int, int]]
) -> None:
    spans = read_one(tmp_path, line).spans
    assert [(span.start, span.end) for span in spans] == expected


def test_brat_writes_one_line_a_span_and_the_text_as_it_is(tmp_path: Path) -> None:
    spans = PhiSpan(0, 9, "DOCTOR"), PhiSpan(11, 20, "LOCATION-OTHER")
    write_notes([Note("a.1", TEXT, spans), Note("b", "")], tmp_path, fmt="brat")
    assert (tmp_path / "a.1.txt").read_bytes() == TEXT.encode()
    assert (tmp_path / "a.1.ann").read_bytes() == (
        b"T1\tDOCTOR 0 9\tAda Quill\nT2\tLOCATION-OTHER 11 20\tof  Dover\n"
    )
    assert (tmp_path / "b.ann").read_bytes() == b""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("T1\tDOCTOR 4 8\tQuill", "tag T1 covers other text"),
        ("T1\tDOCTOR 4\tQuill", "line 2 is not a span"),
        ("T1 DOCTOR 4 9 Quill", "line 2 is not a span"),
        ("T1\tDOCTOR 4 9;\tQuill", "line 2 is not a span"),
        ("T1\tGP 4 9\tQuill", "tag T1 \\[4, 9\\) has the unknown label 'GP'"),
        ("T1\tDOCTOR 4 9\tQuill\nT2\tAGE 8 9\tl", "T2 .* overlaps tag T1"),
    ],
)
def test_brat_names_the_tag_of_a_problem_but_no_text(
    tmp_path: Path, line: str, reason: str
) -> None:
    with pytest.raises(ValueError, match=rf"a\.1\.ann: .*{reason}") as caught:
        read_one(tmp_path, f"#1\tNote T1\tx\n{line}")
    assert "Quill" not in str(caught.value)


def test_brat_misses_the_other_file_of_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Well.")
    (tmp_path / "b.ann").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes(b"\xff")
    (tmp_path / "c.ann").write_bytes(b"")
    problems: list[Problem] = []
    assert not list(read_notes(tmp_path, on_problem=problems.append))
    assert [Path(problem.place).name for problem in problems] == ["a.ann", "b.ann", "c.ann"]
    assert problems[0].reason.startswith("it cannot be read (No such file")
    assert "b.txt cannot be read" in problems[1].reason
    assert "not valid UTF-8 from byte 0" in problems[2].reason
