"""The files that an earlier part of a run finished, and which results are still intact."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ..files import open_unlinked
from ..redaction import Key
from .describe import other_inputs
from .manifest import result_hash
from .plan import Task
from .settings import Run
from .workspace import Checkpoint, Workspace

_FILE, _END = b'{"file": ', b'{"end": '


@dataclass
class Finished:
    """The finished files of a run, as its manifest lists them.

    done (set[int]): Numbers of the finished files.
    missing (dict[int, tuple[int, int]]): Numbers of those whose results are missing or changed,
        each with the start and end of its lines in the manifest.
    whole (int): Where the last line of a finished file ends.
    end (Mapping[str, Any]): The last line of a run that ended; else empty.
    """

    done: set[int] = field(default_factory=set)
    missing: dict[int, tuple[int, int]] = field(default_factory=dict)
    whole: int = 0
    end: Mapping[str, Any] = field(default_factory=dict)


def read_finished(space: Workspace, size: int, run: Run) -> Finished:
    """Read the first `size` bytes of a manifest and compare each finished result with them.

    RAISES (RedactionError): If the manifest is about other inputs.
    RAISES (OSError, ValueError, KeyError, TypeError, IndexError): If the manifest is damaged.
    """
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
                if not _is_intact(about, run.tasks[number], run.key, since):
                    finished.missing[number] = (begin, end)
                else:
                    finished.done.add(number)
                finished.whole, begin, first = end, end, b""
    return finished


def has_part(space: Workspace, at: Checkpoint) -> bool:
    """Whether the unfinished file is as long as the checkpoint says."""
    if not at.chunks or at.manifest > space.manifest.stat().st_size:
        return False
    return _size(space.part) >= at.part


def drop_missing(space: Workspace, finished: Finished, size: int) -> int:
    """Remove the lines about missing results from the manifest; returns its new size.

    If this is interrupted, the manifest is smaller than the checkpoint says; see `has_part`.
    """
    if not finished.missing:
        return size
    with space.manifest.open("rb") as old, open_unlinked(space.draft, new=True) as new:
        at = 0
        for begin, end in sorted(finished.missing.values()):
            _copy(old, new, begin - at)
            at = old.seek(end)
        _copy(old, new, size - at)
    os.replace(space.draft, space.manifest)
    return space.manifest.stat().st_size


def _check_place(first: bytes, about: dict[str, Any], task: Task) -> None:
    """Check that the first note of a file is in the file that the task writes."""
    if about["bytes"] is None or first.startswith(_FILE):
        return
    place = json.loads(first)["output"]
    if place != task.place and not place.startswith(f"{task.place}#"):
        raise other_inputs()


def _is_intact(about: dict[str, Any], task: Task, key: Key | None, since: int) -> bool:
    """Whether a result matches its line; without a hash, size and time decide."""
    if about["bytes"] is None:
        return True
    if _size(task.target) != about["bytes"]:
        return False
    if not about["hash"]:
        return task.target.stat().st_mtime_ns <= since
    try:
        return result_hash(task, key) == about["hash"]
    except OSError:
        return False


def _size(path: Path) -> int:
    """The size of a regular file that is not a link; -1 if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return -1
    return status.st_size if stat.S_ISREG(status.st_mode) else -1


def _copy(old: BinaryIO, new: BinaryIO, size: int) -> None:
    while size > 0:
        block = old.read(min(size, 1 << 20))
        new.write(block)
        size -= len(block)
