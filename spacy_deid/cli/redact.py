"""`spacy-deid redact`: notes without their PHI."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.language import Language
from tqdm import tqdm
from wasabi import table

from ..batch import (
    TIMEOUT,
    NoteResult,
    People,
    Summary,
    read_known,
    redact_files,
    redact_stream,
)
from ..merger import set_threshold
from ..phi import CATEGORY
from ..records import FORMATS, Fields
from ..redaction import RedactionError, find_key
from . import options
from .app import app

_MOST_NAMES = 20


@app.command("redact")
def redact_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES_OR_FOLDERS...",
            help="Files with notes, and folders of them; - reads standard input.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write; standard input goes to the output."),
    ] = None,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Name of an installed model, or its folder.")
    ] = "en_deid",
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Confidence that makes something PHI: lower finds more (`thresholds` tells).",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", help=f"If suffixes do not tell: {', '.join(FORMATS)}."),
    ] = None,
    text_column: Annotated[
        list[str] | None,
        typer.Option(help="Column or key of the text, if not text; again for more than one."),
    ] = None,
    id_column: Annotated[str, typer.Option(help="Column or key of the note's id.")] = "id",
    patient_column: Annotated[
        str, typer.Option(help="Column or key of the patient's id; by default none.")
    ] = "",
    patient_id_from: Annotated[
        str,
        typer.Option(
            help="Where else patients' ids are: name (of the note, before its last -) or folder. "
            "By default each note is a patient of its own."
        ),
    ] = "",
    known: Annotated[
        Path | None,
        typer.Option(help="CSV of known PHI: patient_id or note_id, type, value."),
    ] = None,
    keep_originals: Annotated[
        Path | None,
        typer.Option(help="File to add what was replaced by what to, encrypted with your key."),
    ] = None,
    n_process: Annotated[
        int, typer.Option("--n-process", "-n", min=1, help="Number of processes.")
    ] = 1,
    timeout: Annotated[
        float,
        typer.Option(min=0.001, help="Seconds after which one of several processes seems to hang."),
    ] = TIMEOUT,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after this many notes.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a run into the folder was stopped.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-V", help="Tell what was found in each note.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", "-F", help="Replace files that the folder holds already.")
    ] = False,
) -> None:
    """
    Replace the PHI in notes: text, JSON lines, CSV and more; see --format.

    Each file keeps its name and its path within its folder, beside a manifest.jsonl without PHI.
    Only the text is searched: **other columns, keys and elements stay as they are**, and may hold
    PHI. They are named at the end; drop those that you do not need. Names of files stay, too.

    A note that fails is withheld and named at the end; the exit code is then 1, and 2 if nothing
    could be started.

    Examples:

    spacy-deid redact notes/ --out redacted/

    spacy-deid redact notes/ more/letter.txt --out redacted/ --policy mask --n-process 4

    spacy-deid redact notes/ --out redacted/ --threshold 0.2

    spacy-deid redact visits.csv --out redacted/ --text-column note --patient-column mrn --resume

    cat letter.txt | spacy-deid redact - > redacted.txt
    """
    try:
        nlp = load_model(model)
        if threshold is not None:
            set_threshold(nlp, threshold)
        fields = Fields(tuple(text_column or ["text"]), id_column, patient_column)
        people = People(patient_id_from, read_known(known) if known else ())
        if inputs == [Path("-")]:
            if out or keep_originals or limit or dry_run or resume or force:
                raise RedactionError("standard input goes to standard output, with no such option")
            summary = redact_stream(
                sys.stdin.buffer,
                sys.stdout.buffer,
                nlp,
                policy=policy,
                key=find_key(key_file),
                format=format or "text",
                fields=fields,
                people=people,
                n_process=n_process,
                timeout=timeout,
            )
        elif out is None:
            raise RedactionError("choose the folder to write with --out")
        else:
            summary = redact_files(
                inputs,
                out,
                nlp,
                policy=policy,
                key=find_key(key_file),
                format=format,
                fields=fields,
                people=people,
                n_process=n_process,
                timeout=timeout,
                keep_originals=keep_originals,
                limit=limit,
                dry_run=dry_run,
                resume=resume,
                force=force,
                progress=True,
                on_note=_tell if verbose else None,
            )
    except ValueError as error:
        options.fail(str(error))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        options.fail(f"Stopped{'; --resume goes on from here' if out and not dry_run else ''}")
        raise typer.Exit(130) from None
    _report(summary, out)
    if summary.withheld:
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
    outcome = result.error or f"{_counts(result.phi)} -> {result.target}"
    tqdm.write(options.shown(f"{_place(result)}: {outcome}"))


def _report(summary: Summary, out: Path | None) -> None:
    """Say what was done; beside redacted text on standard output, on standard error."""
    for line in _lines(summary, out):
        typer.echo(line, err=out is None)


def _lines(summary: Summary, out: Path | None) -> Iterator[str]:
    rows = [(name, summary.phi[name]) for name in _in_order(summary.phi)]
    if rows:
        yield table(
            rows,
            header=("PHI", "Replaced"),
            footer=("all", summary.phi.total()),
            aligns=("l", "r"),
            divider=True,
        )
    where = options.shown(f", in {out}" if out else "")
    yield options.SAY.good(f"Notes redacted: {summary.notes}{where}")
    yield from (options.SAY.warn(options.shown(warning)) for warning in _warnings(summary))
    if summary.skipped:
        by_suffix = (f"{name or 'no suffix'} {n}" for name, n in sorted(summary.skipped.items()))
        left_out = options.shown(f"{summary.skipped.total()} ({', '.join(by_suffix)})")
        yield options.SAY.info(f"Files left out, as they are in no known format: {left_out}")
    if summary.withheld:
        yield options.SAY.fail(f"Notes withheld: {summary.withheld}")
        for failure in summary.failures:
            yield options.shown(f"  {_place(failure)}: {failure.error}")
        if summary.withheld > len(summary.failures):
            yield f"  and {summary.withheld - len(summary.failures)} more"


def _warnings(summary: Summary) -> Iterator[str]:
    if not summary.repeatable:
        yield (
            "No key was given, so surrogates were drawn with a new one: no other run gives the "
            "same, and patients cannot be linked with those of other runs"
        )
    if summary.unmet:
        yield (
            f"Patients and notes with known PHI whose id no note has: {summary.unmet}; nothing was "
            "looked for on their behalf (--patient-column, --patient-id-from and --id-column tell "
            "whose a note is)"
        )
    if summary.kept:
        yield f"Left as they are, and not searched for PHI: {_some([*summary.kept])}"
    if summary.again:
        again = _some([str(path) for path in summary.again])
        yield f"Results that were missing or changed, and were made again: {again}"
    if summary.special:
        special = _some([f"{path} ({kind})" for path, kind in summary.special])
        yield f"Skipped, as they are no regular files: {special}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _place(result: NoteResult) -> str:
    return f"{result.source}#{result.row}" if result.row else str(result.source)


def _counts(phi: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {phi[name]}" for name in _in_order(phi)) or "no PHI"


def _in_order(phi: Mapping[str, int]) -> list[str]:
    """The types in canonical order; what the project does not know comes last."""
    return [name for name in CATEGORY if phi.get(name)] + sorted(set(phi) - set(CATEGORY))
