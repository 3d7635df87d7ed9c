"""Notes inside files of many formats: only the notes change, everything else stays.

To add a format, write a module with a `RecordFormat`, and list it in `RECORD_FORMATS`.
"""

from collections.abc import Mapping
from pathlib import Path

from ..files import FormatError, with_suffix
from .base import Chunk, Fields, Record, RecordFormat
from .delimited import CSV, TSV
from .fhir import FHIR, FHIR_LINES
from .hl7 import HL7
from .jsonl import JSONL
from .parquet import PARQUET
from .whole import I2B2, TEXT

__all__ = [
    "RECORD_FORMATS",
    "STRUCTURED",
    "Chunk",
    "Fields",
    "RecordFormat",
    "Record",
    "FormatError",
    "format_of",
]

RECORD_FORMATS: Mapping[str, RecordFormat] = {
    each.name: each for each in (TEXT, I2B2, JSONL, CSV, TSV, PARQUET, FHIR, FHIR_LINES, HL7)
}
"""The formats that can be redacted, by name."""

STRUCTURED = tuple(name for name, each in RECORD_FORMATS.items() if each.structured)
"""Names of those with structured fields."""


def format_of(path: Path) -> RecordFormat | None:
    """The format with the suffix of a file, if there is one."""
    return next(iter(with_suffix({path.suffix.lower()}, RECORD_FORMATS)), None)
