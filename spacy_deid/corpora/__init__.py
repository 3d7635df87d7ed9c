"""Annotated notes in files: i2b2 XML, JSON lines, brat standoff and spaCy's DocBin."""

from .base import Format, Problem
from .io import FORMATS, Tally, read_notes, write_notes

__all__ = ["FORMATS", "Format", "Problem", "Tally", "read_notes", "write_notes"]
