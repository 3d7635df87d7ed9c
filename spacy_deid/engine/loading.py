"""Pipelines, loaded by name or folder."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from threading import Lock

import spacy
from spacy.language import Language

from ..custom import Terms, add_terms, read_terms
from ..custom.pipe import AnyTerms
from ..errors import RedactionError, install
from ..merger import set_threshold
from .memory import keep_few_kernels

ONE_AT_A_TIME = Lock()
"""Held by what loads or runs the pipeline of `load_once`, which frees the words of a batch when it
is done."""


def load_pipeline(
    model: str, threshold: float | None = None, terms: AnyTerms | None = None
) -> Language:
    """Load a model by its name or folder.

    threshold (float | None): Minimum confidence of PHI; by default, that of the model.
    terms (AnyTerms | None): The user's terms, always or never PHI.
    RAISES (ValueError): If there is no such model, a package that it needs is missing, it has no
        `phi_merger` to take a threshold or terms, or the terms cannot be read.
    """
    if terms is not None and not isinstance(terms, Terms):
        terms = read_terms(terms)  # before the model, as it is quick
    try:
        nlp = spacy.load(model)
    except ModuleNotFoundError as error:
        raise RedactionError(
            f"the model '{model}' needs {error.name}; what models need that were not exported is "
            f"in the extra train ({install('train')})"
        ) from error
    except OSError as error:
        raise RedactionError(
            f"the model '{model}' is not installed; install its wheel (pip install "
            f"{Path(model).name}-VERSION-py3-none-any.whl) or name the folder of a model"
        ) from error
    if threshold is not None:
        set_threshold(nlp, threshold)
    if terms is not None:
        add_terms(nlp, terms)
    return nlp


@cache
def load_once(model: str) -> Language:
    """Load a model, once per process.

    RAISES (RedactionError): If there is no such model.
    """
    keep_few_kernels()
    return load_pipeline(model)


def _release_after_fork() -> None:
    """Give up what a thread that is not in this process holds, and the pipelines it was using."""
    if ONE_AT_A_TIME.locked():
        ONE_AT_A_TIME.release()
        load_once.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_after_fork)
