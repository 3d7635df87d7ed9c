"""`spacy-deid redact`: notes without their PHI."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from tqdm import tqdm
from wasabi import table

from ..batch import (
    TIMEOUT,
    NoteResult,
    Patients,
    RunSettings,
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
    model: options.Model = "en_deid",
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
    n_process: options.Processes = 1,
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
    force: options.Force = False,
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
    with _exit_if_stopped(resumable=out is not None and not dry_run), options.exit_on_error():
        nlp = options.load_model(model)
        if threshold is not None:
            set_threshold(nlp, threshold)
        settings = RunSettings(
            policy=policy,
            key=find_key(key_file),
            format=format,
            fields=Fields(tuple(text_column or ["text"]), id_column, patient_column),
            patients=Patients(patient_id_from, read_known(known) if known else ()),
            n_process=n_process,
            timeout=timeout,
            keep_originals=keep_originals,
            limit=limit,
            dry_run=dry_run,
            resume=resume,
            force=force,
        )
        summary = _run(inputs, out, nlp, settings, verbose)
    _report(summary, out)
    if summary.withheld:
        raise typer.Exit(1)


@contextmanager
def _exit_if_stopped(*, resumable: bool) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        options.fail(f"Stopped{'; --resume continues from here' if resumable else ''}")
        raise typer.Exit(130) from None


def _run(
    inputs: list[Path], out: Path | None, nlp: Language, settings: RunSettings, verbose: bool
) -> Summary:
    if inputs == [Path("-")]:
        if out:
            raise RedactionError("standard input goes to standard output; leave out --out")
        return redact_stream(sys.stdin.buffer, sys.stdout.buffer, nlp, settings)
    if out is None:
        raise RedactionError("choose the folder to write with --out")
    on_note = _tell if verbose else None
    return redact_files(inputs, out, nlp, settings, progress=True, on_note=on_note)


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
    if summary.unmatched:
        yield (
            f"Patients and notes with known PHI whose id no note has: {summary.unmatched}; their "
            "PHI was not looked for (--patient-column, --patient-id-from and --id-column tell "
            "whose a note is)"
        )
    if summary.kept:
        yield f"Left as they are, and not searched for PHI: {_some([*summary.kept])}"
    if summary.redone:
        again = _some([str(path) for path in summary.redone])
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
