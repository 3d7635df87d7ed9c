"""`spacy-deid redact`: notes without their PHI."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
from ..batch.results import in_order
from ..records import FORMATS
from ..redaction import RedactionError, find_key
from . import options

_MOST_NAMES = 20

Inputs = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES_OR_FOLDERS...",
        help="Files with notes, and folders of them; - reads standard input.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Output folder; none for standard input.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", help=f"Format of the input, if unclear: {', '.join(FORMATS)}."),
]
PatientIdFrom = Annotated[
    str,
    typer.Option(
        help="Where else to take patient ids from: name (of the note, up to its last -) or folder. "
        "By default, each note has a patient of its own."
    ),
]
Known = Annotated[
    Path | None,
    typer.Option(help="CSV of known patient data: patient_id or note_id, type, value."),
]
KeepOriginals = Annotated[
    Path | None, typer.Option(help="File for the originals, encrypted with your key.")
]
Timeout = Annotated[
    float,
    typer.Option(min=0.001, help="Seconds after which one of several processes counts as hung."),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Stop after this many notes.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Search the notes, but write nothing.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a stopped run in --out.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-V", help="Show what was found in each note.")]


@options.command("redact")
def redact_cli(
    inputs: Inputs,
    out: Out = None,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    model: options.Model = "en_deid",
    threshold: options.Threshold = None,
    format: Format = None,
    text_column: options.TextColumn = None,
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "",
    patient_id_from: PatientIdFrom = "",
    known: Known = None,
    keep_originals: KeepOriginals = None,
    n_process: options.Processes = 1,
    timeout: Timeout = TIMEOUT,
    limit: Limit = None,
    dry_run: DryRun = False,
    resume: Resume = False,
    verbose: Verbose = False,
    force: options.Force = False,
) -> None:
    """
    Redact the PHI in notes: text, JSON lines, CSV and more; see --format.

    Each file keeps its name and its path within its folder; a manifest.jsonl without PHI is added.
    Only the text is searched: **other columns, keys and elements stay as they are**, and may hold
    PHI. They are listed at the end; drop those that you do not need. File names may hold PHI, too.

    A note that fails is withheld and listed at the end; the exit code is then 1.

    Examples:

    spacy-deid redact notes/ --out redacted/

    spacy-deid redact notes/ letter.txt --out redacted/ --policy mask --threshold 0.2 --n-process 4

    spacy-deid redact visits.csv --out redacted/ --text-column note --patient-column mrn --resume

    cat letter.txt | spacy-deid redact - > redacted.txt
    """
    try:
        nlp = options.load_model(model, threshold)
        settings = RunSettings(
            policy=policy,
            key=find_key(key_file),
            format=format,
            fields=options.fields(text_column, id_column, patient_column),
            patients=Patients(patient_id_from, read_known(known) if known else ()),
            n_process=n_process,
            timeout=timeout,
            keep_originals=keep_originals,
            limit=limit,
            dry_run=dry_run,
            resume=resume,
            force=force,
        )
        _report(_run(inputs, out, nlp, settings, verbose), out)
    except KeyboardInterrupt:
        raise _stopped(resumable=out is not None and not dry_run) from None


def _stopped(*, resumable: bool) -> typer.Exit:
    options.fail(f"Stopped{'; --resume continues from here' if resumable else ''}")
    return typer.Exit(130)


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
    phi = ", ".join(f"{name} {result.phi[name]}" for name in in_order(result.phi)) or "no PHI"
    outcome = result.error or f"{phi} -> {result.target}"
    tqdm.write(options.shown(f"{_place(result)}: {outcome}"))


def _report(summary: Summary, out: Path | None) -> None:
    """Print the results, and exit with code 1 if notes were withheld.

    They go to standard error if the notes go to standard output.
    """
    for line in _lines(summary, out):
        typer.echo(line, err=out is None)
    if summary.withheld:
        raise typer.Exit(1)


def _lines(summary: Summary, out: Path | None) -> Iterator[str]:
    rows = [(name, summary.phi[name]) for name in in_order(summary.phi)]
    if rows:
        total = ("all", summary.phi.total())
        yield table(rows, ("PHI", "Replaced"), total, aligns=("l", "r"), divider=True)
    where = options.shown(f", in {out}" if out else "")
    yield options.SAY.good(f"Notes redacted: {summary.notes}{where}")
    yield from (options.SAY.warn(options.shown(warning)) for warning in _warnings(summary))
    if summary.skipped:
        by_suffix = (f"{name or 'no suffix'} {n}" for name, n in sorted(summary.skipped.items()))
        left_out = options.shown(f"{summary.skipped.total()} ({', '.join(by_suffix)})")
        yield options.SAY.info(f"Files left out, of unknown format: {left_out}")
    if summary.withheld:
        yield options.SAY.fail(f"Notes withheld: {summary.withheld}")
        for failure in summary.failures:
            yield options.shown(f"  {_place(failure)}: {failure.error}")
        if summary.withheld > len(summary.failures):
            yield f"  and {summary.withheld - len(summary.failures)} more"


def _warnings(summary: Summary) -> Iterator[str]:
    if not summary.repeatable:
        yield (
            "No key was given, so surrogates were drawn with a new one: they cannot be repeated, "
            "and patients cannot be linked with those of other runs"
        )
    if summary.unmatched:
        yield (
            f"Patients and notes with known PHI whose id no note has: {summary.unmatched}; their "
            "PHI was not looked for (see --patient-column, --patient-id-from and --id-column)"
        )
    lists = {
        "Left unchanged, and not searched for PHI": [*summary.kept],
        "Results that were missing or changed, and were redone": [*map(str, summary.redone)],
        "Skipped, as they are not regular files": [f"{p} ({kind})" for p, kind in summary.special],
    }
    for title, names in lists.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        if names:
            yield f"{title}: {', '.join(names[:_MOST_NAMES])}{more}"


def _place(result: NoteResult) -> str:
    return f"{result.source}#{result.row}" if result.row else str(result.source)
