"""Redaction of files and folders, at any size."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from spacy.language import Language
from tqdm import tqdm

from ..engine.batches import CHARACTERS
from ..engine.pool import Pool
from ..engine.work import InputText, Outcome, whole_notes
from ..errors import RedactionError
from .begin import begin_run
from .inputs import find_format
from .output import render
from .patients import join_known
from .plan import prepare_run
from .reader import FileChunk, Task, check_structured, read_chunks, read_file
from .results import NoteResult, Summary
from .settings import RunSettings
from .workspace import writing

_BATCH_CHUNKS = 4  # per note, so that a batch ends where there are hardly any notes
_BAR = "{percentage:3.0f}%|{bar}| {desc} [{elapsed}<{remaining}]"  # by bytes read


def redact_files(
    inputs: str | Path | Iterable[str | Path],
    out: str | Path,
    nlp: Language,
    settings: RunSettings | None = None,
    *,
    progress: bool = False,
    on_note: Callable[[NoteResult], None] | None = None,
    **changes: Any,
) -> Summary:
    """Redact the notes in files into a folder, beside a manifest of what was done.

    Notes are read, redacted and written as a stream, so memory holds a few batches at a time, and
    the new words of the notes (see `RunSettings.exclusive`).
    Everything else stays as it is: other columns, byte order marks, line ends.

    inputs (str | Path | Iterable[str | Path]): A file or a folder that holds some at any depth, or
        several.
    out (str | Path): The output folder; each file keeps its name and its path within its input
        folder.
    nlp (Language): A pipeline with `phi_merger`.
    settings (RunSettings | None): The settings; by default those of `RunSettings()`.
    progress (bool): Whether to show a progress bar.
    on_note (Callable[[NoteResult], None] | None): Called with each note's result.
    changes (Any): Single settings by name, as in `policy="mask"`.
    RETURNS (Summary): Notes, PHI by type and failures, with those of a resumed run.
    RAISES (RedactionError): If the run cannot be started, or the folder cannot be written.
    """
    settings = replace(settings or RunSettings(), **changes)
    paths = [inputs] if isinstance(inputs, (str, Path)) else inputs
    run = prepare_run(map(Path, paths), Path(out), nlp, settings)
    summary = run.summary
    with ExitStack() as stack:
        todo, skip, output = begin_run(stack, run)
        keep = output is not None and settings.keep_originals is not None
        pool = stack.enter_context(settings.start_pool(nlp, keep=keep))
        before = summary.total
        left = None if settings.limit is None else settings.limit - before
        chunks = read_chunks(
            run.tasks, settings.fields, todo, skip=skip, limit=left, sample=run.sample
        )
        sources = [run.tasks[number].source for number in todo]
        bar = stack.enter_context(_bar(sources, progress))
        for chunk, outcomes in _redact(chunks, pool, settings, summary):
            if output is not None:
                outcomes = output.add(chunk, outcomes)
            for result in _count(chunk, outcomes, summary):
                if on_note is not None:
                    on_note(result)
            _advance(bar, chunk, summary.total - before)
        if output is not None:
            output.close()
    if settings.limit is None and settings.sample is None and not settings.resume:
        summary.unmatched = settings.patients.unmatched
    return summary


def redact_stream(
    source: BinaryIO,
    target: BinaryIO,
    nlp: Language,
    settings: RunSettings | None = None,
    **changes: Any,
) -> Summary:
    """Redact what is read from one stream into another, such as standard input and output.

    source, target (BinaryIO): Where to read and write; there is no manifest.
    nlp (Language): A pipeline with `phi_merger`.
    settings (RunSettings | None): As in `redact_files`; the format is by default text.
    RAISES (RedactionError): If the run cannot be started, a setting needs an output folder, or the
        target cannot be written.
    """
    settings = replace(settings or RunSettings(), **changes)
    _check_whole(settings)
    summary = Summary(repeatable=settings.repeatable)
    format = find_format(settings.format or "text")
    if not format.streams:
        raise RedactionError(f"{format.name} cannot be read as a stream; name a file")
    settings.prepare_pipeline(nlp)
    task = Task(Path("-"), "-", Path("-"), format)
    check_structured([task], settings.fields)
    chunks = read_file(task, 0, settings.fields, source)
    with settings.start_pool(nlp) as pool:
        for chunk, outcomes in _redact(chunks, pool, settings, summary):
            if chunk.chunk is not None:
                data, outcomes = render(chunk, outcomes)
                with writing(Path("the output"), hint=""):
                    target.write(data or b"")
                    target.flush()
            _count(chunk, outcomes, summary)
    summary.unmatched = settings.patients.unmatched
    return summary


def _check_whole(settings: RunSettings) -> None:
    """Refuse what a stream, which is redacted as a whole and without a folder, cannot have."""
    names = ("keep_originals", "sample", "limit", "dry_run", "resume", "force")
    given = [f"`{name}=`" for name in names if getattr(settings, name)]
    if settings.patients.patient_from == "folder":
        given.append("`patient_from='folder'`")
    if given:
        raise RedactionError(
            f"a stream is redacted as a whole, without a folder; leave out {' and '.join(given)}"
        )


def _bar(sources: Iterable[Path], shown: bool) -> tqdm:
    """A progress bar over the bytes of files."""
    size = sum(path.stat().st_size for path in sources if path.exists())
    return tqdm(total=size, bar_format=_BAR, disable=None if shown else True)


def _advance(bar: tqdm, chunk: FileChunk, notes: int) -> None:
    """Move the bar on by a chunk; `notes` is how many are done."""
    rate = notes / max(bar.format_dict["elapsed"], 1e-9)
    bar.set_description_str(f"{notes:,} notes, {rate:,.0f} notes/s", refresh=False)
    bar.update(chunk.chunk.size if chunk.chunk else 0)


def _redact(
    chunks: Iterable[FileChunk], pool: Pool, settings: RunSettings, summary: Summary
) -> Iterator[tuple[FileChunk, Sequence[Outcome]]]:
    """The chunks, each with the outcomes of its texts; the summary notes what is kept."""
    waiting: deque[FileChunk] = deque()
    ready: list[Outcome] = []
    for outcomes in pool.redact(_batches(chunks, waiting, settings)):
        ready += outcomes
        while waiting and len(waiting[0].records) <= len(ready):
            chunk = waiting.popleft()
            done, ready = ready[: len(chunk.records)], ready[len(chunk.records) :]
            if chunk.chunk is not None:
                summary.add_kept(chunk.chunk.kept)
            yield chunk, done


def _batches(
    chunks: Iterable[FileChunk], waiting: deque[FileChunk], settings: RunSettings
) -> Iterator[list[InputText]]:
    """The texts of the chunks in batches; the chunks themselves go to `waiting`."""
    batch: list[InputText] = []
    size = seen = 0
    for chunk in chunks:
        waiting.append(chunk)
        seen += 1
        for text in _texts(chunk, settings):
            batch.append(text)
            size += len(text.text)
            if len(batch) >= settings.batch_size or size >= CHARACTERS:
                yield batch
                batch, size, seen = [], 0, 0
        if seen >= _BATCH_CHUNKS * settings.batch_size:
            yield batch
            batch, size, seen = [], 0, 0
    yield batch


def _texts(chunk: FileChunk, settings: RunSettings) -> Iterator[InputText]:
    """The texts of a chunk, with known patient data."""
    patients = settings.patients
    for record, note in zip(chunk.records, whole_notes(chunk.records), strict=True):
        yield InputText(
            text=record.text,
            patient_id=patients.patient_of(chunk.task, record),
            known=join_known(patients.known_for(chunk.task, record), record.known),
            error=record.error,
            note=note,
            type=record.type,
        )


def _count(chunk: FileChunk, outcomes: Sequence[Outcome], summary: Summary) -> list[NoteResult]:
    """Count the texts of a chunk; returns their results."""
    source, target = chunk.task.source, chunk.task.target
    results = [
        NoteResult(
            source=source,
            target=target,
            row=record.row,
            phi=outcome.phi,
            error=outcome.error,
            is_field=bool(record.type),
        )
        for record, outcome in zip(chunk.records, outcomes, strict=True)
    ]
    if chunk.error:
        rest = "rest" if chunk.count else ""
        results.append(NoteResult(source=source, target=target, row=rest, error=chunk.error))
    for result in results:
        summary.add(result)
    return results
