"""Where a run begins: in an empty folder, over older results, or where it was stopped."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from ..errors import RedactionError
from ..files import open_unlinked, real_path, special_kind
from ..redaction.reidentify import OriginalsFile, salt_of
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
    starts_over = settings.force and not settings.resume
    before = None if starts_over else load_checkpoint(space.state)
    _check_links(run)
    _check_special(space, run)
    resumes = settings.resume and _has_begun(space, before, path)
    if path:
        _check_originals(path, run, may_exist=resumes or settings.force)
    if resumes:
        about = run_line(run.nlp, settings, run.tasks, inputs, path)
        at, todo = continue_run(space, run, about, inputs, before)
    else:
        if starts_over:
            _check_replaced(space.manifest, run)
        elif not settings.force and not (settings.resume and before):
            _check_empty(space, run)
        at = _begin_anew(space, run, inputs, path)
    originals = stack.enter_context(OriginalsFile.open(path, run.key)) if path else None
    if at is None:
        return Start(todo)
    output = stack.enter_context(Output(space, run, at, originals))
    return Start(todo, at.chunks, output)


def _has_begun(space: Workspace, before: Checkpoint | None, originals: Path | None) -> bool:
    """Whether there is a run to continue.

    One that ended before its re-identification file was in place begins anew: nothing was done.
    """
    if before is None or not before.manifest or originals is None or originals.exists():
        return bool(before.manifest) if before else space.manifest.exists()
    with suppress(OSError), space.manifest.open("rb") as file:
        return before.manifest > len(file.readline())
    return True


def _begin_anew(space: Workspace, run: Run, inputs: str, originals: Path | None) -> Checkpoint:
    """Write the first line of the manifest and an empty re-identification file, if one is wanted.

    An older one is replaced only when the run has begun.
    """
    with ExitStack() as stack:
        originals = originals and real_path(originals)  # a link stays
        draft = stack.enter_context(_draft_originals(originals, run)) if originals else None
        about = run_line(run.nlp, run.settings, run.tasks, inputs, draft)
        at = _first_checkpoint(space, about, inputs)
        if originals and draft:
            with writing(originals):
                os.replace(draft, originals)
    return at


def _first_checkpoint(space: Workspace, about: Mapping[str, Any], inputs: str) -> Checkpoint:
    """Write the first line of the manifest, in the place of an older one."""
    line = dump({"run": about})
    with writing(space.out):
        Checkpoint().save(space.state)
        with open_unlinked(space.draft, new=True) as draft:
            draft.write(line)
        os.replace(space.draft, space.manifest)
        at = Checkpoint(inputs=inputs, manifest=len(line))
        at.save(space.state)
    return at


def _check_originals(path: Path, run: Run, *, may_exist: bool) -> None:
    """Check that a re-identification file can be written, before anything is begun or replaced."""
    if real_path(run.out) in real_path(path).parents:
        raise RedactionError(
            f"{path} lies among the redacted notes in {run.out}; keep the originals apart from them"
        )
    if path.is_dir() or special_kind(path):
        raise RedactionError(f"the originals cannot be kept in {path}: it is not a file")
    if path.exists() and not may_exist:
        raise RedactionError(f"{path} exists already; use `force=True` to replace it")
    if path.exists() and path.stat().st_size and not salt_of(path):
        raise RedactionError(f"{path} is not a file of originals; choose another name")
    OriginalsFile.check(path, run.key)


@contextmanager
def _draft_originals(path: Path, run: Run) -> Iterator[Path]:
    """An empty re-identification file beside its place; it is removed unless it was moved there."""
    draft = path.with_name(f".{uuid4().hex}.tmp")
    try:
        OriginalsFile.open(draft, run.key).close()
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _check_replaced(manifest: Path, run: Run) -> None:
    """Check that the run replaces all results of the one before: they may be of another policy."""
    tasks = run.tasks
    if run.settings.limit is not None:  # no more are sure to be replaced
        singles = all(task.format.single for task in tasks)
        tasks = tasks[: run.settings.limit if singles else 1]
    replaced = {task.place for task in tasks}
    left = [place for place in _results_in(manifest, run.out) if place not in replaced]
    if left:
        raise RedactionError(
            f"{run.out} holds {len(left)} results of the run before that this one does not "
            f"replace, such as {left[0]}; remove them, or choose another folder"
        )


def _results_in(manifest: Path, out: Path) -> list[str]:
    """The files of a run that are still there; none if its manifest cannot be read."""
    try:
        places = {line["output"]: None for line in read_manifest(manifest) if "output" in line}
    except (OSError, ValueError, TypeError, AttributeError):
        return []
    files = (place if (out / place).is_file() else place.rpartition("#")[0] for place in places)
    return [file for file in dict.fromkeys(files) if file and (out / file).is_file()]


def _check_links(run: Run) -> None:
    """Check that no link leads results out of the output folder."""
    parents = {parent for task in run.tasks for parent in Path(task.place).parents}
    for parent in sorted(parents - {Path()}):
        if (run.out / parent).is_symlink():
            raise RedactionError(
                f"{run.out / parent} is a link that leads results out of {run.out}; remove it"
            )


def _check_special(space: Workspace, run: Run) -> None:
    """Check that no pipe or device would be replaced."""
    for path in (space.manifest, *(task.target for task in run.tasks)):
        if kind := special_kind(path):
            raise RedactionError(f"{path} is {kind}; remove it, or choose another folder")


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
