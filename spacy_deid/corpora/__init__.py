"""Annotated notes in files: corpora, spaCy's DocBin, and the formats of annotation tools."""

from .base import CorpusFormat, Problem
from .io import CORPUS_FORMATS, Tally, read_notes, write_notes

FORMATS = CORPUS_FORMATS  # the names before 1.2.0, as this package is public
Format = CorpusFormat

__all__ = [
    "CORPUS_FORMATS",
    "FORMATS",
    "CorpusFormat",
    "Format",
    "Problem",
    "Tally",
    "read_notes",
    "write_notes",
]
