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
    logs: Annotated[
        list[Path],
        Argument(metavar="FILE...", help="Audit log of spacy-deid serve, or its files in order."),
    ],
) -> None:
    """
    Lines cut off at the end leave no trace: compare the last hash with one that you kept elsewhere.

    Examples:

    spacy-deid check-audit audit.jsonl

    spacy-deid check-audit audit-2026-01.jsonl audit-2026-02.jsonl
    """
    chain = check_audit_log(*logs)
    if not chain.begins:
        messages.tell(f"It goes on from an earlier file, whose last hash is {chain.before}")
    typer.echo(messages.SAY.good(f"Intact, lines: {chain.lines}. The last hash:"))
    typer.echo(chain.last)
