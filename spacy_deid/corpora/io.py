"""Read and write notes in any format. Bad notes are reported and set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan, check_spans
from ..annotation.phi import normalize_type
from ..files import FormatError
from .base import Format, Problem
from .formats import input_format, output_format

ToPhi = Callable[[str], "str | None"]


@dataclass
class Tally:
    """Counts of what was written.

    notes (int): Number of notes.
    types (Counter[str]): Number of spans by PHI type.
    """

    notes: int = 0
    types: Counter[str] = field(default_factory=Counter)

    def add(self, note: Note) -> None:
        """Count a note and its spans."""
        self.notes += 1
        self.types.update(span.type for span in note.spans)


def raise_problem(problem: Problem) -> None:
    """Raise the problem as an error.

    RAISES (ValueError): Always.
    """
    raise ValueError(str(problem))


def read_notes(
    path: Path,
    *,
    fmt: str | None = None,
    to_phi: ToPhi = normalize_type,
    overlaps: bool = False,
    on_problem: Callable[[Problem], None] = raise_problem,
) -> Iterator[Note]:
    """Read valid notes one by one, with PHI types, sorted spans and unique ids.

    path (Path): A file, or a folder of files.
    fmt (str | None): Name of the format; by default, by suffix.
    to_phi (Callable): The PHI type of a label, or None to drop the span; raises ValueError for an
        unknown label.
    overlaps (bool): Whether spans may overlap or repeat, as evaluation allows.
    on_problem (Callable): Called for each note that is set aside; by default, the first one raises
        a ValueError.
    RAISES (ValueError): If there is nothing at `path`, or its format is unclear.
    """
    return _read(path, input_format(path, fmt), to_phi, overlaps, on_problem)


def write_notes(
    notes: Iterable[Note],
    path: Path,
    *,
    fmt: str | None = None,
    force: bool = False,
    on_problem: Callable[[Problem], None] = raise_problem,
) -> Tally:
    """Write notes one by one; each file gets its final name only when complete.

    notes (Iterable[Note]): The notes, with unique ids.
    path (Path): The file or folder to write; see `output_format`.
    fmt (str | None): Name of the format; by default, by suffix.
    force (bool): Whether to replace existing files; other files in a folder stay.
    on_problem (Callable): Called for each note that the format cannot represent.
    RETURNS (Tally): Counts of what was written.
    RAISES (ValueError): If something exists at `path` already, or the format is unclear.
    """
    output = output_format(path, fmt)
    if not force and (any(path.iterdir()) if path.is_dir() else path.exists()):
        raise ValueError(
            f"{path} exists already; remove it, or use force=True to replace its files"
        )
    tally = Tally()
    output.save(path, _dumped(notes, output, tally, on_problem))
    return tally


def _read(
    path: Path,
    fmt: Format,
    to_phi: ToPhi,
    overlaps: bool,
    on_problem: Callable[[Problem], None],
) -> Iterator[Note]:
    seen: set[str] = set()
    for place, raw in fmt.entries(path):
        result = _attempt(place, _load, raw, fmt, to_phi, overlaps, seen)
        if isinstance(result, Problem):
            on_problem(result)
        else:
            yield result


def _dumped(
    notes: Iterable[Note], fmt: Format, tally: Tally, on_problem: Callable[[Problem], None]
) -> Iterator[Any]:
    for note in notes:
        result = _attempt(f"note {note.id}", fmt.dump, note)
        if isinstance(result, Problem):
            on_problem(result)
        else:
            tally.add(note)
            yield result


def _attempt(place: str, function: Callable[..., Any], *args: Any) -> Any:
    """The result of `function`, or a Problem if it fails."""
    try:
        return function(*args)
    except FormatError as error:
        return Problem(place, str(error))
    except UnicodeDecodeError as error:
        return Problem(place, f"it is not valid UTF-8 from byte {error.start} on")
    except UnicodeEncodeError:
        return Problem(place, "its text or id holds half a surrogate pair")
    except OSError as error:
        return Problem(place, f"{error.filename} cannot be read ({error.strerror})")


def _load(raw: Any, fmt: Format, to_phi: ToPhi, overlaps: bool, seen: set[str]) -> Note:
    """A valid note with PHI types and sorted spans."""
    note: Note = fmt.load(raw)
    (note.id + note.text).encode("utf-8")  # raises for lone surrogates, which no file can hold
    if note.id in seen:
        raise FormatError("another note before it has the same id")
    seen.add(note.id)
    typed = (_typed(span, to_phi) for span in note.spans)
    spans = tuple(sorted(span for span in typed if span is not None))
    reason = check_spans(note.text, spans, overlaps=overlaps)
    if reason:
        raise FormatError(reason)
    return replace(note, spans=spans)


def _typed(span: PhiSpan, to_phi: ToPhi) -> PhiSpan | None:
    try:
        phi_type = to_phi(span.type)
    except ValueError:
        raise FormatError(f"tag {span.id} has the unknown label '{span.type}'") from None
    return None if phi_type is None else replace(span, type=phi_type)
