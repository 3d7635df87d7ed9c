"""A stream of notes through a pipeline: what fails is withheld, all else goes on."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from .errors import RedactionError
from .plan import Task
from .redacted import Redactor, find_phi


@dataclass
class NoteResult:
    """What became of a note.

    source (Path): The file with the note.
    target (Path): The file with the result; it does not exist if the note failed.
    phi (Counter[str]): How much PHI of each type was replaced.
    error (str): Why the note failed, without any text of it; empty if it did not.
    """

    source: Path
    target: Path
    phi: Counter[str] = field(default_factory=Counter)
    error: str = ""


@dataclass(frozen=True)
class _Job:
    """A note under way: its own text, and the text that the pipeline sees."""

    task: Task
    text: str
    plain: str


class NoteStream:
    """Notes on their way from their files through a pipeline into the redacted files.

    `nlp.pipe` leaves out what fails, one note or the whole batch around it. What comes back is
    matched by text with what went in; whatever is missing in between is tried once more, alone.
    """

    def __init__(self, tasks: Iterable[Task], nlp: Language, redactor: Redactor) -> None:
        """Create the stream.

        tasks (Iterable[Task]): The notes, and where their results go.
        nlp (Language): The pipeline.
        redactor (Redactor): Replaces their PHI.
        """
        self.tasks = iter(tasks)
        self.nlp = nlp
        self.redactor = redactor
        self.waiting: deque[_Job] = deque()
        self.unreadable: list[NoteResult] = []
        self.log = _ErrorLog()

    def results(self, n_process: int, batch_size: int) -> Iterator[NoteResult]:
        """Redact and write the notes one after another.

        n_process (int): Number of processes.
        batch_size (int): Number of notes that a process works on at a time.
        YIELDS (NoteResult): Results, in the order of the notes but for those that cannot be read.
        RAISES (RedactionError): If the pipeline fails without a note.
        """
        done = False
        with _error_handler(self.nlp, self.log):
            while not done:
                try:
                    docs = self.nlp.pipe(self._texts(), n_process=n_process, batch_size=batch_size)
                    for doc in docs:
                        yield from self._results_until(doc)
                    done = True
                except Exception as error:
                    # A pipe without error handling ends the stream: go on behind it.
                    if not self.waiting:
                        raise RedactionError(
                            f"the pipeline cannot run ({type(error).__name__})"
                        ) from error
                while self.waiting:
                    yield self._retry(self.waiting.popleft())
            yield from self._take_unreadable()

    def _texts(self) -> Iterator[str]:
        for task in self.tasks:
            try:
                text = task.source.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                self._give_up(task, "it is not valid UTF-8")
            except OSError as error:
                self._give_up(task, f"it cannot be read: {error.strerror}")
            else:
                if len(text) > self.nlp.max_length:
                    self._give_up(task, f"it is longer than {self.nlp.max_length} characters")
                    continue
                job = _Job(task, text, _plain(text))
                self.waiting.append(job)
                yield job.plain

    def _give_up(self, task: Task, reason: str) -> None:
        self.unreadable.append(_withhold(task, reason))

    def _take_unreadable(self) -> list[NoteResult]:
        results, self.unreadable = self.unreadable, []
        return results

    def _results_until(self, doc: Doc) -> Iterator[NoteResult]:
        """The result of a doc, after those of the notes before it that did not come back."""
        yield from self._take_unreadable()
        while self.waiting:
            job = self.waiting.popleft()
            if job.plain == doc.text:
                yield self._finish(job, doc)
                return
            yield self._retry(job)

    def _retry(self, job: _Job) -> NoteResult:
        try:
            (doc,) = self.nlp.pipe([job.plain])
        except Exception as error:
            reason = self.log.take() or f"the pipeline failed ({type(error).__name__})"
            return _withhold(job.task, reason)
        return self._finish(job, doc)

    def _finish(self, job: _Job, doc: Doc) -> NoteResult:
        try:
            if doc.text != job.plain:
                raise RedactionError("the pipeline changed its text")
            redacted = self.redactor.redact(job.text, find_phi(doc))
            _write(job.task.target, redacted.text)
        except RedactionError as error:
            return _withhold(job.task, str(error))
        except OSError as error:
            return _withhold(job.task, f"its result cannot be written: {error.strerror}")
        except Exception as error:
            return _withhold(job.task, f"its redaction failed ({type(error).__name__})")
        phi = Counter(replacement.type for replacement in redacted.replacements)
        return NoteResult(*job.task, phi)


def _plain(text: str) -> str:
    """The text as pipelines know it, without byte order mark and CR, every character in place."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all, with its line ends as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text.encode("utf-8"))
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _withhold(task: Task, reason: str) -> NoteResult:
    """The result of a note that failed; an older result must not pass for this one's."""
    try:
        task.target.unlink(missing_ok=True)
    except OSError:
        reason += "; an older result could not be removed"
    return NoteResult(*task, error=reason)


class _ErrorLog:
    """An error handler for pipes that remembers which one failed, and how."""

    def __init__(self) -> None:
        self.last = ""

    def __call__(self, name: str | None, pipe: Any, docs: Any, error: Exception) -> None:
        # The message of an error may quote the note, so the kind of error has to do.
        self.last = f"the pipe '{name}' failed ({type(error).__name__})" if name else ""

    def take(self) -> str:
        """The last error, which is then forgotten."""
        last, self.last = self.last, ""
        return last


@contextmanager
def _error_handler(nlp: Language, handler: Callable[..., None]) -> Iterator[None]:
    """Let `handler` take the errors of all pipes for a while."""
    default = nlp.default_error_handler
    pipes: list[Any] = [pipe for _, pipe in nlp.pipeline if hasattr(pipe, "get_error_handler")]
    before = [pipe.get_error_handler() for pipe in pipes]
    nlp.set_error_handler(handler)  # type: ignore[arg-type]
    try:
        yield
    finally:
        nlp.set_error_handler(default)
        for pipe, pipe_handler in zip(pipes, before, strict=True):
            pipe.set_error_handler(pipe_handler)
