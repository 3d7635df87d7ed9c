"""brat standoff: for each note the text (`.txt`) and its annotation (`.ann`).

A line `T1<TAB>PATIENT 33 47<TAB>covered text` is a span; other kinds of lines (relations,
attributes, notes) are ignored. Offsets count the characters of the text file, CR included.

brat writes a mention that is discontinuous or crosses a line end as several fragments
(`T1<TAB>PATIENT 33 38;39 47<TAB>…`). Fragments with only white space between them are read as one
span, others as separate spans. We always write one range, and white space in the covered text as
blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..annotation.notes import Note, PhiSpan
from ..files import FormatError, read_bytes
from .base import CorpusFormat, check_covered, file_name, note_files, save_folder


def entries(path: Path) -> Iterator[tuple[str, Path]]:
    """The paths of a folder's notes, without suffix."""
    files = note_files(path, ".txt", ".ann")
    for stem in dict.fromkeys(file.with_suffix("") for file in files):
        yield f"{stem}.ann", stem


def load(stem: Path) -> Note:
    """Read a note from its two files; its id is the file name."""
    text = read_bytes(Path(f"{stem}.txt")).decode("utf-8")
    annotation = read_bytes(Path(f"{stem}.ann")).decode("utf-8-sig")
    spans: list[PhiSpan] = []
    for number, line in enumerate(annotation.split("\n"), 1):
        if line.startswith("T"):
            spans.extend(_load_line(line.removesuffix("\r"), number, text))
    return Note(stem.name, text, tuple(spans))


def dump(note: Note) -> dict[str, bytes]:
    """The text and the annotation of a note, by file name."""
    lines = []
    for number, span in enumerate(note.spans, 1):
        covered = re.sub(r"\s", " ", note.text[span.start : span.end])
        lines.append(f"T{number}\t{span.type} {span.start} {span.end}\t{covered}\n")
    return {
        file_name(note.id, ".txt"): note.text.encode("utf-8"),
        file_name(note.id, ".ann"): "".join(lines).encode("utf-8"),
    }


def _load_line(line: str, number: int, text: str) -> list[PhiSpan]:
    try:
        tag_id, span, covered = line.split("\t", 2)
        label, offsets = span.split(" ", 1)
        fragments = [(int(start), int(end)) for start, end in map(str.split, offsets.split(";"))]
    except ValueError:
        raise FormatError(f"line {number} is not a span as brat writes it") from None
    spans = [PhiSpan(start, end, label, tag_id) for start, end in fragments]
    check_covered(text, spans, covered)
    return _joined(spans, text)


def _joined(spans: list[PhiSpan], text: str) -> list[PhiSpan]:
    joined = spans[:1]
    for span in spans[1:]:
        last = joined[-1]
        if text[last.end : span.start].isspace():
            joined[-1] = PhiSpan(last.start, span.end, span.type, span.id)
        else:
            joined.append(span)
    return joined


BRAT = CorpusFormat("brat", (".ann",), True, entries, load, dump, save_folder)
