"""The output folder of a run: results, manifest and checkpoint, consistent at any moment."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..engine.work import Outcome
from ..files import open_unlinked
from ..redaction.reidentify import OriginalsFile
from .manifest import dump, file_line, note_line
from .plan import Run
from .reader import FileChunk
from .workspace import Checkpoint, Workspace, writing

_EVERY = 64  # notes between two checkpoints


class Output:
    """Writes the results of a run, in order, and its progress.

    An unfinished file is kept in the workspace, and moved to its place when it is complete. A
    checkpoint records how many bytes of it, and of the manifest, belong to complete chunks.
    """

    def __init__(
        self, space: Workspace, run: Run, at: Checkpoint, originals: OriginalsFile | None
    ) -> None:
        """Continue after a checkpoint; `originals` is where the originals are kept, if they are."""
        self.space = space
        self.run = run
        self.originals = originals
        self.inputs = at.inputs
        self.begin = time.monotonic() - at.seconds
        self.part: BinaryIO | None = None
        self.unsaved = 0
        with writing(space.manifest):
            self.manifest = _open_at(space.manifest, at.manifest)
        if at.chunks:
            with writing(run.tasks[at.file].target):
                self.part = _open_at(space.part, at.part)

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self.part, self.manifest):
            if file is not None:
                with suppress(OSError):  # nothing behind the checkpoint counts
                    file.close()

    def add(self, chunk: FileChunk, outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
        """Write a chunk, or end a file; returns the outcomes, changed if the file cannot hold them.

        The originals come first: the checkpoint after them counts their notes.

        RAISES (RedactionError): If the folder cannot be written.
        """
        self._keep_originals(chunk, outcomes)
        with writing(chunk.task.target):
            if chunk.chunk is None:
                self._end(chunk)
                return outcomes
            data, outcomes = render(chunk, outcomes)
            if data is not None:
                self._write(data)
            for record, outcome in zip(chunk.records, outcomes, strict=True):
                place = chunk.task.place_of(record)
                # The manifest does not name a file that is not written.
                missing = chunk.task.format.single and outcome.error
                shown = f"(file {chunk.file + 1})" if missing else place
                self._add_line(shown, f"{place}#{record.id}", outcome, record.type)
            if not chunk.task.format.single and self.unsaved >= _EVERY:
                self._save(chunk.file, chunk.count)
            return outcomes

    def close(self) -> None:
        """End the run with the last line of its manifest."""
        summary, originals = self.run.summary, self.run.settings.originals
        if self.originals and originals:
            with writing(originals):
                self.originals.close()
        end = {"notes": summary.notes, "withheld": summary.withheld, "seconds": self._seconds()}
        with writing(self.space.manifest):
            self.manifest.write(dump({"end": end}))
            self.manifest.flush()
            self.space.clear()

    def _keep_originals(self, chunk: FileChunk, outcomes: Sequence[Outcome]) -> None:
        settings, task = self.run.settings, chunk.task
        if not self.originals or not settings.originals:
            return
        with writing(settings.originals):
            for record, outcome in zip(chunk.records, outcomes, strict=True):
                if outcome.redacted is not None:
                    self.originals.append(
                        task.place_of(record),
                        settings.patients.patient_of(task, record),
                        task.name_of(record),
                        record.text,
                        outcome.redacted,
                    )

    def _write(self, data: bytes) -> None:
        if self.part is None:
            self.part = open_unlinked(self.space.part, new=True)
        self.part.write(data)

    def _end(self, chunk: FileChunk) -> None:
        """Give the finished file its name; without a result, remove an older one."""
        task = chunk.task
        if not task.format.single and not chunk.error:
            self._write(b"")  # a file without chunks
        if chunk.error:
            place = f"{task.place}#rest" if self.part else f"(file {chunk.file + 1})"
            self._add_line(place, f"{task.place}#rest", Outcome(text=None, error=chunk.error))
        written = self.part is not None
        if self.part is not None:
            self.part.close()
            self.part = None
            task.target.parent.mkdir(parents=True, exist_ok=True)
            self.manifest.flush()  # a result is listed before it is there
            task.format.finish(self.space.part, task.target)
        else:
            task.target.unlink(missing_ok=True)
        self.manifest.write(dump(file_line(chunk.file, task, self.run.key, written=written)))
        if not task.format.single or self.unsaved >= _EVERY:
            self._save(0, 0)
        self.space.part.unlink(missing_ok=True)

    def _add_line(self, place: str, name: str, outcome: Outcome, field: str = "") -> None:
        self.manifest.write(dump(note_line(place, name, outcome, self.run.key, field=field)))
        self.unsaved += 1

    def _save(self, file: int, chunks: int) -> None:
        self.manifest.flush()
        part = 0
        if self.part is not None:
            self.part.flush()
            part = self.part.tell()
        at = Checkpoint(
            inputs=self.inputs,
            file=file,
            chunks=chunks,
            part=part,
            manifest=self.manifest.tell(),
            seconds=self._seconds(),
            kept=tuple(self.run.summary.kept),
        )
        at.save(self.space.state)
        self.unsaved = 0

    def _seconds(self) -> float:
        return round(time.monotonic() - self.begin, 3)


def render(chunk: FileChunk, outcomes: Sequence[Outcome]) -> tuple[bytes | None, Sequence[Outcome]]:
    """The new bytes of a chunk, and its outcomes.

    The bytes are None if the only note of a file is withheld; the outcomes are withheld if the
    bytes cannot hold them.
    """
    assert chunk.chunk is not None
    try:
        data = chunk.chunk.render([outcome.text for outcome in outcomes])
    except Exception as error:  # its message may quote the text
        reason = f"its file cannot hold the result ({type(error).__name__})"
        outcomes = [Outcome(text=None, error=outcome.error or reason) for outcome in outcomes]
        data = chunk.chunk.render([None] * len(outcomes))
    withheld = chunk.task.format.single and all(outcome.error for outcome in outcomes)
    return (None if withheld else data), outcomes


def _open_at(path: Path, size: int) -> BinaryIO:
    """Open a file to continue after `size` bytes."""
    file = open_unlinked(path, new=False)
    file.truncate(size)
    file.seek(size)
    return file
