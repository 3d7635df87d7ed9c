"""Where a run begins: in an empty folder, over older results, or where it was stopped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..files import special_kind
from ..redaction import RedactionError
from ..redaction.reidentify import OriginalsFile
from .describe import check_same, describe_inputs, describe_run, other_inputs
from .errors import writing
from .finished import Finished, drop_missing, has_part, read_finished
from .manifest import read_manifest
from .output import Output, place_of
from .plan import Task
from .reader import FileChunk
from .results import NoteResult, Summary
from .settings import Run, RunSettings
from .work import Outcome
from .workspace import Checkpoint, Workspace, load_checkpoint

_NO_RESULT = re.compile(r"\(file ([0-9]{1,9})\)")
"""How the manifest names a file that was not written."""


@dataclass(frozen=True)
class Start:
    """Where a run begins, and what it writes.

    todo (Sequence[int]): Numbers of the files to redact, in order.
    chunks (int): How many chunks of the first of them are done.
    output (Output | None): Writes the results; None if nothing is left to write.
    originals (OriginalsFile | None): Writes the originals, if they are kept.
    """

    todo: Sequence[int]
    chunks: int = 0
    output: Output | None = None
    originals: OriginalsFile | None = None

    def write(
        self, chunk: FileChunk, outcomes: Sequence[Outcome], settings: RunSettings
    ) -> Sequence[Outcome]:
        """Write a chunk, its originals first: the checkpoint after them counts its notes."""
        if self.originals and settings.keep_originals:
            with writing(settings.keep_originals):
                _keep_originals(self.originals, chunk, outcomes, settings)
        return self.output.add(chunk, outcomes) if self.output else outcomes

    def close(self, settings: RunSettings, summary: Summary) -> None:
        """End the run."""
        if self.originals and settings.keep_originals:
            with writing(settings.keep_originals):
                self.originals.close()
        if self.output:
            self.output.close(summary)


def begin_run(stack: ExitStack, run: Run, summary: Summary) -> Start:
    """Begin a run, or continue the one before.

    stack (ExitStack): Closes the files of the run.
    run (Run): The run; no other one may write to its folder at the same time.
    summary (Summary): Gets the results of the earlier part of the run.
    RETURNS (Start): Where it begins.
    RAISES (RedactionError): If there are files already, the run before was another, another run is
        under way, or something cannot be written.
    """
    settings = run.settings
    if settings.dry_run:
        return Start(range(len(run.tasks)))
    inputs = describe_inputs(run.tasks, run.key)
    about = describe_run(run, inputs)
    space = stack.enter_context(Workspace(run.out))
    at = load_checkpoint(space.state)
    _check_links(run)
    if settings.keep_originals:
        _check_originals(settings.keep_originals, run)
    if settings.resume and (at.manifest if at else space.manifest.exists()):
        start = _go_on(space, run, about, inputs, summary, at)
    else:
        if not settings.force and not (settings.resume and at):
            _check_empty(space, run.tasks)
        output = Output.start(space, run, about, inputs, summary.kept)
        start = Start(range(len(run.tasks)), output=output)
    if start.output:
        stack.enter_context(start.output)
    if settings.keep_originals:
        originals = stack.enter_context(_open_originals(settings.keep_originals, run))
        start = replace(start, originals=originals)
    return start


def _check_originals(path: Path, run: Run) -> None:
    """Check that a re-identification file can be written, before anything is begun or replaced."""
    if run.out.resolve() in path.resolve().parents:
        raise RedactionError(
            f"{path} lies among the redacted notes in {run.out}; keep the originals apart from them"
        )
    if path.is_dir() or special_kind(path):
        raise RedactionError(f"the originals cannot be kept in {path}: it is not a file")
    if path.exists() and not run.settings.resume and not run.settings.force:
        raise RedactionError(f"{path} exists already; use force=True to replace it")
    OriginalsFile.check(path, run.key)


def _open_originals(path: Path, run: Run) -> OriginalsFile:
    """Open the re-identification file of a resumed run, or a new one."""
    if not run.settings.resume:
        with writing(path):
            path.unlink(missing_ok=True)
    return OriginalsFile.open(path, run.key)


def _keep_originals(
    originals: OriginalsFile, chunk: FileChunk, outcomes: Sequence[Outcome], settings: RunSettings
) -> None:
    patients, task = settings.patients, chunk.task
    for record, outcome in zip(chunk.records, outcomes, strict=True):
        if outcome.redacted is not None:
            patient_id, name = patients.patient_of(task, record), patients.name_of(task, record)
            place = place_of(task, record)
            originals.append(place, patient_id, name, record.text, outcome.redacted)


def _go_on(
    space: Workspace,
    run: Run,
    about: Mapping[str, Any],
    inputs: str,
    summary: Summary,
    at: Checkpoint | None,
) -> Start:
    """Continue a run that was stopped, or whose results have changed."""
    try:
        size = space.manifest.stat().st_size
        _check_run(space, about)
        if at and at.inputs != inputs:
            raise other_inputs()
        at = at or Checkpoint(inputs, manifest=size)
        finished = read_finished(space, min(at.manifest, size), run)
        summary.redone = [run.tasks[number].target for number in sorted(finished.missing)]
        if finished.end and not finished.missing:
            _count(space.manifest, size, run.tasks, summary)
            return Start(())
        with writing(space.manifest):
            at = _rewind(space, finished, at)
        _count(space.manifest, at.manifest, run.tasks, summary)
    except RedactionError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise _unreadable(space) from error
    summary.add_kept(at.kept)
    first = [at.file] if at.chunks else []
    todo = first + sorted({*range(len(run.tasks))} - finished.done - {*first})
    return Start(todo, at.chunks, Output(space, run, at, summary.kept))


def _check_run(space: Workspace, about: Mapping[str, Any]) -> None:
    """Check that the manifest is of the same run."""
    first = next(read_manifest(space.manifest), None)
    if first is None or space.manifest.is_symlink():
        raise _unreadable(space)
    check_same(first["run"], about)


def _unreadable(space: Workspace) -> RedactionError:
    reason = "cannot be read"
    if space.manifest.is_symlink():
        reason = "is a link"
    elif space.manifest.is_file() and not space.manifest.stat().st_size:
        reason = "is empty"
    return RedactionError(
        f"the run cannot be resumed, as {space.manifest} {reason}; start over with force=True"
    )


def _rewind(space: Workspace, finished: Finished, at: Checkpoint) -> Checkpoint:
    """Go back to the last point at which everything counted is on disk."""
    size = at.manifest
    if not has_part(space, at):
        size = finished.whole
        at = replace(at, file=0, chunks=0, part=0, seconds=finished.end.get("seconds", at.seconds))
    at = replace(at, manifest=drop_missing(space, finished, size))
    at.save(space.state)
    return at


def _count(path: Path, size: int, tasks: Sequence[Task], summary: Summary) -> None:
    """Count the outcomes of the notes in a manifest."""
    for line in read_manifest(path, size):
        if "output" in line:
            summary.add(_result(line, tasks))


def _result(line: Mapping[str, Any], tasks: Sequence[Task]) -> NoteResult:
    place, _, row = line["output"].partition("#")
    if match := _NO_RESULT.fullmatch(place):
        task = tasks[int(match[1]) - 1]
        return NoteResult(task.source, task.target, row, line["phi"], line["error"])
    return NoteResult(Path(place), Path(place), row, line["phi"], line["error"])


def _check_links(run: Run) -> None:
    """Check that no link leads results out of the output folder."""
    parents = {parent for task in run.tasks for parent in Path(task.place).parents}
    for parent in sorted(parents - {Path()}):
        if (run.out / parent).is_symlink():
            raise RedactionError(
                f"{run.out / parent} is a link that leads results out of {run.out}; remove it"
            )


def _check_empty(space: Workspace, tasks: Sequence[Task]) -> None:
    if space.state.exists():  # without it, a manifest is of a run that was finished
        raise RedactionError(
            f"a run into {space.out} was stopped; use resume=True to go on, or force=True to start "
            "over"
        )
    if space.manifest.exists():
        raise RedactionError(
            f"{space.manifest} exists already, of another run; choose another folder, or use "
            "force=True to replace its results"
        )
    existing = [task.target for task in tasks if task.target.exists()]
    if existing:
        raise RedactionError(
            f"{existing[0]} exists already ({len(existing)} in all); use force=True to replace them"
        )
