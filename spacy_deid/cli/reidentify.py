"""`spacy-deid reidentify`: originals and their replacements, for the holder of the key."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..files import printable
from ..redaction import find_key
from ..redaction.reidentify import Identity, Original, read_originals, to_rows
from . import options
from .decorator import command


@command("reidentify")
def reidentify_cli(
    file: Annotated[Path, Argument(metavar="FILE", help="Made by `redact --keep-originals`.")],
    key_file: options.KeyFile = None,
    jsonl: Annotated[bool, Option("--jsonl", help="Print JSON lines, one per note.")] = False,
) -> None:
    """
    The file is encrypted with the key of the run. The CSV has a row for each replacement: path of
    the redacted note, patient, note, PHI type, original, surrogate, and the offsets of both. The
    exit code is 2 if the key is wrong or the file is damaged.

    Examples:

    spacy-deid reidentify redacted.vault --key-file secret.key > originals.csv

    SPACY_DEID_KEY=… spacy-deid reidentify redacted.vault --jsonl
    """
    identities = read_originals(file, find_key(key_file))
    if jsonl:
        for identity in identities:
            originals = [original._asdict() for original in identity.originals]
            typer.echo(json.dumps({**vars(identity), "originals": originals}))
        return
    columns = [field.name for field in fields(Identity)][:-1]
    columns += Original._fields
    # An original may have a bare CR, which is not quoted by default.
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    fit = printable if _is_terminal() else _encodable
    for identity in identities:
        rows = to_rows(identity)
        writer.writerows({name: fit(str(row[name])) for name in row} for row in rows)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _encodable(cell: str) -> str:
    """A cell that any file can hold: halves of surrogate pairs are written as escapes."""
    return cell.encode("utf-8", "backslashreplace").decode("utf-8")
