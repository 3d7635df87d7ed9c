"""The output folder of a run: results, manifest and checkpoint, sound at any moment."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from ..records import Record
from ..redaction import Key, RedactionError
from .manifest import MANIFEST, dump, note_line
from .plan import Task
from .reader import Unit
from .results import Summary
from .state import PART, STATE, Checkpoint
from .work import Outcome

_EVERY = 64  # notes between two checkpoints


class Output:
    """Writes the results of a run, in order, and how far it got.

    A file under way is `.part` in the folder of its result, and takes its name when it is whole.
    A checkpoint tells how many bytes of it, and of the manifest, are of whole chunks.
    """

    def __init__(
        self,
        out: Path,
        tasks: Sequence[Task],
        key: Key | None,
        at: Checkpoint,
        kept: Collection[str],
    ) -> None:
        """Open the folder; see `start` and `resume`.

        out (Path): The output folder.
        tasks (Sequence[Task]): The files of the run.
        key (Key | None): The user's key.
        at (Checkpoint): How far the run is.
        kept (Collection[str]): Names of what stays beside the texts, which grows with the run.
        """
        self.kept = kept
        self.out = out
        self.tasks = tasks
        self.key = key
        self.begin = time.monotonic() - at.seconds
        self.part: BinaryIO | None = None
        self.unsaved = 0
        with writing(out / MANIFEST):
            self.manifest = (out / MANIFEST).open("r+b")
            self.manifest.truncate(at.manifest)
            self.manifest.seek(at.manifest)

    @classmethod
    def start(
        cls,
        out: Path,
        tasks: Sequence[Task],
        key: Key | None,
        run: bytes,
        kept: Collection[str],
    ) -> Output:
        """Begin a run with the first line of its manifest."""
        with writing(out):
            out.mkdir(parents=True, exist_ok=True)
            Checkpoint().save(out)
            (out / MANIFEST).write_bytes(run)
            at = Checkpoint(manifest=len(run))
            at.save(out)
        return cls(out, tasks, key, at, kept)

    @classmethod
    def resume(
        cls,
        out: Path,
        tasks: Sequence[Task],
        key: Key | None,
        at: Checkpoint,
        kept: Collection[str],
    ) -> Output:
        """Go on behind a checkpoint."""
        output = cls(out, tasks, key, at, kept)
        if at.file < len(tasks) and at.part:
            target = tasks[at.file].target
            with writing(target):
                part = target.with_name(PART)
                if not part.exists():  # killed between the last rename and the checkpoint
                    os.replace(target, part)
                output.part = part.open("r+b")
                output.part.truncate(at.part)
                output.part.seek(at.part)
        return output

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for file in (self.part, self.manifest):
            if file is not None:
                with suppress(OSError):  # nothing behind the checkpoint counts
                    file.close()

    def add(self, unit: Unit, outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
        """Write a chunk, or end a file.

        unit (Unit): The chunk.
        outcomes (Sequence[Outcome]): What became of its texts.
        RETURNS (Sequence[Outcome]): The same, some withheld if the file cannot hold them.
        RAISES (RedactionError): If the folder cannot be written.
        """
        with writing(unit.task.target):
            if unit.chunk is None:
                self._end(unit)
                return outcomes
            data, outcomes = render(unit, outcomes)
            if data is not None:
                self._write(unit.task, data)
            for record, outcome in zip(unit.records, outcomes, strict=True):
                self._note(unit, record, outcome)
            if not unit.task.format.single and self.unsaved >= _EVERY:
                self._save(unit.file, unit.chunks)
            return outcomes

    def close(self, summary: Summary) -> None:
        """End the run with the last line of its manifest."""
        end = {"notes": summary.notes, "withheld": summary.withheld, "seconds": self._seconds()}
        with writing(self.out / MANIFEST):
            self.manifest.write(dump({"end": end}))
            self.manifest.flush()
            (self.out / STATE).unlink(missing_ok=True)

    def _write(self, task: Task, data: bytes) -> None:
        if self.part is None:
            task.target.parent.mkdir(parents=True, exist_ok=True)
            self.part = task.target.with_name(PART).open("wb")
        self.part.write(data)

    def _note(self, unit: Unit, record: Record, outcome: Outcome) -> None:
        lost = unit.task.format.single and outcome.error
        place = place_of(unit.task, record)
        # Of a file that is not written, the name stays out of the manifest.
        shown = f"(file {unit.file + 1})" if lost else place
        self._line(note_line(shown, f"{place}#{record.id}", outcome, self.key))

    def _end(self, unit: Unit) -> None:
        """Give the finished file its name. Of one that was never begun, no older one may stay."""
        task = unit.task
        if not task.format.single and not unit.error:
            self._write(task, b"")  # a file without chunks
        if unit.error:
            place = f"{task.place}#rest" if self.part else f"(file {unit.file + 1})"
            outcome = Outcome(None, error=unit.error)
            self._line(note_line(place, f"{task.place}#rest", outcome, self.key))
        if self.part is not None:
            self.part.close()
            self.part = None
            task.format.finish(task.target.with_name(PART), task.target)
        else:
            task.target.unlink(missing_ok=True)
        if not task.format.single or self.unsaved >= _EVERY:
            self._save(unit.file + 1, 0)
        task.target.with_name(PART).unlink(missing_ok=True)

    def _line(self, line: Mapping[str, Any]) -> None:
        self.manifest.write(dump(line))
        self.unsaved += 1

    def _save(self, file: int, chunks: int) -> None:
        part = 0
        for each in (self.part, self.manifest):
            if each is not None:
                each.flush()
        if self.part is not None:
            part = self.part.tell()
        seconds, kept = self._seconds(), tuple(self.kept)
        at = Checkpoint(file, chunks, part, self.manifest.tell(), seconds, kept)
        at.save(self.out)
        self.unsaved = 0

    def _seconds(self) -> float:
        return round(time.monotonic() - self.begin, 3)


def place_of(task: Task, record: Record) -> str:
    """Where the result of a note is, in the output folder: "ward/a.txt", "b.jsonl#17"."""
    return f"{task.place}#{record.row}" if record.row else task.place


def render(unit: Unit, outcomes: Sequence[Outcome]) -> tuple[bytes | None, Sequence[Outcome]]:
    """The new bytes of a chunk.

    unit (Unit): The chunk.
    outcomes (Sequence[Outcome]): What became of its texts.
    RETURNS (tuple[bytes | None, Sequence[Outcome]]): The bytes, None if a file that holds one note
        has lost it; and the outcomes, withheld if the bytes cannot hold them.
    """
    assert unit.chunk is not None
    try:
        data = unit.chunk.render([outcome.text for outcome in outcomes])
    except Exception as error:  # its message may quote the text
        reason = f"its file cannot hold the result ({type(error).__name__})"
        outcomes = [Outcome(None, error=outcome.error or reason) for outcome in outcomes]
        data = unit.chunk.render([None] * len(outcomes))
    lost = unit.task.format.single and all(outcome.error for outcome in outcomes)
    return (None if lost else data), outcomes


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Stop where a file cannot be written; a run can then be resumed.

    RAISES (RedactionError): If it cannot.
    """
    try:
        yield
    except OSError as error:
        raise RedactionError(
            f"{path} cannot be written: {error.strerror}; once it can, go on with 'resume'"
        ) from error
