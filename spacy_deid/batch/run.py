"""Redaction of files and folders, at any size."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from spacy.language import Language

from ..merger import mergers_of
from ..records import Fields, Record
from ..redaction import AnyKey, RedactionError, Redactor, as_key, find_key, find_policy, random_key
from ..redaction.reidentify import Vault
from .begin import Start, begin_run
from .columns import check_columns
from .describe import describe_inputs, describe_run
from .errors import writing
from .output import place_of, render
from .people import People, add_known
from .plan import Task, find_format, plan_redaction
from .pool import TIMEOUT, Pool
from .progress import Progress
from .reader import Unit, read_file, read_units
from .results import NoteResult, Summary
from .work import Job, Outcome

_BATCH_CHARACTERS = 500_000
_BATCH_UNITS = 4  # of a note, so that a batch ends where there are hardly any notes


def redact_files(
    inputs: Iterable[Path],
    out: Path,
    nlp: Language,
    *,
    policy: str = "tag",
    key: AnyKey | None = None,
    format: str | None = None,
    fields: Fields | None = None,
    people: People | None = None,
    n_process: int = 1,
    batch_size: int = 64,
    timeout: float = TIMEOUT,
    keep_originals: Path | None = None,
    limit: int | None = None,
    dry_run: bool = False,
    resume: bool = False,
    force: bool = False,
    progress: bool = False,
    on_note: Callable[[NoteResult], None] | None = None,
) -> Summary:
    """Redact the notes in files into a folder, beside a manifest of what was done.

    Notes are read, redacted and written as a stream, so memory holds a few batches at a time. All
    that is no note stays as it is: other columns, byte order marks, line ends.

    inputs (Iterable[Path]): Files, and folders that hold some at any depth.
    out (Path): The output folder; each file keeps its name and its path within its input folder.
    nlp (Language): A pipeline with `phi_merger`.
    policy (str): A style, a preset or a file; see `find_policy`.
    key (AnyKey | None): The secret of surrogates; by default the user's, or else a new one.
    format (str | None): Name of the files' format; by default their suffixes tell.
    fields (Fields | None): Where texts stand in records.
    people (People | None): Whose notes they are, and what is known of them.
    n_process (int): Number of processes.
    batch_size (int): Number of notes that a process works on at a time.
    timeout (float): Seconds after which one of several processes is taken to hang: it is ended,
        and the note that keeps it that long on its own is withheld.
    keep_originals (Path | None): File to write, or to continue, with what was replaced by what,
        encrypted with the user's key; see `Vault`.
    limit (int | None): Stop after this many notes, at the end of a record.
    dry_run (bool): Whether to write nothing.
    resume (bool): Whether to go on where a run into the same folder was stopped.
    force (bool): Whether existing files in the output folder may be replaced.
    progress (bool): Whether to show a progress bar.
    on_note (Callable[[NoteResult], None] | None): Called with each note's result.
    RETURNS (Summary): Notes, PHI by type and failures, those of a resumed run among them.
    RAISES (RedactionError): If nothing can be started, or the folder cannot be written.
    """
    key = find_key() if key is None else as_key(key)
    fields, people, rules = fields or Fields(), people or People(), find_policy(policy)
    plan = plan_redaction(inputs, out, format=format)
    _prepare(nlp, people)
    if resume and rules.draws and key is None:
        raise RedactionError("a run with surrogates can be resumed with its key alone")
    check_columns(plan.tasks, fields)
    digest = describe_inputs(plan.tasks, key)
    run = describe_run(
        plan.tasks, nlp, rules, key, fields=fields, people=people, limit=limit, inputs=digest
    )
    run["originals"] = keep_originals is not None
    summary = Summary(
        skipped=plan.skipped,
        special=plan.special,
        repeatable=key is not None or not rules.draws,
    )
    redactor = Redactor(rules, key or random_key())
    with ExitStack() as stack:
        start = Start(range(len(plan.tasks)))
        if not dry_run:
            start = begin_run(
                stack,
                out,
                plan.tasks,
                key,
                run,
                digest,
                summary,
                keep_originals=keep_originals,
                resume=resume,
                force=force,
            )
        keep = start.vault is not None
        pool = stack.enter_context(Pool(nlp, redactor, n_process, keep=keep, timeout=timeout))
        sources = [plan.tasks[number].source for number in start.todo]
        bar = stack.enter_context(Progress(sources, shown=progress))
        left = None if limit is None else limit - summary.notes - summary.withheld
        units = read_units(plan.tasks, fields, start.todo, chunks=start.chunks, limit=left)
        for unit, outcomes in _redact(units, pool, people, batch_size, summary):
            if start.vault and keep_originals:
                with writing(keep_originals):  # before the checkpoint that counts these notes
                    _keep(start.vault, unit, outcomes, people)
            outcomes = start.output.add(unit, outcomes) if start.output else outcomes
            for result in _count(unit, outcomes, summary):
                if on_note is not None:
                    on_note(result)
            bar.add(unit)
        if start.vault and keep_originals:
            with writing(keep_originals):
                start.vault.close()
        if start.output:
            start.output.close(summary)
    if limit is None and not resume:
        summary.unmet = people.unmet
    return summary


def redact_stream(
    source: BinaryIO,
    target: BinaryIO,
    nlp: Language,
    *,
    policy: str = "tag",
    key: AnyKey | None = None,
    format: str = "text",
    fields: Fields | None = None,
    people: People | None = None,
    n_process: int = 1,
    batch_size: int = 64,
    timeout: float = TIMEOUT,
) -> Summary:
    """Redact what is read from one stream into another, such as standard input and output.

    source (BinaryIO): Where to read.
    target (BinaryIO): Where to write; there is no manifest.
    format (str): Name of the format.
    RETURNS (Summary): Notes, PHI by type and failures.
    RAISES (RedactionError): If nothing can be started, or the target cannot be written.

    The other arguments are those of `redact_files`.
    """
    key = find_key() if key is None else as_key(key)
    people, rules, form = people or People(), find_policy(policy), find_format(format)
    if not form.streams:
        raise RedactionError(f"{format} cannot be read as a stream; name a file")
    _prepare(nlp, people)
    summary = Summary(repeatable=key is not None or not rules.draws)
    task = Task(Path("-"), "-", Path("-"), form)
    units = read_file(source, task, 0, fields or Fields())
    with Pool(nlp, Redactor(rules, key or random_key()), n_process, timeout=timeout) as pool:
        for unit, outcomes in _redact(units, pool, people, batch_size, summary):
            if unit.chunk is not None:
                data, outcomes = render(unit, outcomes)
                with writing(Path("the output"), hint=""):
                    target.write(data or b"")
                    target.flush()
            deque(_count(unit, outcomes, summary), maxlen=0)
    summary.unmet = people.unmet
    return summary


def _keep(vault: Vault, unit: Unit, outcomes: Sequence[Outcome], people: People) -> None:
    """Add the originals of a chunk to the re-identification file."""
    for record, outcome in zip(unit.records, outcomes, strict=True):
        if outcome.redacted is not None:
            vault.append(
                place_of(unit.task, record),
                people.patient_of(unit.task, record),
                people.name_of(unit.task, record),
                record.text,
                outcome.redacted,
            )


def _prepare(nlp: Language, people: People) -> None:
    if people.facts:
        add_known(nlp)
    if not mergers_of(nlp):
        raise RedactionError("the pipeline does not de-identify: it has no phi_merger")


def _redact(
    units: Iterable[Unit], pool: Pool, people: People, batch_size: int, summary: Summary
) -> Iterator[tuple[Unit, Sequence[Outcome]]]:
    """The units, each with what became of its texts; the summary takes down what stays."""
    waiting: deque[Unit] = deque()
    ready: list[Outcome] = []
    for outcomes in pool.redact(_batches(units, waiting, people, batch_size)):
        ready += outcomes
        while waiting and len(waiting[0].records) <= len(ready):
            unit = waiting.popleft()
            done, ready = ready[: len(unit.records)], ready[len(unit.records) :]
            if unit.chunk is not None:
                summary.keep(unit.chunk.kept)
            yield unit, done


def _batches(
    units: Iterable[Unit], waiting: deque[Unit], people: People, batch_size: int
) -> Iterator[list[Job]]:
    """The texts of the units in batches; the units themselves go to `waiting`."""
    batch: list[Job] = []
    size = seen = 0
    for unit in units:
        waiting.append(unit)
        seen += 1
        for record, whole in zip(unit.records, _wholes(unit.records), strict=True):
            batch.append(
                Job(
                    record.text,
                    people.patient_of(unit.task, record),
                    people.facts_of(unit.task, record),
                    record.error,
                    whole,
                )
            )
            size += len(record.text)
            if len(batch) >= batch_size or size >= _BATCH_CHARACTERS:
                yield batch
                batch, size, seen = [], 0, 0
        if seen >= _BATCH_UNITS * batch_size:
            yield batch
            batch, size, seen = [], 0, 0
    yield batch


def _wholes(records: Sequence[Record]) -> list[str]:
    """What the note of each text goes by; empty where the text is all there is of it."""
    texts: dict[str, list[str]] = {}
    for record in records:
        texts.setdefault(record.note, []).append(record.text)
    names = {
        note: sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        for note, parts in texts.items()
        if note and len(parts) > 1
    }
    return [names.get(record.note, "") for record in records]


def _count(unit: Unit, outcomes: Sequence[Outcome], summary: Summary) -> Iterator[NoteResult]:
    """The results of the texts of a chunk, each counted."""
    rows = [record.row for record in unit.records]
    if unit.error:
        rows, outcomes = ["rest" if unit.chunks else ""], [Outcome(None, error=unit.error)]
    for row, outcome in zip(rows, outcomes, strict=True):
        task = unit.task
        result = NoteResult(task.source, task.target, row, outcome.phi, outcome.error)
        summary.add(result)
        yield result
