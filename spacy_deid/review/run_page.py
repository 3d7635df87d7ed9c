"""The report of a run: tables for the terminal, and an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..annotation.phi import CATEGORY
from ..batch.results import in_order
from ..evaluation.render import Table
from ..pages import write_page
from .run import RunReport


def run_tables(report: RunReport) -> list[Table]:
    """The tables of a run: PHI by type, notes, detectors, PHI per note, reasons if notes were
    withheld, and settings."""
    reasons = [_reasons(report)] if report.withheld else []
    tables = [_types(report), _notes(report), _detectors(report), _distribution(report)]
    return [*tables, *reasons, _settings(report)]


def write_run_page(report: RunReport, path: Path, title: str) -> None:
    """Write the report of a run as one HTML file, atomically."""
    types, *others, settings = run_tables(report)
    write_page(
        path,
        "run",
        title=title,
        cards=_cards(report),
        types=types,
        others=others,
        settings=settings,
        places=_places(report),
        ended=bool(report.end),
    )


def _cards(report: RunReport) -> dict[str, str]:
    cards = {
        "notes redacted": f"{report.notes:,}",
        "notes withheld": f"{report.withheld.total():,}",
        "PHI replaced": f"{report.phi.total():,}",
        "PHI per note": f"{report.phi.total() / max(1, report.notes):.1f}",
        "notes without PHI": _percent(report.clean, report.notes),
    }
    return cards | ({"notes per second": f"{report.speed:,.1f}"} if report.speed else {})


def _settings(report: RunReport) -> Table:
    return Table("Run", ("setting", "value"), list(_flat(report.run).items()), n_names=2)


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested settings as rows, without empty ones."""
    rows: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows |= _flat(value, f"{prefix}{name} ")
        elif isinstance(value, list):
            rows |= _flat({str(i): item for i, item in enumerate(value, 1)}, f"{prefix}{name} ")
        elif value not in ("", None):
            rows[prefix + name] = str(value)
    return rows


def _notes(report: RunReport) -> Table:
    mean = report.phi.total() / max(1, report.notes)
    rows = [
        ("redacted", f"{report.notes:,}"),
        ("withheld", f"{report.withheld.total():,}"),
        ("without PHI", f"{report.clean:,}"),
        ("characters", f"{report.characters:,}"),
        ("PHI per note, mean", f"{mean:.1f}"),
        *(
            (f"PHI per note, {name}", f"{report.quantile(share):,}")
            for name, share in (("10%", 0.1), ("median", 0.5), ("90%", 0.9), ("most", 1.0))
        ),
    ]
    if report.speed:
        rows.append(("seconds", f"{report.end['seconds']:,.0f}"))
        rows.append(("notes per second", f"{report.speed:,.1f}"))
    return Table("Notes", ("notes", "number"), rows)


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


def _detectors(report: RunReport) -> Table:
    """Number of detections by detector, and of those no other detector made."""
    found: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for group, count in report.sources.items():
        names = group.split("+")
        found.update(dict.fromkeys(names, count))
        alone.update({name: count for name in names if len(names) == 1})
    total = report.sources.total()
    rows = [
        (name, f"{found[name]:,}", _percent(found[name], total), f"{alone[name]:,}")
        for name in sorted(found, key=lambda name: (-found[name], name))
    ]
    return Table("PHI by detector", ("detector", "found", "share", "found alone"), rows)


def _distribution(report: RunReport) -> Table:
    rows = [
        (_range(first, last), f"{count:,}", _percent(count, report.notes))
        for first, last, count in report.bins()
    ]
    return Table("PHI per note", ("PHI", "notes", "share"), rows)


def _reasons(report: RunReport) -> Table:
    rows = [(reason, f"{count:,}") for reason, count in report.withheld.most_common()]
    return Table("Notes withheld", ("reason", "notes"), rows)


def _places(report: RunReport) -> Table:
    shown, withheld = len(report.places), report.withheld.total()
    title = "Where notes were withheld"
    if shown < withheld:
        title += f" (the first {shown} of {withheld:,}; the manifest has them all)"
    return Table(title, ("place", "reason"), report.places, n_names=2)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first:,}-{last:,}"


def _percent(count: int, total: int) -> str:
    return f"{count / max(1, total):.1%}"
