"""Files that are redacted one after another, in a process beside the server.

Each job has a folder: `job.json` says what was asked for and what became of it; `input` holds the
file until the job ends; `output` is the output folder of a run of `spacy_deid.batch`, which goes on
where it was stopped. A folder whose name begins with a dot is no job: a file that is still being
sent, or one that is being deleted.
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing.process
import os
import pickle
import re
import shutil
import signal
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from threading import Condition, Thread
from uuid import uuid4

from spacy.language import Language

from ..batch import MANIFEST, TIMEOUT, NoteResult, RunSettings, Summary, redact_files
from ..batch.report import read_run
from ..engine.pool import end_with_parent, process_context
from ..files import replacing
from ..http.audit import AuditLog
from ..http.errors import RequestError, busy
from ..http.usage import Metrics, Usage
from ..lock import Locked, locked
from ..records import RECORD_FORMATS, Fields
from ..redaction import Key, Policy, RedactionError, find_policy
from .settings import ServeSettings

_MOST_UNFINISHED = 100
_PROCESSES = (1, 2)  # where one dies or hangs, two find the note and withhold it
_PAUSE = 10.0
"""Seconds until the next job after one that could not be begun or ended."""
_DIED = "the process that worked on it died or hung, perhaps as the file is too large for memory"
_ABOUT, _INPUT, _OUTPUT = "job.json", "input", "output"
_NAMES = {
    "`fields.text`": "text_column",
    "`fields.patient`": "patient_column",
    "`fields.id`": "id_column",
}
"""Settings in messages, and the names of the request for them."""


@dataclass(frozen=True)
class Job:
    """A file to redact, and what became of it.

    owner (str): The client it belongs to.
    policy (str): Name of the policy; empty for that of the server.
    state (str): "waiting", "running", "done" or "failed".
    error (str): Why it failed, without quoting a note.
    characters (int): Characters of the redacted notes.
    failures (list[dict[str, str]]): The first of the notes that are withheld: row and error.
    kept (list[str]): The columns and elements that were not searched.
    counted (bool): Whether its end is in the audit log and the metrics.
    """

    format: str
    policy: str = ""
    text_column: tuple[str, ...] = Fields().text
    id_column: str = Fields().id
    patient_column: str = ""
    owner: str = ""
    id: str = field(default_factory=lambda: uuid4().hex)
    created: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat())
    state: str = "waiting"
    error: str = ""
    notes: int = 0
    withheld: int = 0
    characters: int = 0
    phi: dict[str, int] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    counted: bool = False

    @property
    def file(self) -> str:
        """Name of its file, before and after."""
        return f"notes{RECORD_FORMATS[self.format].suffixes[0]}"

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something left to do."""
        return self.state in ("waiting", "running")

    @property
    def usage(self) -> Usage:
        """What it used."""
        notes = self.notes + self.withheld
        return Usage(notes, self.withheld, self.characters, Counter(self.phi), self.id)

    def ended(self, summary: Summary, characters: int) -> Job:
        """The job with its results."""
        return replace(
            self,
            state="done",
            notes=summary.notes,
            withheld=summary.withheld,
            characters=characters,
            phi=dict(summary.phi),
            failures=[{"row": each.row, "error": each.error} for each in summary.failures],
            kept=[*summary.kept],
        )

    def failed(self, error: str) -> Job:
        """The job that failed."""
        return replace(self, state="failed", error=error)

    def save(self, folder: Path) -> None:
        """Write its state, whole or not at all."""
        with replacing(folder / _ABOUT, private=True) as file:
            file.write(json.dumps(asdict(self)).encode("ascii"))


class Jobs:
    """The jobs of a server.

    settings (ServeSettings): Its settings, with the folder of the jobs.
    nlp (Language): The pipeline; each job gets a copy.
    metrics (Metrics): Where jobs are counted when they end.
    audit (AuditLog | None): Where that is written to.
    RAISES (RedactionError): If the folder cannot be written, or another server uses it.
    """

    def __init__(
        self, nlp: Language, settings: ServeSettings, metrics: Metrics, audit: AuditLog | None
    ) -> None:
        assert settings.jobs is not None
        self.settings = settings
        self.metrics = metrics
        self.audit = audit
        self.folder = settings.jobs
        self._model = pickle.dumps(nlp)  # now, as it cannot be done while the pipeline is in use
        self._changed = Condition()
        self._closed = False
        self._current = ""  # id of the job that is worked on
        self._process: multiprocessing.process.BaseProcess | None = None
        self._thread = Thread(target=self._work, name="jobs", daemon=True)
        with ExitStack() as stack:
            try:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(locked(self.folder / ".lock"))
            except OSError as error:
                raise RedactionError(
                    f"the folder of jobs {self.folder} cannot be written: {error.strerror}"
                ) from error
            except Locked:
                raise RedactionError(f"another server uses the jobs in {self.folder}") from None
            self._waiting = deque(job.id for job in self._tidy())
            self._stack = stack.pop_all()

    def start(self) -> None:
        """Start to work on the jobs that wait."""
        self._thread.start()

    def close(self) -> None:
        """Stop; the next server on the folder continues."""
        with self._changed:
            self._closed = True
            if self._process is not None:
                self._process.terminate()
            self._changed.notify()
        self._thread.join()
        self._stack.close()

    def is_ready(self) -> bool:
        """Whether it works on jobs: the thread for them is alive."""
        return self._thread.is_alive()

    async def add(self, job: Job, parts: AsyncIterator[bytes], record: Callable[[], None]) -> None:
        """Accept a job: from now on, it is not lost.

        parts (AsyncIterator[bytes]): Its file.
        record (Callable[[], None]): Called when the file is stored; if it fails, so does this.
        RAISES (RequestError): If the file is empty or cannot be stored, or too many jobs wait.
        """
        if len(self._waiting) >= _MOST_UNFINISHED:
            raise busy("too many jobs wait")
        draft = self.folder / f".{job.id}"
        try:
            draft.mkdir(mode=0o700)
            (draft / _INPUT).mkdir()
            with (draft / _INPUT / job.file).open("xb") as file:
                async for part in parts:
                    file.write(part)
                if not file.tell():
                    raise RequestError(422, "the body is empty")
            job.save(draft)
            record()
            os.replace(draft, self.folder / job.id)
        except OSError as error:
            raise busy(f"the file cannot be stored: {error.strerror}") from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        with self._changed:
            self._waiting.append(job.id)
            self._changed.notify()

    def get(self, job_id: str) -> Job | None:
        """A job by its id; None if there is none."""
        return _load(self.folder / job_id)

    def result(self, job: Job) -> Path:
        """The redacted file of a job."""
        return self.folder / job.id / _OUTPUT / job.file

    def manifest(self, job: Job) -> Path:
        """The manifest of a job."""
        return self.folder / job.id / _OUTPUT / MANIFEST

    def remove(self, job_id: str) -> None:
        """Delete a job and its files; stop it if it is worked on.

        RAISES (RequestError): If it has ended and cannot be counted.
        """
        gone = self.folder / f".{job_id}"
        with self._changed:
            try:
                self._count(job_id)
            except OSError:
                raise busy("the audit log cannot be written") from None
            if job_id in self._waiting:
                self._waiting.remove(job_id)
            os.replace(self.folder / job_id, gone)
            if self._current == job_id:  # its files are deleted when its process has ended
                if self._process is not None:
                    self._process.terminate()
                return
        shutil.rmtree(gone, ignore_errors=True)

    def _tidy(self) -> list[Job]:
        """What the server before left to do, in order; its other leftovers are deleted.

        What it has not written stays: the folder may hold other things, too.
        """
        left = []
        for folder in filter(_is_ours, self.folder.iterdir()):
            job = _load(folder)
            if folder.name.startswith("."):
                shutil.rmtree(folder, ignore_errors=True)
            elif job is not None and not job.counted:
                left.append(job)
            elif (folder / _ABOUT).exists():
                shutil.rmtree(folder / _INPUT, ignore_errors=True)
        return sorted(left, key=lambda job: (job.is_unfinished, job.created))

    def _work(self) -> None:
        while job_id := self._next():
            try:
                self._do(job_id)
            except OSError:  # as from a full disk, which may have room again later
                self._put_back(job_id)

    def _do(self, job_id: str) -> None:
        code: int | None = None
        for processes in _PROCESSES:
            process = self._begin(job_id, processes)
            if process is None:
                break
            process.join()
            code = process.exitcode
            if code in (0, -signal.SIGTERM):
                break
        self._end(job_id, died=code not in (0, None, -signal.SIGTERM))

    def _put_back(self, job_id: str) -> None:
        """Let a job wait again, and pause."""
        with self._changed:
            self._process, self._current = None, ""
            if (self.folder / job_id).exists():
                self._waiting.append(job_id)
            self._changed.wait_for(lambda: self._closed, _PAUSE)

    def _next(self) -> str:
        """The first job that waits; empty if the server stops."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return ""
            self._current = self._waiting.popleft()
            return self._current

    def _begin(self, job_id: str, processes: int) -> multiprocessing.process.BaseProcess | None:
        """Start a process for a job, unless it was deleted or has ended, or the server stops."""
        folder = self.folder / job_id
        with self._changed:
            job = _load(folder)
            if self._closed or job is None or not job.is_unfinished:
                return None
            replace(job, state="running").save(folder)
        arguments = (self._model, folder, self.settings.policy, self.settings.key, processes)
        process = process_context().Process(target=_run, args=arguments)  # type: ignore[attr-defined]
        process.start()  # takes seconds: nobody may wait for the lock
        with self._changed:
            self._process = process
            if self._closed or not folder.exists():
                process.terminate()
        return process

    def _end(self, job_id: str, *, died: bool) -> None:
        """Tidy up after a process, and count its job; one that was told to stop stays."""
        folder = self.folder / job_id
        with self._changed:
            self._process, self._current = None, ""
            job = _load(folder)
            if job is not None and job.is_unfinished:
                if not died:
                    self._waiting.append(job_id)
                    return
                job = job.failed(_DIED)
                job.save(folder)
        gone = self.folder / f".{job_id}" if job is None else folder / _INPUT
        shutil.rmtree(gone, ignore_errors=True)
        self._count(job_id)

    def _count(self, job_id: str) -> None:
        """Count a job if it has ended, and mark it: the next server counts those without a mark.

        RAISES (OSError): If the audit log cannot be written.
        """
        folder = self.folder / job_id
        with self._changed:
            job = _load(folder)
            if job is None or job.is_unfinished or job.counted:
                return
            if self.audit is not None:
                self.audit.write(who=job.owner, state=job.state, **job.usage.entry())
            self.metrics.count(job.usage)
            with suppress(OSError):  # a second line after a restart is better than one per try
                replace(job, counted=True).save(folder)


def _is_ours(folder: Path) -> bool:
    """Whether a folder has the name of a job, with a dot while it is sent or deleted."""
    return re.fullmatch(r"\.?[0-9a-f]{32}", folder.name) is not None


def _load(folder: Path) -> Job | None:
    try:
        about = json.loads((folder / _ABOUT).read_text("ascii"))
    except (OSError, ValueError):
        return None
    return Job(**{**about, "text_column": tuple(about["text_column"])})


def _watch(result: NoteResult | None = None) -> None:
    """End this process, as it hangs, unless this is called again in time."""
    faulthandler.dump_traceback_later(TIMEOUT, exit=True)


def _run(model: bytes, folder: Path, default: Policy, key: Key | None, processes: int) -> None:
    """Do a job, in a process of its own; `default` is the policy of jobs that name none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides what becomes of the job
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(10)  # requests come first
    job = _load(folder)
    assert job is not None
    on_note = _watch if processes == 1 else None  # several are watched by the pool
    if on_note:
        _watch()
    try:
        settings = RunSettings(
            policy=find_policy(job.policy) if job.policy else default,  # one may be gone
            key=key,
            format=job.format,
            fields=Fields(job.text_column, job.id_column, job.patient_column),
            n_process=processes,
            resume=True,
            exclusive=True,
        )
        nlp: Language = pickle.loads(model)
        source = folder / _INPUT / job.file
        out = folder / _OUTPUT
        summary = redact_files([source], out, nlp, settings, on_note=on_note)
        job = job.ended(summary, read_run(out).characters)
    except RedactionError as error:
        message = str(error).replace(f"{folder}{os.sep}", "")
        for setting, name in _NAMES.items():
            message = message.replace(setting, name)
        job = job.failed(message)
    except Exception as error:  # its message may quote a note
        job = job.failed(f"the job failed ({type(error).__name__})")
    job.save(folder)
