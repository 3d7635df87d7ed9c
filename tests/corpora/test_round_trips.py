"""Notes come back from every format, whatever it was converted from, exact to the character."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from corpora_helpers import INSTALLED, OF_XML, TARGETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.corpora import Problem, read_notes, write_notes
from spacy_deid.corpora.convert import convert

# Letters and blanks, what markup uses, line ends of all sorts, and characters beyond 16 bits.
ALPHABET = st.sampled_from(
    "aB1 .-/\t\n]>]>&<\"';\\nt[]|_*\u00e9\u2028\u0085\U0001f600\U0001d49c\u200b"
) | st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
CONTROLS = st.sampled_from(["\r\n", *"\r\x00\x08\x0b\x0c\x1c\x7f\ufffe"])
IDS = st.from_regex(r"[0-9A-Za-z_ .é-]{1,12}", fullmatch=True).filter(lambda x: x[0] != ".")
UNHOLDABLE = "XML cannot hold its character"


@st.composite
def notes_of(draw: st.DrawFn, alphabet: st.SearchStrategy[str]) -> list[Note]:
    """Notes with unique ids and spans at any place, inside tokens and on white space too."""
    notes = []
    for note_id in draw(st.lists(IDS, min_size=1, max_size=3, unique_by=str.lower)):
        text = "".join(draw(st.lists(alphabet, max_size=60)))
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


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes=notes_of(ALPHABET), formats=st.permutations(INSTALLED))
def test_a_chain_of_all_formats_keeps_notes(notes: list[Note], formats: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / TARGETS[formats[0]]
        write_notes(notes, path, fmt=formats[0])
        for source, target in zip(formats, formats[1:], strict=False):
            new = Path(folder) / TARGETS[target]
            conversion = convert(path, new, source_format=source, target_format=target)
            assert not conversion.problems
            path = new
            assert content(list(read_notes(path, fmt=target))) == content(notes)


@pytest.mark.parametrize("fmt", INSTALLED)
@settings(max_examples=40, deadline=None)
@given(notes=notes_of(ALPHABET | CONTROLS))
def test_control_characters_survive_or_the_note_is_reported(fmt: str, notes: list[Note]) -> None:
    problems: list[Problem] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / TARGETS[fmt]
        write_notes(notes, path, fmt=fmt, on_problem=problems.append)
        kept = list(read_notes(path, fmt=fmt)) if len(problems) < len(notes) else []
    if fmt not in OF_XML:
        assert not problems
    lost = {problem.place.removeprefix("note ") for problem in problems}
    assert all(problem.reason.startswith(UNHOLDABLE) for problem in problems)
    assert content(kept) == content([note for note in notes if note.id not in lost])


@pytest.mark.parametrize("fmt", INSTALLED)
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
