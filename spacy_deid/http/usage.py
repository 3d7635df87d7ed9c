"""What a request or a job used: for the audit log and the metrics, counts only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client import Counter as Total


@dataclass
class Usage:
    """What a request used, or a job.

    notes (int): Number of texts that were searched.
    withheld (int): Number of texts that could not be searched.
    characters (int): Characters of all texts; of a job, of the redacted ones.
    phi (Counter[str]): Number of PHI found, by type.
    job (str): Id of the job that it is about.
    """

    notes: int = 0
    withheld: int = 0
    characters: int = 0
    phi: Counter[str] = field(default_factory=Counter)
    job: str = ""

    def add(self, text: str, types: Iterable[str], *, withheld: bool) -> None:
        """Count a text, and the types of its PHI."""
        self.notes += 1
        self.withheld += withheld
        self.characters += len(text)
        self.phi.update(types)

    def entry(self) -> dict[str, Any]:
        """Its part of a line in the audit log."""
        return {**vars(self), "phi": dict(sorted(self.phi.items()))}


class Metrics:
    """Counts and latencies in the format of Prometheus."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        labels = ("path", "status")
        self._requests = Total("deid_requests", "Requests.", labels, registry=registry)
        self._seconds = Histogram("deid_seconds", "Seconds.", ("path",), registry=registry)
        self._notes = Total("deid_notes", "Texts that were searched.", registry=registry)
        self._withheld = Total("deid_withheld", "Texts that were not.", registry=registry)
        self._characters = Total(
            "deid_characters",
            "Characters of texts; of jobs, of the redacted ones.",
            registry=registry,
        )
        self._phi = Total("deid_phi", "PHI found.", ("type",), registry=registry)
        self.in_flight = Gauge("deid_in_flight", "Requests being answered.", registry=registry)

    def add(self, path: str, status: int, seconds: float, usage: Usage) -> None:
        """Count a request."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)
        self.count(usage)

    def count(self, usage: Usage) -> None:
        """Count what was used."""
        self._notes.inc(usage.notes - usage.withheld)
        self._withheld.inc(usage.withheld)
        self._characters.inc(usage.characters)
        for phi_type, count in usage.phi.items():
            self._phi.labels(phi_type).inc(count)

    def render(self) -> bytes:
        """All metrics as text."""
        return generate_latest(self._registry)
