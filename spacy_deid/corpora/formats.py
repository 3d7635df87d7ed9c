"""The table of formats, and how a path tells its own.

To add a format, write a module like `jsonl.py` that makes a `Format` of its four functions, and
add that to `FORMATS`; reading, converting, training and the command line then know it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from .base import Format, check_path, suffixes_at
from .brat import BRAT
from .docbin import DOCBIN
from .i2b2 import I2B2
from .jsonl import JSONL

FORMATS: Mapping[str, Format] = {fmt.name: fmt for fmt in (I2B2, JSONL, BRAT, DOCBIN)}
"""Formats by name."""


def get_format(name: str) -> Format:
    """The format of that name.

    RAISES (ValueError): If there is none.
    """
    if name not in FORMATS:
        raise ValueError(f"unknown format '{name}'; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def input_format(path: Path, name: str | None = None) -> Format:
    """The format of the file or folder at `path`: the one named, or the one its suffixes tell.

    RAISES (ValueError): If there is nothing at `path`, or nothing that tells one format.
    """
    check_path(path)
    suffixes = suffixes_at(path)
    return get_format(name) if name else _only(path, (f for f in _all() if f.suffix in suffixes))


def output_format(path: Path, name: str | None = None) -> Format:
    """The format to write at `path`: the one named, or the one its suffix tells.

    RAISES (ValueError): If the suffix tells none, as with a folder.
    """
    suffix = path.suffix.lower()
    return (
        get_format(name)
        if name
        else _only(path, (f for f in _all() if f.suffix == suffix and not f.folder))
    )


def _all() -> Iterable[Format]:
    return FORMATS.values()


def _only(path: Path, formats: Iterable[Format]) -> Format:
    found = list(formats)
    if len(found) != 1:
        names = ", ".join(fmt.name for fmt in found or _all())
        raise ValueError(f"the format of {path} is unclear; name it, one of {names}")
    return found[0]
