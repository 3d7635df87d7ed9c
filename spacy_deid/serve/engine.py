"""The one thread that runs the model, on the texts of all requests that wait."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import takewhile
from threading import Condition, Thread

from spacy.language import Language

from ..engine.batches import batches
from ..engine.search import Detections, Search
from ..engine.work import InputText, redact_found
from ..known.pipe import add_known
from ..merger import lowest_threshold, using_threshold
from ..redaction import Redacted, Redactor


@dataclass(frozen=True)
class Work:
    """A text to search, and perhaps to redact.

    input (InputText): The text, its patient and known patient data.
    threshold (float | None): Minimum confidence; None for that of the model.
    redactor (Redactor | None): Replaces what is found.
    """

    input: InputText
    threshold: float | None = None
    redactor: Redactor | None = None


@dataclass(frozen=True)
class Result:
    """What was found in a text.

    found (Detections): The PHI.
    redacted (Redacted | None): The redacted text, if that was asked for and nothing failed.
    error (str): Why the text is withheld, without quoting it; empty if it is not.
    """

    found: Detections
    redacted: Redacted | None = None
    error: str = ""


_Waiting = tuple[Work, "Future[Result]"]


class Engine:
    """Runs a pipeline in one thread; texts that wait at the same time are one batch.

    nlp (Language): A pipeline with `phi_merger`; nothing else may use it. Its threshold is that of
        texts that come with none.
    RAISES (RedactionError): If it has no `phi_merger`.
    """

    def __init__(self, nlp: Language) -> None:
        add_known(nlp)
        self.nlp = nlp
        self.search = Search(nlp, exclusive=True)
        self.threshold = lowest_threshold(nlp)
        self.busy_since: float | None = None  # when the batch that is worked on was begun
        self._waiting: deque[_Waiting] = deque()
        self._changed = Condition()
        self._closed = False
        self._thread = Thread(target=self._work, name="inference", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self, longest: float) -> None:
        """Finish all work, and end the thread; give up on it after some seconds."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(longest)

    def is_ready(self, longest: float) -> bool:
        """Whether it takes work, and has not been on one batch for longer than some seconds."""
        since = self.busy_since
        stuck = since is not None and time.monotonic() - since > longest
        return self._thread.is_alive() and not self._closed and not stuck

    async def run(self, works: Sequence[Work]) -> list[Result]:
        """Search texts; what is cancelled while it waits is not searched."""
        futures: list[Future[Result]] = [Future() for _ in works]
        with self._changed:
            self._waiting += zip(works, futures, strict=True)
            self._changed.notify()
        try:
            for last in futures[-1:]:  # done when all are; waiting for each would stop the loop
                await asyncio.wrap_future(last)
        except asyncio.CancelledError:
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]

    def _work(self) -> None:
        while batch := self._next_batch():
            self.busy_since = time.monotonic()
            self._run_batch([one for one in batch if one[1].set_running_or_notify_cancel()])
            self.busy_since = None

    def _next_batch(self) -> list[_Waiting]:
        """The first texts that wait, of one threshold; none if there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            first = self._waiting[0][0].threshold if self._waiting else None
            alike = takewhile(lambda one: one[0].threshold == first, self._waiting)
            batch = next(batches(alike, lambda one: len(one[0].input.text)), [])
            for _ in batch:
                self._waiting.popleft()
            return batch

    def _run_batch(self, batch: list[_Waiting]) -> None:
        if not batch:
            return
        inputs = [work.input for work, _ in batch]
        try:
            with using_threshold(self.nlp, batch[0][0].threshold):
                found = self.search.find([i.text for i in inputs], [i.known for i in inputs])
        except Exception as error:  # its message may quote a text
            reason = f"the search failed ({type(error).__name__})"
            found = [Detections(error=reason) for _ in inputs]
        for (work, future), detections in zip(batch, found, strict=True):
            future.set_result(_finish(work, detections))


def _finish(work: Work, found: Detections) -> Result:
    if work.redactor is None or found.error:
        return Result(found, error=found.error)
    outcome = redact_found(work.input, found, work.redactor, keep=True)
    return Result(found, outcome.redacted, outcome.error)
