"""The mergers of a pipeline: their detectors and their thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spacy.language import Language

from .pipe import PhiMerger


def mergers_of(nlp: Language) -> dict[str, PhiMerger]:
    """The enabled mergers of a pipeline, by pipe name."""
    return {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhiMerger)}


def add_detector(nlp: Language, factory: str) -> Any:
    """Add a detector that comes before all others to a pipeline with `phi_merger`.

    factory (str): Name of its factory, which is also that of the pipe.
    RETURNS (Any): The new pipe.
    """
    mergers = mergers_of(nlp)
    pipe = nlp.add_pipe(factory, before=next(iter(mergers)))
    for name, merger in mergers.items():
        merger.detectors.insert(0, factory)
        nlp.get_pipe_config(name)["detectors"] = merger.detectors  # saved by `to_disk`
    return pipe


def lowest_threshold(nlp: Language) -> float:
    """The lowest minimum confidence of PHI among the mergers of a pipeline."""
    return min(merger.threshold for merger in mergers_of(nlp).values())


def set_threshold(nlp: Language, threshold: float) -> None:
    """Set the minimum confidence of PHI in the mergers of a pipeline.

    RAISES (ValueError): If the pipeline has no `phi_merger`, or the threshold is out of range.
    """
    mergers = mergers_of(nlp)
    if not mergers:
        raise ValueError("a threshold needs a model with a phi_merger, and this one has none")
    for name, merger in mergers.items():
        merger.threshold = threshold
        nlp.get_pipe_config(name)["threshold"] = threshold  # saved by `to_disk`


@contextmanager
def using_threshold(nlp: Language, threshold: float | None) -> Iterator[None]:
    """Let a pipeline use another threshold for a while; with None, those that it has.

    RAISES (ValueError): If the pipeline has no `phi_merger`, or the threshold is out of range.
    """
    if threshold is None:
        yield
        return
    before = [
        (merger, merger.threshold, config, config["threshold"])
        for name, merger in mergers_of(nlp).items()
        for config in [nlp.get_pipe_config(name)]
    ]
    try:
        set_threshold(nlp, threshold)
        yield
    finally:
        for merger, own, config, saved in before:
            merger.threshold = own
            config["threshold"] = saved
