"""`spacy-deid redact`: notes without their PHI."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from tqdm import tqdm
from typer import Argument, Option
from wasabi import table

from ..annotation.phi import in_order, normalize_type
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
from ..engine.gpu import NOTES_AT_ONCE, require_gpu
from ..engine.loading import load_pipeline
from ..records import RECORD_FORMATS, STRUCTURED, Fields
from ..redaction import RedactionError, find_key
from . import messages, options
from .decorator import command

_MOST_NAMES = 20

Inputs = Annotated[
    list[Path],
    Argument(
        metavar="FILES_OR_FOLDERS...",
        help="Files with notes, and folders of them; - reads standard input.",
    ),
]
Format = Annotated[
    str | None,
    Option("--format", "-f", help=f"Format of the input, if unclear: {', '.join(RECORD_FORMATS)}."),
]
Gpu = Annotated[
    int | None, Option(min=0, help="Run the tagger on this GPU, from 0 on; needs torch and CuPy.")
]
Verbose = Annotated[bool, Option("--verbose", "-V", help="Show what was found in each note.")]


@dataclass(frozen=True)
class Records(options.Columns):
    """Options of what is in a record."""

    patient_id_from: Annotated[
        str,
        Option(
            help="Derive patient ids from the note's `name` (the part before its last hyphen) or "
            "its `folder` (the name of the folder it lies in), where the record names no patient; "
            "by default, each such note has a patient of its own."
        ),
    ] = ""
    redact_columns: Annotated[
        list[str] | None,
        Option(
            metavar="COLUMN=TYPE,...",
            help="Columns or keys to redact as a whole, each with its PHI type: "
            "name=PATIENT,dob=DATE.",
        ),
    ] = None
    structured: Annotated[
        bool,
        Option(
            "--structured",
            help="Also redact the dates, people, places and ids in the fields of "
            f"{', '.join(STRUCTURED)}.",
        ),
    ] = False
    known: Annotated[
        Path | None, Option(help="CSV of known patient data: patient_id or note_id, type, value.")
    ] = None
    known_from_record: Annotated[
        bool,
        Option(
            "--known-from-record",
            help=f"Take the people in the fields of {', '.join(STRUCTURED)}, and --redact-columns, "
            "as known patient data for the texts beside them.",
        ),
    ] = False

    def fields(self) -> Fields:
        """The columns, keys and fields."""
        return replace(
            super().fields(),
            types=_column_types(self.redact_columns or ()),
            structured=self.structured,
            known=self.known_from_record,
        )


@dataclass(frozen=True)
class Run:
    """Options of a run, as in `RunSettings`."""

    keep_originals: Annotated[
        Path | None, Option(help="File for the originals, encrypted with your key.")
    ] = None
    n_process: options.Processes = 1
    timeout: Annotated[
        float,
        Option(min=0.001, help="Seconds after which one of several processes is considered hung."),
    ] = TIMEOUT
    sample: Annotated[
        int | None,
        Option(min=1, help="Redact this many records, at random: files, rows, lines, messages."),
    ] = None
    seed: options.Seed = 1
    limit: Annotated[int | None, Option(min=1, help="Stop after this many notes.")] = None
    dry_run: Annotated[bool, Option("--dry-run", help="Search the notes, but write nothing.")] = (
        False
    )
    resume: Annotated[bool, Option("--resume", help="Continue a stopped run in --out.")] = False


@command("redact")
def redact_cli(
    inputs: Inputs,
    *,
    out: Annotated[
        Path | None, Option("--out", "-o", help="Output folder; none for standard input.")
    ] = None,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    model: options.Model = "en_deid",
    threshold: options.Threshold = None,
    format: Format = None,
    records: Records,
    terms: options.Terms = None,
    run: Run,
    gpu: Gpu = None,
    verbose: Verbose = False,
    force: options.Force = False,
) -> None:
    """
    Each file keeps its name and its path within its folder; a manifest.jsonl without PHI is added.
    Only the text is searched: **other columns, keys and elements stay as they are**, and may hold
    PHI. They are listed at the end; drop those that you do not need, or redact them with
    --redact-columns or --structured. File names may hold PHI, too.

    A note that fails is withheld and listed at the end; the exit code is then 1.

    Examples:

    spacy-deid redact notes/ --out redacted/

    spacy-deid redact notes/ letter.txt --out redacted/ --policy mask --threshold 0.2 --n-process 4

    spacy-deid redact visits.csv --out redacted/ --text-column note --patient-column mrn --resume

    cat letter.txt | spacy-deid redact - > redacted.txt
    """
    try:
        batch_size = RunSettings.batch_size if gpu is None else _use_gpu(gpu, run.n_process)
        nlp = load_pipeline(model, threshold, terms)
        settings = RunSettings(
            policy=policy,
            key=find_key(key_file),
            format=format,
            fields=records.fields(),
            patients=Patients(
                records.patient_id_from, read_known(records.known) if records.known else ()
            ),
            secrets=[path for path in (key_file, records.known, terms) if path],
            force=force,
            batch_size=batch_size,
            exclusive=True,
            **vars(run),
        )
        print_summary(_run(inputs, out, nlp, settings, verbose), out)
    except KeyboardInterrupt:
        hint = "; --resume continues from here" if out and not run.dry_run else ""
        messages.fail(f"Stopped{hint}")
        raise typer.Exit(130) from None


def _use_gpu(gpu: int, n_process: int) -> int:
    """Require a GPU; the number of notes of a batch for it."""
    if n_process > 1:
        raise ValueError(f"--gpu {gpu} takes one process, not {n_process}; leave out --n-process")
    require_gpu(gpu)
    return NOTES_AT_ONCE


def _column_types(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The columns to redact whole, each with its PHI type."""
    types = []
    for pair in ",".join(given).split(",") if given else ():
        name, sign, phi_type = pair.rpartition("=")
        if not sign or not name.strip():
            raise ValueError(
                f"--redact-columns has '{pair}'; write each column with its PHI type, as in "
                "name=PATIENT,dob=DATE"
            )
        types.append((name.strip(), normalize_type(phi_type)))
    return tuple(types)


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
    tqdm.write(messages.shown(f"{_place(result)}: {outcome}"))


def print_summary(summary: Summary, out: Path | str | None) -> None:
    """Print the results, and exit with code 1 if notes were withheld.

    They go to standard error if the notes go to standard output.
    """
    for line in _lines(summary, out):
        typer.echo(line, err=out is None)
    if summary.withheld:
        raise typer.Exit(1)


def _lines(summary: Summary, out: Path | str | None) -> Iterator[str]:
    rows = [(name, summary.phi[name]) for name in in_order(summary.phi)]
    if rows:
        total = ("all", summary.phi.total())
        yield table(rows, ("PHI", "Replaced"), total, aligns=("l", "r"), divider=True)
    where = messages.shown(f", in {out}" if out else "")
    yield messages.SAY.good(f"Notes redacted: {summary.notes}{where}")
    yield from (messages.SAY.warn(messages.shown(warning)) for warning in _warnings(summary))
    if summary.skipped:
        by_suffix = (f"{name or 'no suffix'} {n}" for name, n in sorted(summary.skipped.items()))
        left_out = messages.shown(f"{summary.skipped.total()} ({', '.join(by_suffix)})")
        yield messages.SAY.info(f"Files left out, without notes or of unknown format: {left_out}")
    if summary.withheld:
        yield messages.SAY.fail(f"Notes withheld: {summary.withheld}")
        for failure in summary.failures:
            yield messages.shown(f"  {_place(failure)}: {failure.error}")
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
