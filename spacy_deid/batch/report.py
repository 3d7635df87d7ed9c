"""The report of a redaction run, from its manifest: tables for the terminal, and an HTML page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from ..annotation.phi import CATEGORY, in_order
from ..files import MANIFEST
from ..pages import write_page
from ..tables import Table
from .manifest import read_manifest

_MOST_PLACES = 100
_MOST_BINS = 12


@dataclass
class RunReport:
    """Statistics of a run, from the lines of its manifest."""

    run: Mapping[str, Any] = field(default_factory=dict)  # the first line: versions, settings
    end: Mapping[str, Any] = field(default_factory=dict)  # the last; empty if the run did not end
    notes: int = 0  # redacted notes
    without_phi: int = 0  # redacted notes without PHI
    characters: int = 0  # in the redacted notes
    phi: Counter[str] = field(default_factory=Counter)  # replacements by PHI type
    notes_with: Counter[str] = field(default_factory=Counter)  # notes with PHI of a type
    sources: Counter[str] = field(default_factory=Counter)  # detections by agreeing detectors "a+b"
    terms: Counter[str] = field(default_factory=Counter)  # matches of the user's terms, by name
    per_note: Counter[int] = field(default_factory=Counter)  # notes by their number of PHI
    withheld: Counter[str] = field(default_factory=Counter)  # withheld notes by reason
    places: list[tuple[str, str]] = field(default_factory=list)  # the first hundred withheld notes

    def add(self, line: Mapping[str, Any]) -> None:
        """Count a line of the manifest."""
        if "run" in line:
            self.run = line["run"]
        elif "end" in line:
            self.end = line["end"]
        elif line.get("error") and "file" not in line:
            self.withheld[line["error"]] += 1
            if len(self.places) < _MOST_PLACES:
                self.places.append((str(line.get("output", "")), line["error"]))
        elif "file" not in line:
            phi: Mapping[str, int] = line.get("phi", {})
            self.phi.update(phi)
            self.sources.update(line.get("sources", {}))
            self.terms.update(line.get("terms", {}))
            if "field" not in line:
                self.notes += 1
                self.without_phi += not phi
                self.characters += line.get("characters", 0)
                self.notes_with.update(phi.keys())
                self.per_note[sum(phi.values())] += 1

    @property
    def speed(self) -> float | None:
        """Notes per second; None if the run did not end."""
        seconds = self.end.get("seconds")
        return (self.notes + self.withheld.total()) / seconds if seconds else None

    def quantile(self, share: float) -> int:
        """The smallest number of PHI that this share of the notes does not exceed."""
        amounts = sorted(self.per_note.elements())
        return amounts[max(0, math.ceil(share * self.notes) - 1)] if amounts else 0

    def bins(self) -> Iterator[tuple[int, int, int]]:
        """Histogram of the number of PHI per note: first, last, number of notes.

        Bins, twelve at most, have equal width; notes without PHI have one of their own.
        """
        if self.per_note:
            yield 0, 0, self.per_note[0]
        top = max(self.per_note, default=0)
        widths = (digit * 10**power for power in count() for digit in (1, 2, 5))
        width = next(width for width in widths if width * (_MOST_BINS - 1) >= top)
        for first in range(1, top + 1, width):
            last = first + width - 1
            yield first, last, sum(self.per_note[n] for n in range(first, last + 1))


def read_run(path: Path) -> RunReport:
    """Read a manifest, or the one in an output folder.

    RAISES (ValueError): If it cannot be read, or is not a manifest.
    """
    path = path / MANIFEST if path.is_dir() else path
    report = RunReport()
    try:
        for line in read_manifest(path):
            report.add(line)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{path} is not a manifest of spacy-deid") from None
    if not report.run:
        reason = "no line describes the run" if path.stat().st_size else "it is empty"
        raise ValueError(f"{path} is not a manifest of spacy-deid: {reason}")
    return report


def run_tables(report: RunReport) -> list[Table]:
    """The tables of a run: PHI by type, notes, detectors, PHI per note, own terms, reasons if notes
    were withheld, and settings."""
    terms = [(name, f"{count:,}") for name, count in report.terms.most_common()]
    reasons = [(reason, f"{count:,}") for reason, count in report.withheld.most_common()]
    settings = list(_settings(report.run))
    return [
        _types(report),
        _notes(report),
        _detectors(report),
        _distribution(report),
        *([Table("Own terms", ("terms", "matches"), terms)] if terms else []),
        *([Table("Notes withheld", ("reason", "notes"), reasons)] if reasons else []),
        Table("Run", ("setting", "value"), settings, n_names=2),
    ]


def write_run_page(report: RunReport, path: Path, title: str) -> None:
    """Write the report of a run as one HTML file, atomically."""
    types, *others, settings = run_tables(report)
    cards = {
        "notes redacted": f"{report.notes:,}",
        "notes withheld": f"{report.withheld.total():,}",
        "PHI replaced": f"{report.phi.total():,}",
        "PHI per note": f"{report.phi.total() / max(1, report.notes):.1f}",
        "notes without PHI": _percent(report.without_phi, report.notes),
    }
    if report.speed:
        cards["notes per second"] = f"{report.speed:,.1f}"
    write_page(
        path,
        "run",
        title=title,
        cards=cards,
        types=types,
        others=others,
        settings=settings,
        places=_places(report),
        ended=bool(report.end),
    )


def _types(report: RunReport) -> Table:
    rows = [
        (
            name,
            CATEGORY.get(name, ""),
            f"{report.phi[name]:,}",
            _percent(report.phi[name], report.phi.total()),
            f"{report.notes_with[name]:,}",
            _percent(report.notes_with[name], report.notes),
        )
        for name in in_order(report.phi)
    ]
    header = ("type", "category", "PHI", "share", "notes with it", "of all notes")
    return Table("PHI by type", header, rows, n_names=2)


def _notes(report: RunReport) -> Table:
    rows = [
        ("redacted", f"{report.notes:,}"),
        ("withheld", f"{report.withheld.total():,}"),
        ("without PHI", f"{report.without_phi:,}"),
        ("characters", f"{report.characters:,}"),
        ("PHI per note, mean", f"{report.phi.total() / max(1, report.notes):.1f}"),
    ]
    for name, share in (("10%", 0.1), ("median", 0.5), ("90%", 0.9), ("most", 1.0)):
        rows.append((f"PHI per note, {name}", f"{report.quantile(share):,}"))
    if report.speed:
        rows.append(("seconds", f"{report.end['seconds']:,.0f}"))
        rows.append(("notes per second", f"{report.speed:,.1f}"))
    return Table("Notes", ("notes", "number"), rows)


def _detectors(report: RunReport) -> Table:
    """Number of detections by detector, and of those no other detector made."""
    found: Counter[str] = Counter()
    for group, number in report.sources.items():
        found.update(dict.fromkeys(group.split("+"), number))
    total = report.sources.total()
    rows = [
        (name, f"{found[name]:,}", _percent(found[name], total), f"{report.sources[name]:,}")
        for name in sorted(found, key=lambda name: (-found[name], name))
    ]
    return Table("PHI by detector", ("detector", "found", "share", "found alone"), rows)


def _distribution(report: RunReport) -> Table:
    rows = []
    for first, last, number in report.bins():
        name = str(first) if first == last else f"{first:,}-{last:,}"
        rows.append((name, f"{number:,}", _percent(number, report.notes)))
    return Table("PHI per note", ("PHI", "notes", "share"), rows)


def _settings(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as rows, without empty ones."""
    if isinstance(value, list):
        value = dict(enumerate(value, 1))
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _settings(item, f"{name} {key}".lstrip())
    elif value not in ("", None):
        yield name, str(value)[:16] if name.endswith("sha256") else str(value)


def _places(report: RunReport) -> Table:
    shown, withheld = len(report.places), report.withheld.total()
    title = "Where notes were withheld"
    if shown < withheld:
        title += f" (the first {shown} of {withheld:,}; the manifest has them all)"
    return Table(title, ("place", "reason"), report.places, n_names=2)


def _percent(part: int, total: int) -> str:
    return f"{part / max(1, total):.1%}"
