"""The annotator: a spaCy pipeline whose tags, lemmas, phrases and entities serve as features."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_package

from .sequences import Annotation


def check_annotator(name: str, pipe: str) -> None:
    """Check that the annotator (an installed pipeline or a path) exists, without loading it.

    RAISES (ValueError): If there is no such pipeline; nothing is ever downloaded.
    """
    if not is_package(name) and not Path(name).exists():
        raise ValueError(
            f"{pipe}: the annotator '{name}' is not installed; install it, or set 'annotator' to "
            "another spaCy pipeline, or to null and do without its features"
        )


def annotate(name: str, docs: Iterable[Doc]) -> list[Annotation]:
    """Annotate copies of docs, token by token; the annotator's own tokenizer is not used."""
    nlp = _load(name)
    copies = [
        Doc(
            nlp.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
        )
        for doc in docs
    ]
    return [_read(doc) for doc in nlp.pipe(copies)]


@lru_cache(maxsize=1)
def _load(name: str) -> Language:
    return spacy.load(name)


def _read(doc: Doc) -> Annotation:
    entities = [""] * len(doc)
    if doc.has_annotation("ENT_IOB"):
        entities = [f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in doc]
    return Annotation(
        tags=[token.tag_ or token.pos_ for token in doc],
        lemmas=[token.lemma_ for token in doc],
        chunks=_chunks(doc),
        entities=entities,
    )


def _chunks(doc: Doc) -> list[str]:
    if not doc.has_annotation("DEP"):
        return [""] * len(doc)
    tags = ["O"] * len(doc)
    for chunk in doc.noun_chunks:
        tags[chunk.start : chunk.end] = ["B-NP", *["I-NP"] * (len(chunk) - 1)]
    return tags
