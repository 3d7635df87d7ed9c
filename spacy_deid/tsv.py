"""The data files of the package: a row per line, fields separated by tabs, comments from "#"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def read_rows(path: Path) -> Iterator[list[str]]:
    """The fields of each row of a data file, without comments and empty lines."""
    for line in path.read_text("utf8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")
