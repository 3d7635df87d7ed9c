"""`spacy-deid convert`: a corpus from one format to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from ..annotation.phi import CATEGORY, LABEL_SETS, PHI_TYPES
from ..corpora import FORMATS, Tally
from ..corpora.convert import Conversion, convert
from . import options
from .app import app

_FORMAT_NAMES = ", ".join(FORMATS)


Source = Annotated[
    Path, typer.Argument(metavar="INPUT", help="Corpus to convert: a file, or a folder of files.")
]
Target = Annotated[Path, typer.Argument(metavar="OUTPUT", help="File or folder to write.")]
SourceFormat = Annotated[
    str | None,
    typer.Option("--from", help=f"Format of INPUT, if unclear: {_FORMAT_NAMES}."),
]
TargetFormat = Annotated[
    str | None,
    typer.Option("--to", help=f"Format of OUTPUT, if unclear: {_FORMAT_NAMES}."),
]
Labels = Annotated[
    str | None,
    typer.Option(help=f"Label set that INPUT is annotated with: {', '.join(LABEL_SETS)}."),
]


@app.command("convert")
def convert_cli(
    source: Source,
    target: Target,
    source_format: SourceFormat = None,
    target_format: TargetFormat = None,
    labels: Labels = None,
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
    with options.exit_on_error():
        conversion = convert(
            source,
            target,
            source_format=source_format,
            target_format=target_format,
            labels=labels,
            force=force,
            progress=True,
        )
    _report(conversion)


def _report(conversion: Conversion) -> None:
    typer.echo(options.SAY.good(_summary(conversion.written)))
    dropped = conversion.dropped
    if dropped:
        counts = options.shown(_counts(sorted(dropped), dropped))
        typer.echo(
            options.SAY.info(
                f"Spans dropped, as their labels have no PHI type: {dropped.total()} ({counts})"
            )
        )
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
