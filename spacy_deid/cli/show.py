"""`spacy-deid show`: notes beside their redaction, as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..corpora import Problem
from ..redaction import find_key, find_policy, random_key
from ..redaction.redacted import Redactor
from ..review import read_findings, write_review
from ..review.findings import TEXT, is_text
from . import options

File = Annotated[Path, typer.Argument(metavar="FILE", help="Notes: a file, or a folder of files.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="HTML file to write or overwrite.")]
RedactedOnly = Annotated[
    bool, typer.Option("--redacted-only", "-r", help="Leave out the original notes and names.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="Model to find PHI with, instead of showing the PHI annotated in the notes; "
        "by default en_deid for text files.",
    ),
]
Fmt = Annotated[
    str | None,
    typer.Option("--format", help=f"Format, if unclear: {TEXT}, {options.FORMAT_NAMES}."),
]
Launch = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]


@options.command("show")
def show_cli(
    file: File,
    out: Out = Path("review.html"),
    redacted_only: RedactedOnly = False,
    model: Model = None,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    fmt: Fmt = None,
    launch: Launch = False,
) -> None:
    """
    Write one HTML page with notes, their PHI highlighted, beside the redacted text.

    **The page holds PHI**: treat it like the notes, or write it with --redacted-only. It is
    meant for a few hundred notes, works offline, and shows the detectors of each span on hover.
    A note that fails is left out and listed; the exit code is then 1.

    Examples:

    spacy-deid show notes/ --out review.html

    spacy-deid show predicted.spacy --policy mask --redacted-only

    spacy-deid show gold-xml/ --model en_deid --open
    """
    problems: list[Problem] = []
    options.check_choice(out.suffix.lower(), (".html", ".htm"), "the suffix of --out")
    redactor = Redactor(find_policy(policy), find_key(key_file) or random_key())
    searcher = model or ("en_deid" if is_text(file, fmt) else None)
    nlp = options.load_model(searcher) if searcher else None
    findings = list(read_findings(file, nlp, fmt=fmt, on_problem=problems.append))
    if nlp is None and not any(finding.note.spans for finding in findings):
        raise ValueError(f"no PHI is marked in {file}; search it with --model en_deid")
    title = "De-identified notes" if redacted_only else f"PHI in {file.name}"
    types = write_review(findings, out, title, redactor, redacted_only=redacted_only)
    options.good(f"Written: {out}, with {types.total()} PHI")
    if not redacted_only:
        message = "It holds the original notes: keep it only where they may be kept"
        typer.echo(options.SAY.warn(message))
    if launch:
        typer.launch(str(out))
    options.list_problems("Notes left out", problems)
