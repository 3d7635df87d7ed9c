"""Annotated notes in files: corpora, spaCy's DocBin, and the formats of annotation tools."""

from .base import Format, Problem
from .io import FORMATS, Tally, read_notes, write_notes

__all__ = ["FORMATS", "Format", "Problem", "Tally", "read_notes", "write_notes"]
