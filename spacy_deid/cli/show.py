"""`spacy-deid show`: notes beside their redaction, as a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..corpora import CORPUS_FORMATS, Problem
from ..engine.loading import load_pipeline
from ..files import get_format
from ..records import RECORD_FORMATS
from ..redaction import find_key, find_policy, random_key
from ..redaction.redacted import Redactor
from ..review import read_findings, write_review
from ..review.findings import SAMPLE_BY, Finding, draw_sample, is_text
from . import messages, options
from .decorator import command

_FORMATS = {**RECORD_FORMATS, **CORPUS_FORMATS}

File = Annotated[Path, Argument(metavar="FILE", help="Notes: a file, or a folder of files.")]
Out = Annotated[Path, Option("--out", "-o", help="HTML file to write or overwrite.")]
RedactedOnly = Annotated[
    bool, Option("--redacted-only", help="Leave out the original notes and names.")
]
Format = Annotated[
    str | None, Option("--format", "-f", help=f"Format, if unclear: {', '.join(_FORMATS)}.")
]
Launch = Annotated[bool, Option("--open", help="Open the page in the browser.")]


_PRIVATE = "It holds the original notes: keep it only where they may be kept"


@dataclass(frozen=True)
class Sampling:
    """Options of a random sample.

    RAISES (ValueError): If it cannot be drawn.
    """

    sample: Annotated[int | None, Option(min=1, help="Take this many notes, at random.")] = None
    sample_by: Annotated[
        str | None,
        Option(help=f"Draw as evenly as possible from each {' or '.join(SAMPLE_BY)}."),
    ] = None
    seed: options.Seed = 1

    def __post_init__(self) -> None:
        if self.sample_by is None:
            return
        options.check_choice(self.sample_by, list(SAMPLE_BY), "--sample-by")
        if self.sample is None:
            raise ValueError("--sample-by needs the number of notes: --sample 20")

    def select(self, findings: Iterable[Finding]) -> Iterable[Finding]:
        """The sample of notes, or all."""
        if self.sample is None:
            return findings
        return draw_sample(findings, self.sample, seed=self.seed, by=self.sample_by)


@command("show", r="redacted_only")
def show_cli(
    file: File,
    *,
    out: Out = Path("review.html"),
    redacted_only: RedactedOnly = False,
    model: options.SearchModel = None,
    threshold: options.Threshold = None,
    terms: options.Terms = None,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    format: Format = None,
    columns: options.Columns,
    sampling: Sampling,
    launch: Launch = False,
) -> None:
    """
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
    options.check_html(out, "--out")
    if format is not None:
        get_format(format, _FORMATS)
    redactor = Redactor(find_policy(policy), find_key(key_file) or random_key())
    fields = columns.fields()
    searcher = model or ("en_deid" if is_text(file, format, fields) else None)
    nlp = load_pipeline(searcher, threshold, terms) if searcher else None
    findings = list(
        read_findings(
            file, nlp, fmt=format, fields=fields, select=sampling.select, on_problem=problems.append
        )
    )
    if nlp is None and not any(finding.note.spans for finding in findings):
        raise ValueError(f"no PHI is marked in {file}; search it with --model en_deid")
    title = "De-identified notes" if redacted_only else f"PHI in {file.name}"
    types = write_review(findings, out, title, redactor, redacted_only=redacted_only)
    messages.good(f"Written: {out}, with {types.total()} PHI in {len(findings)} notes")
    if not redacted_only:
        typer.echo(messages.SAY.warn(_PRIVATE))
    if launch:
        typer.launch(str(out))
    messages.list_problems("Notes left out", problems)
