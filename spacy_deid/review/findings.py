"""Notes with their PHI and its origins, for review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ..annotation.notes import Note
from ..batch.search import Search
from ..corpora import FORMATS, Problem, read_notes
from ..corpora.base import check_path
from ..corpora.io import input_format, raise_problem
from ..files import with_suffix
from ..merger import Origin, read_origins
from ..redaction.redacted import find_phi

_BATCH = 64

TEXT = "text"
"""Name of the format of plain text files, which have no PHI annotation."""


@dataclass(frozen=True)
class Finding:
    """A note with its PHI.

    note (Note): The note.
    origins (Mapping[int, Origin]): Origins of PHI by first character, where known.
    """

    note: Note
    origins: Mapping[int, Origin] = field(default_factory=dict)


def find_in_docs(docs: Iterable[tuple[Doc, str]]) -> Iterator[Finding]:
    """The findings in docs from a pipeline with `phi_merger`, each given with its note id.

    RAISES (RedactionError): If a doc was never searched for PHI.
    """
    for doc, note_id in docs:
        yield Finding(Note(note_id, doc.text, find_phi(doc)), read_origins(doc))


def read_findings(
    path: Path,
    nlp: Language | None = None,
    *,
    fmt: str | None = None,
    on_problem: Callable[[Problem], None] = raise_problem,
) -> Iterator[Finding]:
    """Read notes with their PHI, or search them for PHI.

    path (Path): Text files, or a corpus in any format. A DocBin also keeps origins.
    nlp (Language | None): A pipeline to search the notes with; by default, annotated PHI is used.
    fmt (str | None): Name of the format, "text" or a corpus format; by default, by suffix.
    on_problem (Callable): Called for each note that is set aside; by default, an error is raised.
    RAISES (ValueError): If there is nothing at `path`, its format is unclear, or text files are
        given without a pipeline.
    """
    if is_text(path, fmt):
        if nlp is None:
            raise ValueError(f"{path} is text without PHI marked in it; it needs a model")
        notes = _read_texts(path, on_problem)
    else:
        notes = read_notes(path, fmt=fmt, on_problem=on_problem)
    if nlp is not None:
        return _search(notes, nlp, on_problem)
    origins = _read_origins(path) if input_format(path, fmt).name == "docbin" else {}
    return (Finding(note, origins.get(note.id, {})) for note in notes)


def is_text(path: Path, fmt: str | None = None) -> bool:
    """Whether the notes at a path are plain text files, by format name or suffix.

    RAISES (ValueError): If there is nothing at `path`.
    """
    check_path(path)
    if fmt is not None:
        return fmt == TEXT
    suffixes = {file.suffix.lower() for file in _files(path)}
    return ".txt" in suffixes and not with_suffix(suffixes, FORMATS)


def _files(path: Path) -> list[Path]:
    """The file at a path, or all files below a folder, sorted."""
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _read_texts(path: Path, on_problem: Callable[[Problem], None]) -> Iterator[Note]:
    """Text files as notes, named by their path in the folder."""
    for file in _files(path):
        if file != path and file.suffix.lower() != ".txt":
            continue
        note_id = file.relative_to(path if path.is_dir() else path.parent).with_suffix("")
        try:
            yield Note(note_id.as_posix(), file.read_bytes().decode("utf-8"))
        except UnicodeDecodeError as error:
            on_problem(Problem(str(file), f"it is not valid UTF-8 from byte {error.start} on"))


def _search(
    notes: Iterator[Note], nlp: Language, on_problem: Callable[[Problem], None]
) -> Iterator[Finding]:
    """Search notes in the same way as redaction."""
    search = Search(nlp)
    for batch in minibatch(notes, _BATCH):
        found = search.find([note.text for note in batch], [{}] * len(batch))
        for note, findings in zip(batch, found, strict=True):
            if findings.error:
                on_problem(Problem(f"note {note.id}", findings.error))
            else:
                yield Finding(replace(note, spans=findings.spans), findings.origins)


def _read_origins(path: Path) -> dict[str, dict[int, Origin]]:
    """The origins of the PHI in a DocBin, by note id."""
    docbin = FORMATS["docbin"]
    return {docbin.load(raw).id: read_origins(raw[1]) for _, raw in docbin.entries(path) if raw}
