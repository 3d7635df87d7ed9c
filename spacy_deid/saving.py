"""What of a trained pipeline goes to disk."""

from __future__ import annotations

from collections.abc import Callable

from spacy.language import Language
from spacy.util import registry


@registry.callbacks("spacy_deid.forget_words.v1")
def create_forget_words() -> Callable[[Language], Language]:
    """Create the callback `forget_words`, for `[training.before_to_disk]` in a config."""
    return forget_words


def forget_words(nlp: Language) -> Language:
    """A copy of a pipeline without the words that it has read.

    spaCy saves each string that a vocab has ever seen: of a model trained on real notes, every name
    in them, and of any model some megabytes that nothing reads. Components keep what they need.

    nlp (Language): The pipeline, which stays as it is.
    RETURNS (Language): The copy, to be saved.
    """
    copy = nlp.__class__.from_config(nlp.config)
    return copy.from_bytes(nlp.to_bytes(exclude=["strings"]))
