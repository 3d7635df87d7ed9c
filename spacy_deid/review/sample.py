"""Random samples of notes."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from pathlib import PurePath

from ..batch.sample import draw
from .findings import Finding

SAMPLE_BY: dict[str, Callable[[Finding], str]] = {
    "folder": lambda finding: PurePath(finding.note.id).parent.as_posix(),
    "patient": lambda finding: finding.patient_id or finding.note.patient_id,
}
"""What a sample can be taken evenly from."""


def chance(seed: int, *names: str) -> float:
    """A draw as a number from 0 to 1."""
    return int.from_bytes(draw(seed, *names)[:8], "big") / 2**64


def draw_sample(
    findings: Iterable[Finding], size: int, *, seed: int = 1, by: str | None = None
) -> list[Finding]:
    """Draw notes at random: the same for a seed, in any order of the notes.

    by (str | None): A name in `SAMPLE_BY`, to draw as evenly as possible from all folders or
        patients; by default, every note is equally likely.
    RETURNS (list[Finding]): The sample, in the order given.
    """
    groups: dict[str, list[tuple[bytes, int, Finding]]] = {}
    for place, finding in enumerate(findings):
        group = groups.setdefault(SAMPLE_BY[by](finding) if by else "", [])
        group.append((draw(seed, finding.note.id), place, finding))
        if len(group) > 2 * size:  # keeps memory small
            group[:] = heapq.nsmallest(size, group, key=lambda item: item[:2])
    ranked = [
        (rank, *item)
        for group in groups.values()
        for rank, item in enumerate(sorted(group, key=lambda item: item[:2]))
    ]
    chosen = sorted(ranked, key=lambda item: item[:3])[:size]
    return [finding for *_, finding in sorted(chosen, key=lambda item: item[2])]
