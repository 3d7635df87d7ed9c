"""Errors of a run, reported without quoting a note."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..redaction import RedactionError


class ErrorLog:
    """An error handler for pipes that remembers the last error."""

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
def error_handler(nlp: Language, handler: Callable[..., None]) -> Iterator[None]:
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


@contextmanager
def writing(path: Path, hint: str = "; when it can, continue with resume=True") -> Iterator[None]:
    """Turn an error in writing a file into one sentence, with a hint what to do.

    RAISES (RedactionError): If the file cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RedactionError(f"{path} cannot be written: {reason}{hint}") from error
