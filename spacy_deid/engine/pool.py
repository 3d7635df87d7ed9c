"""Worker processes that may die or hang: the note that causes it is found and withheld.

`nlp.pipe(n_process=…)` waits forever for a process that crashed in native code or ran out of
memory.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext

from spacy.language import Language

from ..annotation.phi import CATEGORY
from ..redaction import STYLES, Policy, RedactionError, Redactor
from ..redaction.surrogates import KINDS
from .memory import keep_few_kernels, return_freed_memory
from .work import InputText, Outcome, TextRedactor

TIMEOUT = 600.0  # seconds after which a process is considered hung

_NO_START = (
    "the worker processes cannot start; use one process, or in a script of your own keep pipes in "
    "a module and the call under if __name__ == '__main__'"
)
_WINDOW = 2  # batches in progress for each process

_worker: TextRedactor | None = None  # of this process
_timeout = TIMEOUT  # of this process


class Pool:
    """Processes that redact batches of texts; with one process, that is this one.

    keep (bool): Whether outcomes hold the replacements.
    exclusive (bool): As in `Search`; always true of other processes, which have a copy.
    timeout (float): Seconds after which a process ends itself if it still works on one batch, and
        then on one note of it. This process is never ended, unless it is expendable.
    isolated (bool): Whether one process is not this one either.
    expendable (bool): Whether this process ends itself, too: something else starts it again.
    RAISES (RedactionError): If the pipeline cannot be sent to other processes.
    """

    def __init__(
        self,
        nlp: Language,
        redactor: Redactor,
        n_process: int,
        *,
        keep: bool = False,
        exclusive: bool = False,
        timeout: float = TIMEOUT,
        isolated: bool = False,
        expendable: bool = False,
    ) -> None:
        self.n_process = n_process
        self.timeout = timeout
        self.isolated = isolated or n_process > 1
        self.expendable = expendable
        exclusive = exclusive or self.isolated
        self.worker = TextRedactor(nlp, redactor, keep=keep, exclusive=exclusive)
        self.processes: list[_Process] = []
        self.data = b""
        if self.isolated:
            try:
                self.data = pickle.dumps(self.worker)  # with what was set since it was loaded
            except Exception as error:
                raise RedactionError(
                    "the pipeline cannot be sent to other processes "
                    f"({type(error).__name__}); use one"
                ) from error

    def __enter__(self) -> Pool:
        keep_few_kernels()
        if self.isolated:
            process = self._start_process()
            process.check()
            self._check_styles(process)
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        for process in self.processes:
            process.executor.shutdown(wait=error is None, cancel_futures=True)

    def _check_styles(self, process: _Process) -> None:
        """Raise a RedactionError if another process would replace PHI in another way than this."""
        policy = self.worker.redactor.policy
        if process.executor.submit(_style_names, policy).result() != _style_names(policy):
            process.executor.shutdown()
            raise RedactionError(
                "other processes do not know your styles or surrogates: list them at the top level "
                "of a module, not in a function or a notebook, or use one process"
            )

    def redact(self, batches: Iterable[Sequence[InputText]]) -> Iterator[list[Outcome]]:
        """Redact batches, a few at a time; yields the outcomes of each batch, in order."""
        if not self.processes:
            for batch in batches:
                with _ending_at(self.timeout) if self.expendable else nullcontext():
                    outcomes = self.worker.redact(batch)
                yield outcomes
            return
        window: deque[_Process] = deque()
        for batch in batches:
            process = self._freest()
            process.submit(batch)
            window.append(process)
            if len(window) > _WINDOW * self.n_process:
                yield window.popleft().next()
        while window:
            yield window.popleft().next()

    def _freest(self) -> _Process:
        """The process that has the least to do; a new one, if all have something."""
        freest = min(self.processes, key=_Process.unfinished)
        if freest.unfinished() and len(self.processes) < self.n_process:
            return self._start_process()
        return freest

    def _start_process(self) -> _Process:
        self.processes.append(_Process(self.data, self.timeout))
        return self.processes[-1]


class _Process:
    """A process, and the batches it has; started again when it died.

    It is an executor of one worker: Python 3.11's may wait forever if one of several dies while
    another starts.
    """

    def __init__(self, data: bytes, timeout: float) -> None:
        self.initargs = (data, timeout)
        self.batches: deque[tuple[Sequence[InputText], Future[list[Outcome]]]] = deque()
        self.executor = self._start()

    def unfinished(self) -> int:
        """The number of batches that it still works on, or has not begun."""
        return sum(not future.done() for _, future in self.batches)

    def submit(self, batch: Sequence[InputText]) -> None:
        self.batches.append((batch, self._submit(batch)))

    def next(self) -> list[Outcome]:
        """The outcomes of the first batch; if the process died, all batches are tried again."""
        batch, future = self.batches.popleft()
        try:
            return future.result()
        except BrokenProcessPool:
            self._restart()
        outcomes = self._alone(batch)
        waiting, self.batches = self.batches, deque()
        for batch, future in waiting:
            done = not future.cancelled() and future.exception() is None
            self.batches.append((batch, future if done else self._submit(batch)))
        return outcomes

    def _alone(self, batch: Sequence[InputText]) -> list[Outcome]:
        """Redact a batch while no other is in progress, so that the cause of a crash is known."""
        try:
            return self._submit(batch).result()
        except BrokenProcessPool:
            self._restart()
        if len(batch) == 1:
            return [Outcome(text=None, error="the process that worked on it died or hung")]
        return [outcome for text in batch for outcome in self._alone([text])]

    def _submit(self, batch: Sequence[InputText]) -> Future[list[Outcome]]:
        try:
            return self.executor.submit(_redact, batch)
        except BrokenProcessPool as error:  # the process died between two batches
            broken: Future[list[Outcome]] = Future()
            broken.set_exception(error)
            return broken

    def _restart(self) -> None:
        # Python 3.12.1 never exits if a broken executor is forgotten before its processes ended.
        self.executor.shutdown(wait=True, cancel_futures=True)
        self.executor = self._start()
        self.check()

    def _start(self) -> ProcessPoolExecutor:
        context = process_context()
        executor = ProcessPoolExecutor(1, context, initializer=_begin, initargs=self.initargs)
        try:
            self.started = executor.submit(os.getpid)
        except (OSError, EOFError) as error:  # the server that forks died
            executor.shutdown(wait=True, cancel_futures=True)
            raise RedactionError(_NO_START) from error
        return_freed_memory()  # sending the model to the process takes twice its size
        return executor

    def check(self) -> None:
        """Wait until the process is there.

        RAISES (RedactionError): If it cannot start.
        """
        try:
            self.started.result()
        except BrokenProcessPool:
            self.executor.shutdown(wait=True, cancel_futures=True)
            raise RedactionError(_NO_START) from None


def process_context() -> multiprocessing.context.BaseContext:
    """Clean processes: a fork of this one would inherit its threads' locks."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _style_names(policy: Policy) -> list[tuple[str, str]]:
    """The functions that this process has for a policy, by PHI type."""
    return [
        (phi_type, getattr(function, "__qualname__", type(function).__name__))
        for phi_type in CATEGORY
        for name in [policy.style_of(phi_type)]
        for function in [KINDS.get(phi_type) if name == "surrogate" else STYLES.get(name)]
    ]


def _begin(data: bytes, timeout: float) -> None:
    global _worker, _timeout
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what becomes of the run
    end_with_parent()
    keep_few_kernels()  # the server that forks may be older than the setting
    _worker, _timeout = pickle.loads(data), timeout
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def end_with_parent() -> None:
    """End this process when the one that started it ends, however it does."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_for_end, args=(parent,), daemon=True).start()


def _wait_for_end(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _redact(batch: Sequence[InputText]) -> list[Outcome]:
    assert _worker is not None
    with _ending_at(_timeout):
        return _worker.redact(batch)


@contextmanager
def _ending_at(timeout: float) -> Iterator[None]:
    """End this process if the block takes longer: the watchdog needs no lock of a hung call."""
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(
            min(timeout, threading.TIMEOUT_MAX), exit=True, file=nowhere
        )
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
