"""`spacy-deid convert`: a corpus from one format to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..annotation.phi import CATEGORY, PHI_TYPES
from ..corpora import Tally
from ..corpora.convert import Conversion, convert
from ..engine.loading import load_pipeline
from ..review.preannotate import preannotate
from . import messages, options
from .decorator import command


@command("convert", **{"from": "format"})
def convert_cli(
    source: Annotated[Path, Argument(metavar="INPUT", help="A file, or a folder of files.")],
    target: Annotated[Path, Argument(metavar="OUTPUT", help="File or folder to write.")],
    *,
    format: options.Format = None,
    target_format: Annotated[
        str | None, Option("--to", help=f"Format of OUTPUT, if unclear: {options.FORMAT_NAMES}.")
    ] = None,
    labels: options.Labels = None,
    model: Annotated[
        str | None,
        Option(
            "--model",
            "-m",
            help="Model to find PHI with, in place of the PHI annotated in INPUT, which may then "
            "have any format that redact reads.",
        ),
    ] = None,
    threshold: options.Threshold = None,
    columns: options.TextColumns,
    force: options.Force = False,
) -> None:
    """
    With --model, the PHI is what the model finds: pre-annotation. An invalid note is set
    aside and listed at the end; the exit code is then 1.

    Examples:

    spacy-deid convert training-PHI-Gold-Set1/ train.spacy

    spacy-deid convert notes.jsonl notes-brat/ --to brat

    spacy-deid convert old.jsonl new-xml/ --to i2b2 --labels i2b2-2006

    spacy-deid convert notes/ tasks.json --to label-studio --model en_deid

    spacy-deid convert export.json gold.jsonl --format label-studio
    """
    formats = {"source_format": format, "target_format": target_format}
    if model is None:
        if threshold is not None or columns != options.TextColumns():
            raise ValueError("--threshold, --text-column and --id-column need --model")
        result = convert(source, target, **formats, labels=labels, force=force, progress=True)
    else:
        if labels is not None:
            raise ValueError("--labels is for annotated notes; leave it out with --model")
        nlp, fields = load_pipeline(model, threshold), columns.fields()
        result = preannotate(
            source,
            target,
            nlp,
            **formats,
            fields=fields,
            force=force,
            progress=True,
            exclusive=True,
        )
    _report(result)


def _report(conversion: Conversion) -> None:
    messages.good(_summary(conversion.written))
    if dropped := conversion.dropped:
        counts = f"{dropped.total()} ({_counts(sorted(dropped), dropped)})"
        message = messages.shown(f"Spans dropped, as their labels have no PHI type: {counts}")
        typer.echo(messages.SAY.info(message))
    messages.list_problems("Notes set aside", conversion.problems)


def _summary(written: Tally) -> str:
    categories: Counter[str] = Counter()
    for phi_type, count in written.types.items():
        categories[CATEGORY[phi_type]] += count
    counts = _counts((category for category in PHI_TYPES if categories[category]), categories)
    summary = f"Notes converted: {written.notes}, spans: {categories.total()}"
    return f"{summary} ({counts})" if counts else summary


def _counts(names: Iterable[str], counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in names)
