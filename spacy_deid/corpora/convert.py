"""Convert a corpus from one format to another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from ..annotation.phi import get_label_set, normalize_type
from ..files import real_path
from .base import Problem
from .io import Tally, ToPhi, read_notes, write_notes


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion."""

    written: Tally  # counts of what was written
    dropped: Counter[str]  # number of spans without a PHI type, by label
    problems: list[Problem]  # the notes that were set aside


def convert(
    source: Path,
    target: Path,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    labels: str | None = None,
    force: bool = False,
    progress: bool = False,
) -> Conversion:
    """Convert the notes at `source` into another format at `target`.

    source, target (Path): A file, or a folder of files.
    source_format, target_format (str | None): Name of the format; by default, by suffix.
    labels (str | None): Name of the label set of the input; by default, labels are PHI types.
    force (bool): Whether to replace existing files.
    progress (bool): Whether to show a progress bar, if stderr is a terminal.
    RAISES (ValueError): If a path, a format or the label set is wrong.
    """
    check_apart(source, target)
    dropped: Counter[str] = Counter()
    problems: list[Problem] = []
    notes = read_notes(
        source,
        fmt=source_format,
        to_phi=_mapping(labels, dropped) if labels else normalize_type,
        on_problem=problems.append,
    )
    with tqdm(notes, unit=" notes", disable=None if progress else True) as bar:
        written = write_notes(
            bar, target, fmt=target_format, force=force, on_problem=problems.append
        )
    return Conversion(written, dropped, problems)


def check_apart(source: Path, target: Path) -> None:
    """Check that an output does not replace what is read: a note that is set aside would be lost.

    RAISES (ValueError): If the target exists, and is the source or lies in it.
    """
    where = real_path(target)
    if target.exists() and real_path(source) in (where, *where.parents):
        raise ValueError(f"{target} would replace what is read from {source}; name another output")


def _mapping(name: str, dropped: Counter[str]) -> ToPhi:
    """The PHI types of the labels of a set; counts labels without one."""
    label_set = get_label_set(name)

    def to_phi(label: str) -> str | None:
        phi_type = label_set.to_phi(label)
        if phi_type is None:
            dropped[label] += 1
        return phi_type

    return to_phi
