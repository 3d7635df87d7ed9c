"""A run that was stopped, or whose results have changed: what of it is still good."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import RedactionError
from ..files import open_unlinked
from .manifest import check_same, not_the_same, read_manifest, result_hash
from .plan import Run
from .reader import Task
from .results import NoteResult
from .workspace import Checkpoint, Workspace, writing

_FILE, _END = b'{"file": ', b'{"end": '
_NO_RESULT = re.compile(r"\(file ([0-9]{1,9})\)")
"""How the manifest names a file that was not written."""


@dataclass
class Finished:
    """The finished files of a run, as its manifest lists them."""

    done: set[int] = field(default_factory=set)  # numbers of those whose results are intact
    # Those whose results are not, each with the start and end of its lines in the manifest.
    missing: dict[int, tuple[int, int]] = field(default_factory=dict)
    whole: int = 0  # where the last line of a finished file ends
    end: Mapping[str, Any] = field(default_factory=dict)  # the last line, if the run ended


def continue_run(
    space: Workspace, run: Run, about: Mapping[str, Any], inputs: str, at: Checkpoint | None
) -> tuple[Checkpoint | None, Sequence[int]]:
    """Continue the run before, and count its results.

    about (Mapping[str, Any]): What this run depends on; see `run_line`.
    inputs (str): The digest of its inputs.
    at (Checkpoint | None): The last checkpoint of the run before; None if it ended.
    RETURNS (tuple[Checkpoint | None, Sequence[int]]): Where it goes on, None if nothing is left to
        do, and the numbers of the files to redact.
    RAISES (RedactionError): If the run before was another, or cannot be read.
    """
    try:
        size = space.manifest.stat().st_size
        first = next(read_manifest(space.manifest), None)
        if first is None or space.manifest.is_symlink():
            raise _unreadable(space)
        check_same(first["run"], about)
        if at.inputs != inputs if at else _is_older(space.manifest, run):
            raise not_the_same("inputs")
        at = at or Checkpoint(inputs=inputs, manifest=size)
        finished = _read_finished(space, min(at.manifest, size), run)
        run.summary.redone = [run.tasks[number].target for number in sorted(finished.missing)]
        if finished.end and not finished.missing:
            _count(space.manifest, size, run)
            return None, ()
        with writing(space.manifest):
            at = _go_back(space, finished, at)
        _count(space.manifest, at.manifest, run)
    except RedactionError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise _unreadable(space) from error
    run.summary.add_kept(at.kept)
    unfinished = [at.file] if at.chunks else []
    others = {*range(len(run.tasks))} - finished.done - {*unfinished}
    return at, unfinished + sorted(others)


def _is_older(manifest: Path, run: Run) -> bool:
    """Whether an input changed after a run ended, whose manifest tells none without a key."""
    end = manifest.stat().st_mtime_ns
    for task in run.tasks:
        with suppress(OSError):  # such as a link to nothing
            if task.source.stat().st_mtime_ns > end:
                return True
    return False


def _unreadable(space: Workspace) -> RedactionError:
    reason = "cannot be read"
    if space.manifest.is_symlink():
        reason = "is a link"
    elif space.manifest.is_file() and not space.manifest.stat().st_size:
        reason = "is empty"
    return RedactionError(
        f"the run cannot be resumed, as {space.manifest} {reason}; start over with `force=True`"
    )


def _read_finished(space: Workspace, size: int, run: Run) -> Finished:
    """Read the first `size` bytes of a manifest and compare each finished result with them."""
    finished = Finished()
    since = (space.state if space.state.exists() else space.manifest).stat().st_mtime_ns
    with space.manifest.open("rb") as file:
        finished.whole = begin = end = len(file.readline())
        first = b""
        for line in file:
            end += len(line)
            if end > size or not line.endswith(b"\n"):
                break
            first = first or line
            finished.end = json.loads(line)["end"] if line.startswith(_END) else {}
            if line.startswith(_FILE):
                about = json.loads(line)
                number = about["file"] - 1
                _check_place(first, about, run.tasks[number])
                if _is_intact(about, run.tasks[number], run, since):
                    finished.done.add(number)
                else:
                    finished.missing[number] = (begin, end)
                finished.whole, begin, first = end, end, b""
    return finished


def _check_place(first: bytes, about: Mapping[str, Any], task: Task) -> None:
    """Check that the first note of a file is in the file that the task writes."""
    if about["bytes"] is None or first.startswith(_FILE):
        return
    place = json.loads(first)["output"]
    if place != task.place and not place.startswith(f"{task.place}#"):
        raise not_the_same("inputs")


def _is_intact(about: Mapping[str, Any], task: Task, run: Run, since: int) -> bool:
    """Whether a result matches its line; without a hash, size and time decide."""
    if about["bytes"] is None:
        return True
    if _size(task.target) != about["bytes"]:
        return False
    if not about["hash"]:
        return task.target.stat().st_mtime_ns <= since
    try:
        return result_hash(task, run.key) == about["hash"]
    except OSError:
        return False


def _go_back(space: Workspace, finished: Finished, at: Checkpoint) -> Checkpoint:
    """Go back to the last point at which everything counted is on disk."""
    size = at.manifest
    # The manifest is shorter than the checkpoint says if dropping lines from it was interrupted.
    complete = at.chunks and at.manifest <= space.manifest.stat().st_size
    if not complete or _size(space.part) < at.part:
        size = finished.whole
        at = replace(at, file=0, chunks=0, part=0, seconds=finished.end.get("seconds", at.seconds))
    if finished.missing:
        size = _drop_missing(space, finished, size)
    at = replace(at, manifest=size)
    at.save(space.state)
    return at


def _drop_missing(space: Workspace, finished: Finished, size: int) -> int:
    """Remove the lines about missing results from the manifest; returns its new size."""
    with space.manifest.open("rb") as old, open_unlinked(space.draft, new=True) as new:
        at = 0
        for begin, end in sorted(finished.missing.values()):
            _copy(old, new, begin - at)
            at = old.seek(end)
        _copy(old, new, size - at)
    os.replace(space.draft, space.manifest)
    return space.manifest.stat().st_size


def _copy(old: BinaryIO, new: BinaryIO, size: int) -> None:
    while size > 0:
        block = old.read(min(size, 1 << 20))
        new.write(block)
        size -= len(block)


def _size(path: Path) -> int:
    """The size of a regular file that is not a link; -1 if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return -1
    return status.st_size if stat.S_ISREG(status.st_mode) else -1


def _count(manifest: Path, size: int, run: Run) -> None:
    """Count the outcomes of the notes in a manifest."""
    tasks = {task.place: task for task in run.tasks}
    for line in read_manifest(manifest, size):
        if "output" not in line:
            continue
        place, _, row = line["output"].partition("#")
        match = _NO_RESULT.fullmatch(place)
        task = run.tasks[int(match[1]) - 1] if match else tasks.get(place)
        source, target = (task.source, task.target) if task else (Path(place), run.out / place)
        run.summary.add(
            NoteResult(
                source=source,
                target=target,
                row=row,
                phi=line["phi"],
                error=line["error"],
                is_field="field" in line,
            )
        )
