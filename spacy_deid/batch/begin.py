"""Where a run begins: in an empty folder, over older results, or where it was stopped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..redaction import Key, RedactionError
from ..redaction.reidentify import Vault
from .describe import check_same
from .manifest import MANIFEST, dump, read_manifest
from .output import Output
from .plan import Task
from .results import NoteResult, Summary
from .state import STATE, Checkpoint, load_checkpoint

_LOST = re.compile(r"\(file ([0-9]{1,9})\)")
"""What stands in the manifest for a file that was not written."""


def begin_run(
    out: Path,
    tasks: Sequence[Task],
    key: Key | None,
    run: Mapping[str, Any],
    summary: Summary,
    *,
    resume: bool,
    force: bool,
    dry_run: bool,
) -> tuple[Output | None, Checkpoint]:
    """Open the output folder.

    out (Path): The folder.
    tasks (Sequence[Task]): The files of the run.
    key (Key | None): The user's key.
    run (Mapping[str, Any]): What the run depends on.
    summary (Summary): Takes up what an earlier part of the run did.
    resume (bool): Whether to go on where the run was stopped, if it was.
    force (bool): Whether existing files may be replaced.
    dry_run (bool): Whether to write nothing.
    RETURNS (tuple[Output | None, Checkpoint]): The folder, None if nothing is left to write; and
        how far the run is.
    RAISES (RedactionError): If there are files already, or the run before was another.
    """
    if dry_run:
        return None, Checkpoint()
    at = load_checkpoint(out)
    if resume and at is None and (out / MANIFEST).exists():
        _take_up(out, tasks, run, summary)
        return None, Checkpoint(len(tasks))
    if resume and at is not None and at.manifest:
        _take_up(out, tasks, run, summary, at.manifest)
        summary.keep(at.kept)
        return Output.resume(out, tasks, key, at, summary.kept), at
    if not force and not (resume and at is not None):
        _check_empty(out, tasks)
    return Output.start(out, tasks, key, dump({"run": run}), summary.kept), Checkpoint()


def check_vault(path: Path, key: Key | None, out: Path, *, resume: bool, force: bool) -> None:
    """Check that a run may write a re-identification file, before anything is begun or replaced.

    path (Path): The file.
    key (Key | None): The user's key.
    out (Path): The output folder, which must not hold it.
    resume (bool): Whether the file of the run before goes on.
    force (bool): Whether an older file may be replaced.
    RAISES (RedactionError): If the file is in the output folder, or there already; see `Vault`.
    """
    if out.resolve() in path.resolve().parents:
        raise RedactionError(
            f"{path} would lie among the redacted notes in {out}; keep the way back apart from them"
        )
    if path.exists() and not resume and not force:
        raise RedactionError(f"{path} exists already; use 'force' to replace it")
    Vault.check(path, key)


def begin_vault(path: Path, key: Key | None, *, resume: bool) -> Vault:
    """Open the re-identification file of a run that has begun; see `check_vault`.

    path (Path): The file.
    key (Key | None): The user's key.
    resume (bool): Whether the file of the run before goes on; otherwise it is replaced.
    RETURNS (Vault): The writer.
    RAISES (RedactionError): See `Vault`.
    """
    if not resume:
        path.unlink(missing_ok=True)
    return Vault.open(path, key)


def _take_up(
    out: Path,
    tasks: Sequence[Task],
    run: Mapping[str, Any],
    summary: Summary,
    size: int | None = None,
) -> None:
    """Check that the run is the one before, and count what that did."""
    try:
        lines = read_manifest(out / MANIFEST, size)
        check_same(next(lines, {}).get("run", {}), run)
        for line in lines:
            if "end" not in line:
                summary.add(_result(line, tasks))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, RedactionError):
            raise
        raise RedactionError(f"{out / MANIFEST} cannot be read; start over with 'force'") from error


def _result(line: Mapping[str, Any], tasks: Sequence[Task]) -> NoteResult:
    place, _, row = line["output"].partition("#")
    if lost := _LOST.fullmatch(place):
        task = tasks[int(lost[1]) - 1]
        return NoteResult(task.source, task.target, row, line["phi"], line["error"])
    return NoteResult(Path(place), Path(place), row, line["phi"], line["error"])


def _check_empty(out: Path, tasks: Sequence[Task]) -> None:
    if (out / STATE).exists():  # without it, a manifest is of a run that was finished
        raise RedactionError(
            f"a run into {out} was stopped; use 'resume' to go on, or 'force' to start over"
        )
    if (out / MANIFEST).exists():
        raise RedactionError(
            f"{out / MANIFEST} exists already, of another run; choose another folder, or use "
            "'force' to replace its results"
        )
    existing = [task.target for task in tasks if task.target.exists()]
    if existing:
        raise RedactionError(
            f"{existing[0]} exists already ({len(existing)} in all); use 'force' to replace them"
        )
