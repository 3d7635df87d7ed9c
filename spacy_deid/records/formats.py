"""The formats by name. To add one, write a module with a `Format` and list it here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..files import with_suffix
from .base import Format
from .delimited import CSV, TSV
from .fhir import FHIR, FHIR_LINES
from .hl7 import HL7
from .jsonl import JSONL
from .parquet import PARQUET
from .plain import TEXT
from .xml import I2B2

_ALL = (TEXT, I2B2, JSONL, CSV, TSV, PARQUET, FHIR, FHIR_LINES, HL7)

FORMATS: Mapping[str, Format] = {each.name: each for each in _ALL}
"""The formats that can be redacted, by name."""


def format_of(path: Path) -> Format | None:
    """The format with the suffix of a file, if there is one."""
    return next(iter(with_suffix({path.suffix.lower()}, FORMATS)), None)
