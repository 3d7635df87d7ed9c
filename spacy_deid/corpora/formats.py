"""The corpus formats, and how to tell the format of a path.

To add one, write a module like `jsonl.py` with a `Format`, and list it in `FORMATS`; reading,
converting, training and the command line then support it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..files import get_format, with_suffix
from .base import Format, check_path, suffixes_at
from .brat import BRAT
from .docbin import DOCBIN
from .i2b2 import I2B2
from .jsonl import JSONL

FORMATS: Mapping[str, Format] = {fmt.name: fmt for fmt in (I2B2, JSONL, BRAT, DOCBIN)}
"""Formats by name."""


def input_format(path: Path, name: str | None = None) -> Format:
    """The format of the file or folder at `path`; by default, by suffix.

    RAISES (ValueError): If there is nothing at `path`, or its format is unknown or unclear.
    """
    check_path(path)
    suffixes = suffixes_at(path)
    return get_format(name, FORMATS) if name else _only(path, with_suffix(suffixes, FORMATS))


def output_format(path: Path, name: str | None = None) -> Format:
    """The format to write at `path`; by default, by suffix.

    RAISES (ValueError): If the format is unknown, or unclear, as for a folder.
    """
    if name:
        return get_format(name, FORMATS)
    found = with_suffix({path.suffix.lower()}, FORMATS)
    return _only(path, [fmt for fmt in found if not fmt.folder])


def _only(path: Path, found: Sequence[Format]) -> Format:
    if len(found) != 1:
        names = ", ".join(fmt.name for fmt in found or FORMATS.values())
        raise ValueError(f"the format of {path} is unclear; name it, one of {names}")
    return found[0]
