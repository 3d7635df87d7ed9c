"""`spacy-deid check-audit`: whether the audit log of a server is as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from ..http.audit import check_audit_log
from . import messages
from .decorator import command


@command("check-audit")
def check_audit_cli(
    log: Annotated[Path, Argument(metavar="FILE", help="Audit log of spacy-deid serve.")],
) -> None:
    """
    Lines cut off at the end leave no trace: compare the last hash with one that you kept elsewhere.

    Example:

    spacy-deid check-audit audit.jsonl
    """
    lines, last = check_audit_log(log)
    typer.echo(messages.SAY.good(f"Intact, lines: {lines}. The last hash:"))
    typer.echo(last)
