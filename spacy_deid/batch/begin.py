"""Where a run begins: in an empty folder, over older results, or where it was stopped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..files import special_kind
from ..redaction import Key, RedactionError
from ..redaction.reidentify import Vault
from .describe import check_same, other_inputs
from .errors import writing
from .manifest import dump, read_manifest
from .output import Output
from .past import Past, drop_lost, has_part, read_past
from .plan import Task
from .results import NoteResult, Summary
from .state import Checkpoint, load_checkpoint
from .workspace import Workspace

_LOST = re.compile(r"\(file ([0-9]{1,9})\)")
"""What stands in the manifest for a file that was not written."""


@dataclass(frozen=True)
class Start:
    """Where a run begins.

    todo (Sequence[int]): Numbers of the files to redact, in order.
    chunks (int): How many chunks of the first of them are done.
    output (Output | None): Writes the results; None if nothing is left to write.
    vault (Vault | None): Writes the originals, if they are kept.
    """

    todo: Sequence[int]
    chunks: int = 0
    output: Output | None = None
    vault: Vault | None = None


def begin_run(
    stack: ExitStack,
    out: Path,
    tasks: Sequence[Task],
    key: Key | None,
    run: Mapping[str, Any],
    inputs: str,
    summary: Summary,
    *,
    keep_originals: Path | None,
    resume: bool,
    force: bool,
) -> Start:
    """Begin a run, or go on with the one before.

    stack (ExitStack): Closes the files of the run.
    out (Path): The output folder, which no other run may write at the same time.
    tasks (Sequence[Task]): The files of the run.
    key (Key | None): The user's key.
    run (Mapping[str, Any]): What the run depends on.
    inputs (str): What tells its files from others.
    summary (Summary): Takes up what an earlier part of the run did.
    keep_originals (Path | None): The re-identification file, if there is to be one.
    resume (bool): Whether to go on where the run was stopped, if it was.
    force (bool): Whether existing files may be replaced.
    RETURNS (Start): Where it begins.
    RAISES (RedactionError): If there are files already, the run before was another, another run is
        under way, or something cannot be written.
    """
    space = stack.enter_context(Workspace(out))
    at = load_checkpoint(space.state)
    _check_links(out, tasks)
    if keep_originals:
        _check_vault(keep_originals, key, out, resume=resume, force=force)
    if resume and (at.manifest if at else space.manifest.exists()):
        start = _go_on(space, tasks, key, run, inputs, summary, at)
    else:
        if not force and not (resume and at):
            _check_empty(space, tasks)
        output = Output.start(space, tasks, key, dump({"run": run}), summary.kept, inputs)
        start = Start(range(len(tasks)), output=output)
    if start.output:
        stack.enter_context(start.output)
    if keep_originals:
        vault = stack.enter_context(_begin_vault(keep_originals, key, resume=resume))
        start = replace(start, vault=vault)
    return start


def _check_vault(path: Path, key: Key | None, out: Path, *, resume: bool, force: bool) -> None:
    """Check that a run may write a re-identification file, before anything is begun or replaced."""
    if out.resolve() in path.resolve().parents:
        raise RedactionError(
            f"{path} would lie among the redacted notes in {out}; keep the way back apart from them"
        )
    if path.is_dir() or special_kind(path):
        raise RedactionError(f"the originals cannot be kept in {path}: it is no file")
    if path.exists() and not resume and not force:
        raise RedactionError(f"{path} exists already; use force=True to replace it")
    Vault.check(path, key)


def _begin_vault(path: Path, key: Key | None, *, resume: bool) -> Vault:
    """Open a re-identification file: that of the run before to be continued, or a new one."""
    if not resume:
        with writing(path):
            path.unlink(missing_ok=True)
    return Vault.open(path, key)


def _go_on(
    space: Workspace,
    tasks: Sequence[Task],
    key: Key | None,
    run: Mapping[str, Any],
    inputs: str,
    summary: Summary,
    at: Checkpoint | None,
) -> Start:
    """Go on with a run that was stopped, or whose results are no longer what they were."""
    try:
        size = space.manifest.stat().st_size
        _check_run(space, run)
        if at and at.inputs != inputs:
            raise other_inputs()
        at = at or Checkpoint(inputs, manifest=size)
        past = read_past(space, min(at.manifest, size), tasks, key)
        summary.again = [tasks[number].target for number in sorted(past.lost)]
        if past.end and not past.lost:
            _count(space.manifest, size, tasks, summary)
            return Start(())
        with writing(space.manifest):
            at = _rewind(space, past, at)
        _count(space.manifest, at.manifest, tasks, summary)
    except RedactionError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise _unreadable(space) from error
    summary.keep(at.kept)
    first = [at.file] if at.chunks else []
    todo = first + sorted({*range(len(tasks))} - past.done - {*first})
    return Start(todo, at.chunks, Output(space, tasks, key, at, summary.kept))


def _check_run(space: Workspace, run: Mapping[str, Any]) -> None:
    """Check that the manifest is of the same run."""
    first = next(read_manifest(space.manifest), None)
    if first is None or space.manifest.is_symlink():
        raise _unreadable(space)
    check_same(first["run"], run)


def _unreadable(space: Workspace) -> RedactionError:
    reason = "cannot be read"
    if space.manifest.is_symlink():
        reason = "is a link"
    elif space.manifest.is_file() and not space.manifest.stat().st_size:
        reason = "is empty"
    return RedactionError(
        f"the run cannot be resumed, as {space.manifest} {reason}; start over with force=True"
    )


def _rewind(space: Workspace, past: Past, at: Checkpoint) -> Checkpoint:
    """Go back to where all that is counted is there."""
    size = at.manifest
    if not has_part(space, at):
        size = past.whole
        at = replace(at, file=0, chunks=0, part=0, seconds=past.end.get("seconds", at.seconds))
    at = replace(at, manifest=drop_lost(space, past, size))
    at.save(space.state)
    return at


def _count(path: Path, size: int, tasks: Sequence[Task], summary: Summary) -> None:
    """Count what the notes in a manifest became."""
    for line in read_manifest(path, size):
        if "output" in line:
            summary.add(_result(line, tasks))


def _result(line: Mapping[str, Any], tasks: Sequence[Task]) -> NoteResult:
    place, _, row = line["output"].partition("#")
    if lost := _LOST.fullmatch(place):
        task = tasks[int(lost[1]) - 1]
        return NoteResult(task.source, task.target, row, line["phi"], line["error"])
    return NoteResult(Path(place), Path(place), row, line["phi"], line["error"])


def _check_links(out: Path, tasks: Sequence[Task]) -> None:
    """Check that no link leads results out of their folder."""
    parents = {parent for task in tasks for parent in Path(task.place).parents}
    for parent in sorted(parents - {Path()}):
        if (out / parent).is_symlink():
            raise RedactionError(
                f"{out / parent} is a link, which would lead results out of {out}; remove it"
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
