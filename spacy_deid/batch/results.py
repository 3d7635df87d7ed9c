"""The results of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_MOST = 1_000


@dataclass(frozen=True, kw_only=True)
class NoteResult:
    """The outcome of a note."""

    source: Path  # the file with the note
    target: Path  # the file with the result
    row: str = ""  # where the note is in its file; empty if it is the only one there
    phi: Mapping[str, int] = field(default_factory=dict)  # number of PHI replaced, by type
    error: str = ""  # why it is withheld, without quoting it; empty if it is not
    is_field: bool = False  # whether it is not a note, but the value of a structured field


@dataclass
class Summary:
    """The outcomes of all notes.

    notes (int): Number of notes that were redacted.
    withheld (int): Number of notes, values of structured fields, and files whose rest could not be
        read, that were withheld.
    phi (Counter[str]): Number of PHI replaced, by type.
    failures (list[NoteResult]): The first thousand of those withheld.
    kept (dict[str, None]): The first thousand names of the columns and elements beside the texts,
        which stayed.
    skipped (Counter[str]): Number of files of unknown formats in the input folders, by suffix.
    special (list[tuple[Path, str]]): Files that are not regular and were not opened, each with its
        kind.
    redone (Sequence[Path]): Results that were missing or changed when the run was resumed.
    repeatable (bool): Whether another run draws the same surrogates.
    unmatched (int): Number of patients and notes with known data whose id no note had; of a whole
        run, neither sampled, limited nor resumed.
    """

    notes: int = 0
    withheld: int = 0
    phi: Counter[str] = field(default_factory=Counter)
    failures: list[NoteResult] = field(default_factory=list)
    kept: dict[str, None] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    special: list[tuple[Path, str]] = field(default_factory=list)
    redone: Sequence[Path] = ()
    repeatable: bool = True
    unmatched: int = 0

    @property
    def total(self) -> int:
        """Number of notes that were redacted, and of all that was withheld."""
        return self.notes + self.withheld

    def add(self, result: NoteResult) -> None:
        """Count one note."""
        if not result.error:
            self.notes += not result.is_field
            self.phi.update(result.phi)
            return
        self.withheld += 1
        if len(self.failures) < _MOST:
            self.failures.append(result)

    def add_kept(self, names: Iterable[str]) -> None:
        """Add names of what stays beside a text."""
        for name in names:
            if len(self.kept) < _MOST:
                self.kept[name] = None
