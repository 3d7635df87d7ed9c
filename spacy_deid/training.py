"""Training: a log that ends with the gain, and pipelines saved without the words of their data."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from spacy.language import Language
from spacy.training.loggers import console_logger
from spacy.util import registry

LogStep = Callable[[dict[str, Any] | None], None]
Logger = Callable[[Language, IO[str], IO[str]], tuple[LogStep, Callable[[], None]]]


@registry.loggers("spacy_deid.GainLogger.v1")
def create_gain_logger(progress_bar: bool = False) -> Logger:
    """Create the logger: spaCy's table in the console, and a line about the gain.

    The first evaluation counts as before: with a learning rate that warms up from 0, the first step
    changes nothing.

    progress_bar (bool): Whether to show the progress to the next evaluation.
    """

    def setup(
        nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr
    ) -> tuple[LogStep, Callable[[], None]]:
        log, close = console_logger(progress_bar)(nlp, stdout, stderr)
        scores: list[tuple[float, int]] = []

        def log_step(info: dict[str, Any] | None) -> None:
            if info is not None:
                scores.append((float(info["score"]), int(info["step"])))
            log(info)

        def finalize() -> None:
            close()
            print(describe_gain(scores), file=stdout, flush=True)

        return log_step, finalize

    return setup


def describe_gain(scores: list[tuple[float, int]]) -> str:
    """One line on the scores of a training, each with its step; the first is that of the base."""
    if len(scores) < 2:
        return "The training ended before a second evaluation, so its gain is unknown."
    (before, _), (after, step) = scores[0], max(scores[1:])
    line = f"score on the dev notes {before:.4f} before, {after:.4f} after"
    if after > before:
        return f"Fine-tuning gained {after - before:.4f}: {line} (step {step})."
    return f"Fine-tuning gained nothing: {line} at best. The base is as good or better; keep it."


@registry.callbacks("spacy_deid.forget_words.v1")
def create_forget_words() -> Callable[[Language], Language]:
    """Create the callback `forget_words`, for `[training.before_to_disk]` in a config."""
    return forget_words


def forget_words(nlp: Language) -> Language:
    """Copy a pipeline without the strings its vocab has collected.

    spaCy saves every string a vocab has ever seen: for a model trained on real notes, every name in
    them, and for any model some megabytes of unused data. Components save the strings they need.

    nlp (Language): The pipeline, which is not changed.
    RETURNS (Language): The copy, to be saved.
    """
    copy = nlp.__class__.from_config(nlp.config)
    return copy.from_bytes(nlp.to_bytes(exclude=["strings"]))


def save_pipeline(nlp: Language, folder: Path, *, force: bool = False) -> None:
    """Save a pipeline without its words, in a folder that appears when it is complete.

    force (bool): Whether it may replace a folder.
    RAISES (OSError): If it cannot be written, or the folder is there already.
    """
    draft = folder.with_name(f".{uuid4().hex}.tmp")
    try:
        forget_words(nlp).to_disk(draft)
        if force and folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
