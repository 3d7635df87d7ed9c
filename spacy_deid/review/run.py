"""Statistics of a run, from its manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..batch import MANIFEST, read_manifest

_MOST_PLACES = 100


@dataclass
class RunReport:
    """Statistics of a run.

    run (Mapping[str, Any]): The manifest's first line: versions, model, policy, settings.
    end (Mapping[str, Any]): Its last line; empty if the run did not end.
    notes (int): Number of redacted notes.
    clean (int): Number of those without PHI.
    characters (int): Length of the redacted notes.
    phi (Counter[str]): Number of replacements by PHI type.
    notes_with (Counter[str]): Number of notes with PHI of each type.
    sources (Counter[str]): Number of detections by group of agreeing detectors ("a+b").
    per_note (Counter[int]): Number of notes by their number of PHI.
    withheld (Counter[str]): Number of withheld notes by reason.
    places (list[tuple[str, str]]): The first hundred withheld notes with their reasons.
    """

    run: Mapping[str, Any] = field(default_factory=dict)
    end: Mapping[str, Any] = field(default_factory=dict)
    notes: int = 0
    clean: int = 0
    characters: int = 0
    phi: Counter[str] = field(default_factory=Counter)
    notes_with: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    per_note: Counter[int] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    places: list[tuple[str, str]] = field(default_factory=list)

    def add(self, line: Mapping[str, Any]) -> None:
        """Count a line of the manifest."""
        if "run" in line:
            self.run = line["run"]
        elif "end" in line:
            self.end = line["end"]
        elif "file" in line:
            return
        elif line.get("error"):
            self.withheld[line["error"]] += 1
            if len(self.places) < _MOST_PLACES:
                self.places.append((str(line.get("output", "")), line["error"]))
        else:
            self._add_note(line)

    def _add_note(self, line: Mapping[str, Any]) -> None:
        phi: Mapping[str, int] = line.get("phi", {})
        self.notes += 1
        self.clean += not phi
        self.characters += line.get("characters", 0)
        self.phi.update(phi)
        self.notes_with.update(phi.keys())
        self.sources.update(line.get("sources", {}))
        self.per_note[sum(phi.values())] += 1

    @property
    def speed(self) -> float | None:
        """Notes per second; None if the run did not end."""
        seconds = self.end.get("seconds")
        return (self.notes + self.withheld.total()) / seconds if seconds else None

    def quantile(self, share: float) -> int:
        """The smallest number of PHI that this share of the notes does not exceed."""
        seen = 0
        for amount in sorted(self.per_note):
            seen += self.per_note[amount]
            if seen >= share * self.notes:
                return amount
        return 0

    def bins(self, most: int = 12) -> Iterator[tuple[int, int, int]]:
        """Histogram of the number of PHI per note: first, last, number of notes.

        Bins have equal width; notes without PHI have one of their own.
        most (int): Maximum number of bins.
        """
        if not self.per_note:
            return
        yield 0, 0, self.per_note[0]
        top = max(self.per_note)
        width = next(w for w in _widths() if w * (most - 1) >= top)
        for first in range(1, top + 1, width):
            last = first + width - 1
            yield first, last, sum(self.per_note[n] for n in range(first, last + 1))


def read_run(path: Path) -> RunReport:
    """Read a manifest, or the one in an output folder.

    RAISES (ValueError): If it cannot be read, or is not a manifest.
    """
    if path.is_dir():
        path = path / MANIFEST
    report = RunReport()
    try:
        for line in read_manifest(path):
            report.add(line)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{path} is not a manifest of spacy-deid") from None
    if not path.stat().st_size:
        raise ValueError(f"{path} is not a manifest of spacy-deid: it is empty")
    if not report.run:
        raise ValueError(f"{path} is not a manifest of spacy-deid: no line describes the run")
    return report


def _widths() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, …"""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10
