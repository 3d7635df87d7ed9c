"""The mergers of a pipeline: their detectors and their thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from spacy.language import Language

from ..errors import RedactionError
from .pipe import PhiMerger


def mergers_of(nlp: Language) -> dict[str, PhiMerger]:
    """The enabled mergers of a pipeline, by pipe name."""
    return {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhiMerger)}


def require_mergers(nlp: Language, purpose: str) -> dict[str, PhiMerger]:
    """The enabled mergers of a pipeline that has one.

    purpose (str): What needs them, for the message.
    RAISES (RedactionError): If it has none, or is no pipeline, but perhaps the name of one.
    """
    if not isinstance(nlp, Language):
        raise RedactionError(
            f"{purpose} needs a pipeline, such as spacy.load('en_deid'), not {type(nlp).__name__}"
        )
    mergers = mergers_of(nlp)
    if not mergers:
        raise RedactionError(f"{purpose} needs a phi_merger, and the pipeline has none")
    return mergers


def add_detector(
    nlp: Language, factory: str, name: str = "", *, config: Mapping[str, Any] | None = None
) -> Any:
    """Add a detector that comes before all others to a pipeline with `phi_merger`.

    factory (str): Name of its factory.
    name (str): Name of the pipe, and so of the span group that it writes; by default, that of the
        factory.
    config (Mapping[str, Any] | None): The settings of the pipe.
    RETURNS (Any): The new pipe.
    RAISES (RedactionError): If the pipeline has no `phi_merger`.
    """
    detector = name or factory
    mergers = require_mergers(nlp, detector)
    pipe = nlp.add_pipe(factory, detector, before=next(iter(mergers)), config=dict(config or {}))
    for merger_name, merger in mergers.items():
        merger.detectors.insert(0, detector)
        nlp.get_pipe_config(merger_name)["detectors"] = merger.detectors  # saved by `to_disk`
    return pipe


def lowest_threshold(nlp: Language) -> float:
    """The lowest minimum confidence of PHI among the mergers of a pipeline.

    RAISES (RedactionError): If the pipeline has no `phi_merger`.
    """
    return min(merger.threshold for merger in require_mergers(nlp, "a threshold").values())


def set_threshold(nlp: Language, threshold: float) -> None:
    """Set the minimum confidence of PHI in the mergers of a pipeline.

    RAISES (RedactionError): If the pipeline has no `phi_merger`.
    RAISES (ValueError): If the threshold is out of range.
    """
    for name, merger in require_mergers(nlp, "a threshold").items():
        merger.threshold = threshold
        nlp.get_pipe_config(name)["threshold"] = threshold  # saved by `to_disk`


@contextmanager
def using_threshold(nlp: Language, threshold: float | None) -> Iterator[None]:
    """Let a pipeline use another threshold for a while; with None, those that it has.

    RAISES (RedactionError): If the pipeline has no `phi_merger`.
    RAISES (ValueError): If the threshold is out of range.
    """
    if threshold is None:
        yield
        return
    before = [
        (merger, merger.threshold, config, config["threshold"])
        for name, merger in require_mergers(nlp, "a threshold").items()
        for config in [nlp.get_pipe_config(name)]
    ]
    try:
        set_threshold(nlp, threshold)
        yield
    finally:
        for merger, own, config, saved in before:
            merger.threshold = own
            config["threshold"] = saved
