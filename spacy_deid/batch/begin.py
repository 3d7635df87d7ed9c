"""Where a run begins: in an empty folder, over older results, or where it was stopped."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ..files import open_unlinked, real_path, special_kind
from ..redaction import RedactionError
from ..redaction.reidentify import OriginalsFile
from .manifest import dump, input_digest, read_manifest, run_line
from .output import Output
from .plan import Run
from .resume import continue_run
from .workspace import Checkpoint, Workspace, load_checkpoint, open_workspace, writing


class Start(NamedTuple):
    """Where a run begins, and what it writes."""

    todo: Sequence[int]  # numbers of the files to redact, in order
    skip: int = 0  # how many chunks of the first of them are done
    output: Output | None = None  # writes the results; None if nothing is to be written


def begin_run(stack: ExitStack, run: Run) -> Start:
    """Begin a run, or continue the one before, whose results are added to the summary.

    stack (ExitStack): Closes the files of the run.
    RAISES (RedactionError): If there are files already, the run before was another, another run is
        under way, or something cannot be written.
    """
    settings, path = run.settings, run.settings.originals
    todo: Sequence[int] = range(len(run.tasks))
    if settings.dry_run:
        return Start(todo)
    inputs = input_digest(run.tasks, run.key)
    space = stack.enter_context(open_workspace(run.out))
    before = load_checkpoint(space.state)
    _check_links(run)
    if path:
        _check_originals(path, run)
    resumes = settings.resume and (before.manifest if before else space.manifest.exists())
    if not resumes and not settings.force and not (settings.resume and before):
        _check_empty(space, run)
    if path and not resumes:
        _create_originals(path, run)
    about = run_line(run.nlp, settings, run.tasks, inputs)
    if resumes:
        at, todo = continue_run(space, run, about, inputs, before)
    else:
        at = _first_checkpoint(space, run, about, inputs)
    originals = stack.enter_context(OriginalsFile.open(path, run.key)) if path else None
    if at is None:
        return Start(todo)
    output = stack.enter_context(Output(space, run, at, originals))
    return Start(todo, at.chunks, output)


def _first_checkpoint(
    space: Workspace, run: Run, about: Mapping[str, Any], inputs: str
) -> Checkpoint:
    """Remove the results of an older run, and write the first line of a new manifest."""
    line = dump({"run": about})
    with writing(space.out):
        Checkpoint().save(space.state)
        _remove_results(space.manifest, run)
        with open_unlinked(space.draft, new=True) as draft:
            draft.write(line)
        os.replace(space.draft, space.manifest)
        at = Checkpoint(inputs=inputs, manifest=len(line))
        at.save(space.state)
    return at


def _check_originals(path: Path, run: Run) -> None:
    """Check that a re-identification file can be written, before anything is begun or replaced."""
    if real_path(run.out) in real_path(path).parents:
        raise RedactionError(
            f"{path} lies among the redacted notes in {run.out}; keep the originals apart from them"
        )
    if path.is_dir() or special_kind(path):
        raise RedactionError(f"the originals cannot be kept in {path}: it is not a file")
    if path.exists() and not run.settings.resume and not run.settings.force:
        raise RedactionError(f"{path} exists already; use `force=True` to replace it")
    OriginalsFile.check(path, run.key)


def _create_originals(path: Path, run: Run) -> None:
    """Create an empty re-identification file; where a run was stopped, keep what there is."""
    with writing(path):
        if not run.settings.resume:
            path.unlink(missing_ok=True)
        OriginalsFile.open(path, run.key).close()


def _remove_results(manifest: Path, run: Run) -> None:
    """Remove the results of an older run that this one does not replace."""
    out, places = real_path(run.out), _results_in(manifest)
    keep = {real_path(path) for task in run.tasks for path in (task.source, task.target)}
    for path in (run.out / place for place in places):
        inside = ".." not in path.parts and real_path(path.parent).is_relative_to(out)
        if inside and path.is_file() and real_path(path) not in keep:
            path.unlink()


def _results_in(manifest: Path) -> set[str]:
    """The files that a manifest lists; none if it cannot be read."""
    try:
        lines = read_manifest(manifest)
        return {line["output"].partition("#")[0] for line in lines if "output" in line}
    except (OSError, ValueError, TypeError, AttributeError):
        return set()


def _check_links(run: Run) -> None:
    """Check that no link leads results out of the output folder."""
    parents = {parent for task in run.tasks for parent in Path(task.place).parents}
    for parent in sorted(parents - {Path()}):
        if (run.out / parent).is_symlink():
            raise RedactionError(
                f"{run.out / parent} is a link that leads results out of {run.out}; remove it"
            )


def _check_empty(space: Workspace, run: Run) -> None:
    if space.state.exists():  # without it, a manifest is of a run that was finished
        raise RedactionError(
            f"a run into {space.out} was stopped; use `resume=True` to continue, or `force=True` "
            "to start over"
        )
    if space.manifest.exists():
        raise RedactionError(
            f"{space.manifest} exists already, of another run; choose another folder, or use "
            "`force=True` to replace its results"
        )
    existing = [task.target for task in run.tasks if task.target.exists()]
    if existing:
        raise RedactionError(
            f"{existing[0]} exists already ({len(existing)} in all); use `force=True` to replace "
            "them"
        )
