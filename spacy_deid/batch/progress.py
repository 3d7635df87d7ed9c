"""A progress bar by bytes read, as many formats do not tell their number of notes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from .reader import FileChunk

_FORMAT = "{percentage:3.0f}%|{bar}| {desc} [{elapsed}<{remaining}]"


class Progress:
    """Shows notes, notes per second and the time left.

    sources (Sequence[Path]): The files to read.
    shown (bool): Whether to show the bar, where stderr is a terminal.
    """

    def __init__(self, sources: Sequence[Path], *, shown: bool) -> None:
        self.bar = tqdm(
            total=sum(path.stat().st_size for path in sources if path.exists()),
            bar_format=_FORMAT,
            disable=None if shown else True,
        )
        self.notes = 0
        self.begin = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def add(self, chunk: FileChunk) -> None:
        """Count a chunk and the notes in it."""
        self.notes += len(chunk.records)
        rate = self.notes / max(time.monotonic() - self.begin, 1e-9)
        self.bar.set_description_str(f"{self.notes:,} notes, {rate:,.0f} notes/s", refresh=False)
        self.bar.update(chunk.chunk.size if chunk.chunk else 0)
