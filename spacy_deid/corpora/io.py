"""Read and write notes in any format. Bad notes are reported and set aside.

To add a format, write a module like `jsonl.py` with a `CorpusFormat`, and list it in
`CORPUS_FORMATS`; reading, converting, training, pre-annotation and the command line then support
it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan, check_spans, span_place
from ..annotation.phi import CATEGORY, normalize_type
from ..files import FormatError, check_output, get_format, with_suffix
from .base import CorpusFormat, Problem, check_path, files_at
from .brat import BRAT
from .docbin import DOCBIN
from .doccano import DOCCANO
from .i2b2 import I2B2
from .jsonl import JSONL
from .label_studio import LABEL_STUDIO
from .prodigy import PRODIGY
from .webanno import WEBANNO
from .xmi import XMI

CORPUS_FORMATS: Mapping[str, CorpusFormat] = {
    each.name: each
    for each in (I2B2, JSONL, BRAT, DOCBIN, LABEL_STUDIO, PRODIGY, DOCCANO, XMI, WEBANNO)
}
"""Formats by name."""

ToPhi = Callable[[str], "str | None"]
OnProblem = Callable[[Problem], None]


def input_format(path: Path, name: str | None = None, *, setting: str = "`fmt=`") -> CorpusFormat:
    """The format of the file or folder at `path`; by default, by suffix.

    setting (str): How the error names the setting for it; empty if there is none.
    RAISES (ValueError): If there is nothing at `path`, or its format is unknown or unclear.
    """
    check_path(path)
    if name:
        return get_format(name, CORPUS_FORMATS)
    suffixes = {file.suffix.lower() for file in files_at(path)}
    return _only(path, with_suffix(suffixes, CORPUS_FORMATS), setting)


def output_format(path: Path, name: str | None = None) -> CorpusFormat:
    """The format to write at `path`; by default, by suffix.

    RAISES (ValueError): If the format is unknown, or unclear, as for a folder.
    """
    if name:
        return get_format(name, CORPUS_FORMATS)
    found = with_suffix({path.suffix.lower()}, CORPUS_FORMATS)
    return _only(path, [each for each in found if not each.folder], "`target_format=`")


def _only(path: Path, found: Sequence[CorpusFormat], setting: str) -> CorpusFormat:
    if len(found) != 1:
        names = ", ".join(each.name for each in found or CORPUS_FORMATS.values())
        advice = f"name it with {setting}, one of {names}"
        if not setting:
            advice = f"convert it first: spacy-deid convert {path} notes.jsonl --format ..."
        raise ValueError(f"the format of {path} is unclear; {advice}")
    return found[0]


@dataclass
class Tally:
    """Counts of what was written."""

    notes: int = 0  # number of notes
    types: Counter[str] = field(default_factory=Counter)  # number of spans by PHI type


def raise_problem(problem: Problem) -> None:
    """Raise the problem as an error.

    RAISES (ValueError): Always.
    """
    raise ValueError(str(problem))


def read_notes(
    path: str | Path,
    *,
    fmt: str | None = None,
    to_phi: ToPhi = normalize_type,
    overlaps: bool = False,
    on_problem: OnProblem = raise_problem,
) -> Iterator[Note]:
    """Read valid notes one by one, with PHI types, sorted spans and unique ids.

    path (str | Path): A file, or a folder of files.
    fmt (str | None): Name of the format; by default, by suffix.
    to_phi (Callable): The PHI type of a label, or None to drop the span; raises ValueError for an
        unknown label.
    overlaps (bool): Whether spans may overlap, as evaluation allows; those that repeat count once.
    on_problem (Callable): Called for each note that is set aside; by default, the first one raises
        a ValueError.
    RAISES (ValueError): If there is nothing at `path`, or its format is unclear.
    """
    path = Path(path)
    return _read(path, input_format(path, fmt), to_phi, overlaps, on_problem)


def write_notes(
    notes: Iterable[Note],
    path: str | Path,
    *,
    fmt: str | None = None,
    force: bool = False,
    on_problem: OnProblem = raise_problem,
) -> Tally:
    """Write notes one by one; each file gets its final name only when complete.

    In a format of a file per note, the note `a/b` becomes `a__b`.

    notes (Iterable[Note]): The notes, with unique ids.
    path (str | Path): The file or folder to write; see `output_format`.
    fmt (str | None): Name of the format; by default, by suffix.
    force (bool): Whether to replace existing files; other files in a folder stay.
    on_problem (Callable): Called for each note that is not sound, as above, or that the format
        cannot represent, and set aside; by default, the first one raises a ValueError.
    RETURNS (Tally): Counts of what was written.
    RAISES (ValueError): If something exists at `path` already, or is a file where a folder is to be
        written or the reverse, or a device, or the format is unclear.
    """
    path = Path(path)
    check_output(path)
    output = output_format(path, fmt)
    if path.exists() and path.is_dir() != output.folder:
        kinds = ("a folder", "one file") if path.is_dir() else ("a file", "a folder")
        raise ValueError(f"{path} is {kinds[0]}, but {output.name} is written as {kinds[1]}")
    if not force and (any(path.iterdir()) if path.is_dir() else path.exists()):
        raise ValueError(
            f"{path} exists already; remove it, or use `force=True` to replace its files"
        )
    tally = Tally()
    output.save(path, _dumped(notes, output, tally, on_problem))
    return tally


def _read(
    path: Path, format: CorpusFormat, to_phi: ToPhi, overlaps: bool, on_problem: OnProblem
) -> Iterator[Note]:
    seen: set[str] = set()
    for place, raw in format.entries(path):
        with _reporting(place, on_problem):
            yield _load(raw, format, to_phi, overlaps, seen)


def _dumped(
    notes: Iterable[Note], format: CorpusFormat, tally: Tally, on_problem: OnProblem
) -> Iterator[Any]:
    seen: set[str] = set()
    for note in notes:
        with _reporting(f"note {note.id}", on_problem):
            named = replace(note, id=note.id.replace("/", "__")) if format.folder else note
            _check_new(named, seen)
            _check_spans(note, overlaps=True)
            _check_types(note)
            dumped = format.dump(named)
            tally.notes += 1
            tally.types.update(span.type for span in note.spans)
            yield dumped


@contextmanager
def _reporting(place: str, on_problem: OnProblem) -> Iterator[None]:
    """Report a note that cannot be read or written, in place of raising an error."""
    try:
        yield
        return
    except FormatError as error:
        reason = str(error)
    except UnicodeDecodeError as error:
        reason = f"it is not valid UTF-8 from byte {error.start} on"
    except UnicodeEncodeError:
        reason = "its text or id holds half a surrogate pair"
    except OSError as error:
        file = "it" if error.filename == place else error.filename
        reason = f"{file} cannot be read ({error.strerror})"
    on_problem(Problem(place, reason))


def _load(raw: Any, format: CorpusFormat, to_phi: ToPhi, overlaps: bool, seen: set[str]) -> Note:
    """A valid note with PHI types and sorted spans, without repeated ones."""
    note: Note = format.load(raw)
    (note.id + note.text).encode("utf-8")  # raises for lone surrogates, which no file can hold
    _check_new(note, seen)
    typed = (_typed(span, to_phi) for span in note.spans)
    unique = {(span.start, span.end, span.type): span for span in typed if span is not None}
    note = replace(note, spans=tuple(sorted(unique.values())))
    _check_spans(note, overlaps=overlaps)
    return note


def _check_new(note: Note, seen: set[str]) -> None:
    """Raise a FormatError if a note before this one has its id; remember it."""
    if note.id in seen:
        raise FormatError("another note before it has the same id")
    seen.add(note.id)


def _check_spans(note: Note, *, overlaps: bool) -> None:
    if reason := check_spans(note.text, note.spans, overlaps=overlaps):
        raise FormatError(reason)


def _check_types(note: Note) -> None:
    for span in note.spans:
        if span.type not in CATEGORY:
            raise FormatError(f"{span_place(span)} has '{span.type}', which is no PHI type")


def _typed(span: PhiSpan, to_phi: ToPhi) -> PhiSpan | None:
    try:
        phi_type = to_phi(span.type)
    except ValueError:
        raise FormatError(f"{span_place(span)} has the unknown label '{span.type}'") from None
    return None if phi_type is None else replace(span, type=phi_type)
