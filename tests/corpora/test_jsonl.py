from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import read_notes, write_notes


def line(**changes: Any) -> bytes:
    span = {"start": 5, "end": 10, "label": "DOCTOR"}
    return json.dumps({"id": "1", "text": "Seen Quill", "spans": [span], **changes}).encode()


def other_key(name: str) -> bytes:
    return line().replace(b'"spans"', f'"{name}"'.encode())


def read(tmp_path: Path, *lines: bytes) -> list[Note]:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b"\n".join(lines))
    return list(read_notes(path))


def test_jsonl_reads_lines_whatever_their_ends(tmp_path: Path) -> None:
    lines = b"\xef\xbb\xbf" + line() + b"\r", b"  ", line(id=2, text="\u2028\r\n", spans=[])
    assert read(tmp_path, *lines) == [
        Note("1", "Seen Quill", (PhiSpan(5, 10, "DOCTOR", "spans[0]"),)),
        Note("2", "\u2028\r\n"),
    ]


def test_jsonl_note_without_spans_has_none(tmp_path: Path) -> None:
    assert read(tmp_path, b'{"id": "a", "text": "Well.", "label": "x"}') == [Note("a", "Well.")]


def test_jsonl_ignores_other_keys_of_a_note_with_spans(tmp_path: Path) -> None:
    tokens = b'{"id": "a", "text": "Well.", "tokens": [{"start": 0, "end": 4}]}'
    drugs = b'{"id": "b", "text": "Well.", "spans": [], "drugs": [{"start": 0, "end": 4}]}'
    dates = b'{"id": "c", "text": "Well.", "drugs": [{"startDate": "2067-03-04", "dose": 5}]}'
    notes = read(tmp_path, tokens, drugs, dates)
    assert notes == [Note("a", "Well."), Note("b", "Well."), Note("c", "Well.")]


def test_jsonl_writes_plain_lines(tmp_path: Path) -> None:
    path = tmp_path / "new" / "notes.jsonl"
    write_notes([Note("1", "é\n", (PhiSpan(0, 1, "CITY", "P9"),)), Note("2", "")], path)
    assert path.read_bytes().decode("utf-8") == (
        '{"id": "1", "text": "é\\n", "spans": [{"start": 0, "end": 1, "label": "CITY"}]}\n'
        '{"id": "2", "text": "", "spans": []}\n'
    )


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"text": "Quill"', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (line().replace(b"Seen", b"S\xe9en"), "not valid UTF-8"),
        (b'["Quill"]', "not an object"),
        (line(text=None), '"text"'),
        (line(id=None), '"id"'),
        (line(spans={"start": 1}), "not a list"),
        (line(spans=["DOCTOR"]), r"spans\[0\] is not an object"),
        (line(spans=[{"start": "5", "end": 10, "label": "DOCTOR"}]), r"spans\[0\] has no whole"),
        (line(spans=[{"start": 5, "end": True, "label": "DOCTOR"}]), r"spans\[0\] has no whole"),
        (
            line(spans=[{"start": 5, "end": 5, "label": "DOCTOR"}]),
            r"spans\[0\] .* is empty; remove",
        ),
        (line(spans=[{"start": 6, "end": 5, "label": "DOCTOR"}]), r"spans\[0\] .* outside"),
        (line(spans=[{"start": -5, "end": 5, "label": "DOCTOR"}]), r"spans\[0\] .* outside"),
        (line(spans=[{"start": 5, "end": 9, "label": "DOCTOR", "text": "Quill"}]), "other text"),
        (line(spans=[{"start": 5, "end": 10, "label": "GP"}]), "unknown label 'GP'"),
        (line(text="Seen Quill\ud800"), "half a surrogate pair"),
        (b'{"id": 7, "text": "Quill", "label": [[0, 5, "DOCTOR"]]}', "--format doccano"),
        (b'{"id": 7, "text": "Quill", "entities": [], "relations": []}', "--format doccano"),
        (other_key("ents"), 'it has "ents", but no "spans"; if those are its PHI, name them'),
        (other_key("phi"), 'it has "phi", but no "spans"'),
        (
            b'{"id": 7, "text": "Quill", "ents": [[0, 5, "DOCTOR"]]}',
            'it has "ents", but no "spans"',
        ),
        (b'{"id": 7, "text": "Quill", "marks": [{"begin": 0, "to": 5}]}', 'it has "marks", but no'),
        (b'{"id": 7, "text": "Quill", "marks": [{"startOffset": 0}]}', 'it has "marks", but no'),
        (line(id="0"), "another note before it has the same id"),
    ],
)
def test_jsonl_names_the_line_of_a_problem_but_no_text(
    tmp_path: Path, bad: bytes, reason: str
) -> None:
    with pytest.raises(ValueError, match=rf"notes\.jsonl, line 2: .*{reason}") as caught:
        read(tmp_path, line(id="0"), bad)
    assert "Quill" not in str(caught.value)
