"""The project's own evaluation sets, as `sets.tsv` lists them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from spacy_deid.tsv import read_rows

HERE = Path(__file__).parent

BROKEN = "_broken"
"""In the ids of notes that are broken in form: scans, dictation, residues of exports."""


class OwnSet(NamedTuple):
    """An evaluation set of the project."""

    name: str
    role: str  # "dev", or "test": scored, but its errors stay unread
    remark: str = ""

    @property
    def path(self) -> Path:
        """Its notes."""
        return HERE / f"{self.name}.jsonl"

    @property
    def policy(self) -> str:
        """How it is scored, for the reader of a table."""
        unread = "errors unread" if self.role == "test" else ""
        return "; ".join(filter(None, ("i2b2 2014 types as they are", self.remark, unread)))


OWN = {row[0]: OwnSet(*row) for row in read_rows(HERE / "sets.tsv")}
"""The sets by name, in the order of the tables."""
