"""Saving trained pipelines without the words of their training data."""

from __future__ import annotations

from collections.abc import Callable

from spacy.language import Language
from spacy.util import registry


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
