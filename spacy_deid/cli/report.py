"""`spacy-deid report`: a summary of a redaction run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..batch import MANIFEST
from ..batch.report import read_run, run_tables, write_run_page
from . import messages, options
from .decorator import command

_MANIFEST = Argument(metavar="MANIFEST", help=f"{MANIFEST} of a run, or its output folder.")


@command("report")
def report_cli(
    manifest: Annotated[Path, _MANIFEST],
    *,
    html: Annotated[Path | None, Option(help="HTML file to write.")] = None,
    tables: options.Tables,
) -> None:
    """
    The summary is made from the manifest alone and holds no PHI. The exit code is 2 if the file is
    not a manifest.

    Examples:

    spacy-deid report redacted/manifest.jsonl

    spacy-deid report redacted/ --html run.html
    """
    options.check_html(html, "--html")
    report = read_run(manifest)
    if html:
        write_run_page(report, html, "De-identification report")
        messages.tell(f"Written: {html}")
    tables.print(run_tables(report))
    if not report.end:
        messages.tell("The run did not end: it is still in progress, or it was stopped.")
