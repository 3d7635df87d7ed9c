"""Terms and patterns of the user, and the CSV file that holds them.

name,type,term,pattern,context
staff,DOCTOR,"Lind, Astrid",,
study ids,IDNUM,,\\bNX-\\d{4}\\b,
beds,ROOM,,"\\b\\d{1,2}[A-D]\\b",bed room
drugs,never,Marinol,,
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from ..annotation.phi import CATEGORY, normalize_type
from ..files import FormatError, open_csv
from .patterns import check_pattern

NEVER = "never"
"""The type of what is never PHI."""

_ALWAYS = "custom"
_SHORTEST = 2  # letters and digits


@dataclass(frozen=True)
class Term:
    """A term or a pattern.

    type (str): PHI type, or `NEVER`.
    term (str): Words to find, in any case and across line ends; or else
    pattern (str): a regular expression that RE2 can match.
    context (str): Words, separated by blanks, of which one must stand near; "" if none has to.
    name (str): What the manifest counts it as; terms may share a name.
    RAISES (ValueError): If it is invalid; the message names the column.
    """

    type: str
    term: str = ""
    pattern: str = ""
    context: str = ""
    name: str = "terms"

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", _check_type(self.type))
        if bool(self.term) == bool(self.pattern):
            raise ValueError("it needs a value in one of the columns term and pattern")
        if self.term and sum(map(str.isalnum, self.term)) < _SHORTEST:
            raise ValueError(f"column term: it has fewer than {_SHORTEST} letters or digits")
        if self.pattern:
            check_pattern(self.pattern)

    @property
    def id(self) -> str:
        """The `id_` of its spans."""
        return f"{NEVER if self.type == NEVER else _ALWAYS}.{self.name}"


def is_custom(span_id: str) -> bool:
    """Whether the `id_` of a span is of a term that is always PHI."""
    return span_id.startswith(f"{_ALWAYS}.")


def _check_type(name: str) -> str:
    if name.strip().lower() == NEVER:
        return NEVER
    try:
        return normalize_type(name)
    except ValueError:
        types = ", ".join(CATEGORY)
        raise ValueError(f"column type: it is neither {NEVER} nor a PHI type ({types})") from None


_COLUMNS = tuple(field.name for field in fields(Term))


class Terms:
    """Terms and patterns; equal only to itself, so that it is compiled once.

    terms (Iterable[Term]): The terms and patterns.
    """

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self._terms = tuple(terms)

    def __iter__(self) -> Iterator[Term]:
        return iter(self._terms)

    def __len__(self) -> int:
        return len(self._terms)


def read_terms(path: str | Path) -> Terms:
    """Read terms from CSV with the columns type, term or pattern, and perhaps context and name.

    A file that did not change since it was last read is not read again.

    RAISES (FormatError): If the file cannot be read, or a row is invalid.
    """
    path = Path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from error
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, time: int, size: int) -> Terms:
    with open_csv(path) as reader:
        columns = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = columns
        if unknown := [number for number, name in enumerate(columns, 1) if name not in _COLUMNS]:
            raise FormatError(
                f"{path}, line 1, column {unknown[0]}: it is unknown; the columns are "
                f"{', '.join(_COLUMNS)}"
            )
        if "type" not in columns or {"term", "pattern"}.isdisjoint(columns):
            raise FormatError(f"{path}, line 1: it needs the columns type, and term or pattern")
        return Terms(_term(row, reader.place) for row in reader if any(row.values()))


def _term(row: dict[str, str], place: str) -> Term:
    try:
        return Term(**{name: value.strip() for name, value in row.items() if value})
    except ValueError as error:
        raise FormatError(f"{place}, {error}") from None
