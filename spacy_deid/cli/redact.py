"""`spacy-deid redact`: text files without their PHI."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.language import Language
from tqdm import tqdm
from wasabi import msg, table

from ..batch import NoteResult, Summary, redact_files
from ..merger import set_threshold
from ..phi import CATEGORY
from ..redaction import PRESETS, STYLES, RedactionError
from .app import app


@app.command("redact")
def redact_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(metavar="FILES_OR_FOLDERS...", help="Text files, and folders of them."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")],
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            help=f"What stands for PHI: {', '.join(STYLES)}; {', '.join(PRESETS)}; or a file.",
        ),
    ] = "tag",
    model: Annotated[
        str, typer.Option("--model", "-m", help="Name of an installed model, or its folder.")
    ] = "en_deid",
    n_process: Annotated[
        int, typer.Option("--n-process", "-n", min=1, help="Number of processes.")
    ] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Confidence that makes something PHI: below 0.5 finds more (`thresholds` tells).",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-V", help="Tell what was found in each note.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", "-F", help="Replace files that the folder holds already.")
    ] = False,
) -> None:
    """
    Replace the PHI in text files (.txt, UTF-8).

    Each result keeps the note's name and its path within its folder. A note that fails is withheld
    and named at the end; the exit code is then 1, and 2 if nothing could be started.

    Examples:

    spacy-deid redact notes/ --out redacted/

    spacy-deid redact notes/ more/letter.txt --out redacted/ --policy mask --n-process 4

    spacy-deid redact notes/ --out redacted/ --threshold 0.2
    """
    try:
        nlp = load_model(model)
        if threshold is not None:
            set_threshold(nlp, threshold)
        summary = redact_files(
            inputs,
            out,
            nlp,
            policy=policy,
            n_process=n_process,
            force=force,
            progress=True,
            on_note=_tell if verbose else None,
        )
    except (RedactionError, ValueError) as error:
        msg.fail(str(error))
        raise typer.Exit(2) from None
    _report(summary, out)
    if summary.failures:
        raise typer.Exit(1)


def load_model(model: str) -> Language:
    """Load a de-identification model.

    model (str): Name of an installed model, or the path of its folder.
    RETURNS (Language): The pipeline.
    RAISES (RedactionError): If there is no such model.
    """
    try:
        return spacy.load(model)
    except OSError as error:
        raise RedactionError(
            f"the model '{model}' is not installed; install its wheel (pip install "
            f"{Path(model).name}-VERSION-py3-none-any.whl) or name the folder of a model"
        ) from error


def _tell(result: NoteResult) -> None:
    outcome = result.error or f"{_counts(result.phi)} -> {_shown(result.target)}"
    tqdm.write(f"{_shown(result.source)}: {outcome}")


def _report(summary: Summary, out: Path) -> None:
    rows = [(name, summary.phi[name]) for name in _in_order(summary.phi)]
    if rows:
        typer.echo(
            table(
                rows,
                header=("PHI", "Replaced"),
                footer=("all", summary.phi.total()),
                aligns=("l", "r"),
                divider=True,
            )
        )
    msg.good(f"Notes redacted: {summary.notes}, in {_shown(out)}")
    if summary.failures:
        msg.fail(f"Notes withheld: {len(summary.failures)}")
        for failure in summary.failures:
            typer.echo(f"  {_shown(failure.source)}: {failure.error}")


def _counts(phi: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {phi[name]}" for name in _in_order(phi)) or "no PHI"


def _in_order(phi: Mapping[str, int]) -> list[str]:
    """The types in canonical order; what the project does not know comes last."""
    return [name for name in CATEGORY if phi.get(name)] + sorted(set(phi) - set(CATEGORY))


def _shown(path: Path) -> str:
    """A path that can be printed, whatever bytes its name holds."""
    return os.fsencode(path).decode("utf-8", "replace")
