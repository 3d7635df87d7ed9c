"""Notes inside files of many formats: only the notes change, everything else stays.

To add a format, write a module with a `Format`, and list it in `FORMATS`.
"""

from collections.abc import Mapping
from pathlib import Path

from ..files import FormatError, with_suffix
from .base import Chunk, Fields, Format, Record
from .delimited import CSV, TSV
from .fhir import FHIR, FHIR_LINES
from .hl7 import HL7
from .jsonl import JSONL
from .parquet import PARQUET
from .whole import I2B2, TEXT

__all__ = [
    "FORMATS",
    "Chunk",
    "Fields",
    "Format",
    "Record",
    "FormatError",
    "format_of",
]

FORMATS: Mapping[str, Format] = {
    each.name: each for each in (TEXT, I2B2, JSONL, CSV, TSV, PARQUET, FHIR, FHIR_LINES, HL7)
}
"""The formats that can be redacted, by name."""


def format_of(path: Path) -> Format | None:
    """The format with the suffix of a file, if there is one."""
    return next(iter(with_suffix({path.suffix.lower()}, FORMATS)), None)
