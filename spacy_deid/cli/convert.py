"""`spacy-deid convert`: a corpus from one format to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from ..annotation.phi import CATEGORY, PHI_TYPES
from ..corpora import Tally
from ..corpora.convert import convert
from . import options

Source = Annotated[Path, typer.Argument(metavar="INPUT", help="A file, or a folder of files.")]
Target = Annotated[Path, typer.Argument(metavar="OUTPUT", help="File or folder to write.")]
TargetFormat = Annotated[str | None, typer.Option("--to", help="Format of OUTPUT, if unclear.")]


@options.command("convert", **{"from": "format"})
def convert_cli(
    source: Source,
    target: Target,
    format: options.Format = None,
    target_format: TargetFormat = None,
    labels: options.Labels = None,
    force: options.Force = False,
) -> None:
    """
    Convert a corpus between i2b2 XML, JSON lines, brat standoff and spaCy's DocBin.

    An invalid note is set aside and listed at the end; the exit code is then 1.

    Examples:

    spacy-deid convert training-PHI-Gold-Set1/ train.spacy

    spacy-deid convert notes.jsonl notes-brat/ --to brat

    spacy-deid convert old.jsonl new-xml/ --to i2b2 --labels i2b2-2006
    """
    conversion = convert(
        source,
        target,
        source_format=format,
        target_format=target_format,
        labels=labels,
        force=force,
        progress=True,
    )
    options.good(_summary(conversion.written))
    if dropped := conversion.dropped:
        counts = f"{dropped.total()} ({_counts(sorted(dropped), dropped)})"
        message = options.shown(f"Spans dropped, as their labels have no PHI type: {counts}")
        typer.echo(options.SAY.info(message))
    options.list_problems("Notes set aside", conversion.problems)


def _summary(written: Tally) -> str:
    categories: Counter[str] = Counter()
    for phi_type, count in written.types.items():
        categories[CATEGORY[phi_type]] += count
    counts = _counts((category for category in PHI_TYPES if categories[category]), categories)
    summary = f"Notes converted: {written.notes}, spans: {categories.total()}"
    return f"{summary} ({counts})" if counts else summary


def _counts(names: Iterable[str], counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in names)
