"""`spacy-deid show`: notes beside their redaction, as a page."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..batch.deidentify import load_pipeline
from ..corpora import FORMATS as CORPORA
from ..corpora import Problem
from ..files import get_format
from ..records import FORMATS as RECORDS
from ..redaction import find_key, find_policy, random_key
from ..redaction.redacted import Redactor
from ..review import read_findings, write_review
from ..review.findings import SAMPLE_BY, draw_sample, is_text
from . import options

_FORMATS = {**RECORDS, **CORPORA}

File = Annotated[Path, typer.Argument(metavar="FILE", help="Notes: a file, or a folder of files.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="HTML file to write or overwrite.")]
RedactedOnly = Annotated[
    bool, typer.Option("--redacted-only", help="Leave out the original notes and names.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="Model to find PHI with, instead of showing the PHI annotated in the notes; "
        "by default en_deid where none is.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", help=f"Format, if unclear: {', '.join(_FORMATS)}."),
]
Sample = Annotated[int | None, typer.Option(min=1, help="Take this many notes, at random.")]
SampleBy = Annotated[
    str | None,
    typer.Option(help=f"Take as many from each {' or '.join(SAMPLE_BY)}, as far as they go."),
]
Launch = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]


_PRIVATE = "It holds the original notes: keep it only where they may be kept"


@options.command("show", r="redacted_only")
def show_cli(
    file: File,
    out: Out = Path("review.html"),
    redacted_only: RedactedOnly = False,
    model: Model = None,
    threshold: options.Threshold = None,
    terms: options.Terms = None,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    format: Format = None,
    text_column: options.TextColumn = None,
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "",
    sample: Sample = None,
    sample_by: SampleBy = None,
    seed: options.Seed = 1,
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

    spacy-deid show visits.csv --text-column note --sample 200 --sample-by patient

    spacy-deid show gold-xml/ --model en_deid --open
    """
    problems: list[Problem] = []
    _check_choices(out, format, sample_by)
    redactor = Redactor(find_policy(policy), find_key(key_file) or random_key())
    fields = options.fields(text_column, id_column, patient_column)
    searcher = model or ("en_deid" if is_text(file, format, fields) else None)
    nlp = load_pipeline(searcher, threshold, terms) if searcher else None
    findings = list(
        read_findings(
            file,
            nlp,
            fmt=format,
            fields=fields,
            select=partial(draw_sample, size=sample, seed=seed, by=sample_by) if sample else None,
            on_problem=problems.append,
        )
    )
    if nlp is None and not any(finding.note.spans for finding in findings):
        raise ValueError(f"no PHI is marked in {file}; search it with --model en_deid")
    title = "De-identified notes" if redacted_only else f"PHI in {file.name}"
    types = write_review(findings, out, title, redactor, redacted_only=redacted_only)
    options.good(f"Written: {out}, with {types.total()} PHI in {len(findings)} notes")
    if not redacted_only:
        typer.echo(options.SAY.warn(_PRIVATE))
    if launch:
        typer.launch(str(out))
    options.list_problems("Notes left out", problems)


def _check_choices(out: Path, fmt: str | None, sample_by: str | None) -> None:
    options.check_choice(out.suffix.lower(), (".html", ".htm"), "the suffix of --out")
    if fmt is not None:
        get_format(fmt, _FORMATS)
    if sample_by is not None:
        options.check_choice(sample_by, list(SAMPLE_BY), "--sample-by")
