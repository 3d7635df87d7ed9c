"""Notes come back from every format, and from every pair of formats, exact to the character."""

from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.corpora import FORMATS, read_notes, write_notes
from spacy_deid.corpora.convert import convert

TARGETS = {"i2b2": "xml", "jsonl": "notes.jsonl", "brat": "brat", "docbin": "notes.spacy"}
# Letters and blanks, what markup uses, line ends of all sorts, and characters beyond 16 bits.
ALPHABET = st.sampled_from(
    "aB1 .-/\t\n]>]>&<\"';\u00e9\u2028\u0085\U0001f600\u200b"
) | st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
CONTROLS = st.sampled_from("\r\x00\x0b\x1c\x7f")
IDS = st.from_regex(r"[0-9A-Za-z_ .é-]{1,12}", fullmatch=True).filter(lambda x: x[0] != ".")


@st.composite
def notes_of(draw: st.DrawFn, alphabet: st.SearchStrategy[str]) -> list[Note]:
    """Notes with unique ids and spans at any place, inside tokens and on white space too."""
    notes = []
    for note_id in draw(st.lists(IDS, min_size=1, max_size=3, unique_by=str.lower)):
        text = draw(st.text(alphabet, max_size=60))
        cuts = draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True).map(sorted))
        spans = [
            PhiSpan(start, end, draw(st.sampled_from(list(CATEGORY))))
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        notes.append(Note(note_id, text, tuple(spans)))
    return notes


def content(notes: list[Note]) -> dict[str, tuple[str, list[tuple[int, int, str]]]]:
    return {
        note.id: (note.text, [(span.start, span.end, span.type) for span in note.spans])
        for note in notes
    }


def written_and_read(notes: list[Note], fmt: str) -> list[Note]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / TARGETS[fmt]
        write_notes(notes, path, fmt=fmt)
        return list(read_notes(path))


@pytest.mark.parametrize(("first", "second"), list(itertools.product(FORMATS, repeat=2)))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes=notes_of(ALPHABET))
def test_pair_of_formats_keeps_notes(first: str, second: str, notes: list[Note]) -> None:
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "a" / TARGETS[first], Path(folder) / "b" / TARGETS[second]
        write_notes(notes, source, fmt=first)
        conversion = convert(source, target, target_format=second)
        assert not conversion.problems
        assert content(list(read_notes(target))) == content(notes)


@pytest.mark.parametrize("fmt", ["jsonl", "brat", "docbin"])
@settings(max_examples=25, deadline=None)
@given(notes=notes_of(ALPHABET | CONTROLS))
def test_control_characters_survive(fmt: str, notes: list[Note]) -> None:
    assert content(written_and_read(notes, fmt)) == content(notes)


@pytest.mark.parametrize("fmt", FORMATS)
def test_equal_notes_give_equal_bytes(fmt: str, tmp_path: Path) -> None:
    notes = [Note("1-01", "Seen by Quill\non 3/4.", (PhiSpan(8, 13, "DOCTOR"),)), Note("1-02", "")]
    for name in "ab":
        write_notes(notes, tmp_path / name / TARGETS[fmt], fmt=fmt)
    first, second = (
        {
            file.relative_to(tmp_path / name): file.read_bytes()
            for file in files_below(tmp_path / name)
        }
        for name in "ab"
    )
    assert first == second
    assert first


def files_below(path: Path) -> list[Path]:
    return [file for file in path.rglob("*") if file.is_file()]
