"""What commands print and write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from wasabi import Printer

from ..corpora import Problem
from ..corpora.convert import check_apart
from ..files import check_output, make_parent, printable, replacing

_IN_COMMANDS = {
    "force=True": "--force",
    "resume=True": "--resume",
    "system_format=": "--system-format",
    "target_format=": "--to",
    "format=": "--format",
    "fmt=": "--format",
    "key_file=": "--key-file",
    "policy='tag'": "--policy tag",
    "patient_from='folder'": "--patient-id-from folder",
    "keep_originals=": "--keep-originals",
    "sample=": "--sample",
    "limit=": "--limit",
    "strata=": "--strata",
    "dry_run=": "--dry-run",
    "resume=": "--resume",
    "force=": "--force",
    "text=": "--text-column",
    "patient=": "--patient-column",
    "fields.text": "--text-column",
    "fields.types": "--redact-columns",
    "fields.structured": "--structured",
    "fields.known": "--known-from-record",
    "fields.patient": "--patient-column",
    "fields.id": "--id-column",
}
"""Python names in messages, which stand in `backticks`, and the command line options for them."""
_PYTHON_NAME = re.compile(f"`({'|'.join(map(re.escape, _IN_COMMANDS))})`")

SAY = Printer(no_print=True, pretty=not os.environ.get("NO_COLOR"))
"""Marks messages as good, bad or warnings; `typer.echo` strips the colors in files."""


def check_outputs(outputs: Iterable[Path | None], inputs: Sequence[Path | None]) -> None:
    """Check the files that are wanted, before long work for them.

    RAISES (ValueError): If one cannot be written, or would replace an input or a file in one, or
        another output.
    """
    wanted = [path for path in outputs if path]
    for number, path in enumerate(wanted):
        if path in wanted[:number]:
            raise ValueError(f"two outputs would be written to {path}; name another file for one")
        if path.is_dir():
            raise ValueError(f"{path} is a folder; name a file")
        check_output(path)
        for source in filter(None, inputs):
            check_apart(source, path)
        make_parent(path)


def write_json(value: Any, path: Path | None) -> None:
    """Write JSON to the file, if one is wanted, and name it."""
    if path:
        with replacing(path) as file:
            file.write(json.dumps(value, indent=1).encode("utf-8") + b"\n")
        tell(f"Written: {path}")


def list_problems(title: str, problems: Sequence[Problem]) -> None:
    """List the notes that failed, and exit with code 1 if there are any."""
    if problems:
        fail(f"{title}: {len(problems)}")
        for problem in problems:
            typer.echo(shown(f"  {problem}"))
        raise typer.Exit(1)


def shown(message: object) -> str:
    """A message for the terminal: control characters escaped, options by their names there."""
    text = _PYTHON_NAME.sub(lambda name: _IN_COMMANDS[name[1]], str(message))
    return printable(text)


def tell(message: str) -> None:
    """Print a message to standard error; standard output holds only results."""
    typer.echo(shown(message), err=True)


def good(message: str) -> None:
    """Print a success to standard output."""
    typer.echo(SAY.good(shown(message)))


def fail(message: str) -> None:
    """Print an error to standard error."""
    typer.echo(SAY.fail(shown(message)), err=True)
