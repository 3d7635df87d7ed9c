"""Tables: data files of the package, and CSV files of users."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..files import FormatError


def read_rows(path: Path) -> Iterator[list[str]]:
    """The fields of each row of a data file of the package, without comments and empty lines.

    A file has a row per line, fields separated by tabs, and comments from "#".
    """
    for line in path.read_text("utf8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


@contextmanager
def open_csv(path: Path) -> Iterator[csv.DictReader[str]]:
    """Open a CSV file in UTF-8 with a header row.

    RAISES (FormatError): Also while it is read: if it cannot be read, or is not CSV.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            yield reader
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        if "field limit" in str(error):
            raise FormatError(
                f"{path}, line {reader.line_num + 1}: a value is longer than "
                f"{csv.field_size_limit():,} characters; is a quote left open before it?"
            ) from None
        raise FormatError(f"{path} is not CSV in UTF-8") from error
