"""Preparation for feature extraction: earlier pipes, the annotator, and clusters.

The annotator is a spaCy pipeline whose tags, lemmas, phrases and entities serve as features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.util import is_package, logger
from spacy.vocab import Vocab

from ..annotation.candidates import UntrainedDetector
from ..text.gazetteers import WORD_TABLE
from ..text.sections import SPANS_KEY
from .clusters import cluster_vectors, read_brown
from .features import FEATURE_GROUPS, Knowledge
from .features.group import NEEDS
from .sequences import Annotation, DocView


def rule_pipes_before(nlp: Language, name: str) -> list[Callable[[Doc], Doc]]:
    """The untrainable pipes before the one of this name.

    Includes frozen and sourced pipes, which spaCy disables during initialization, but no detectors,
    since no feature depends on them.
    """
    before = nlp.component_names[: nlp.component_names.index(name)]
    return [
        nlp.get_pipe(other)
        for other in before
        if not isinstance(nlp.get_pipe(other), TrainablePipe | UntrainedDetector)
    ]


def run_pipes(pipes: Iterable[Callable[[Doc], Doc]], doc: Doc) -> Doc:
    """Apply pipes to a doc, one after the other."""
    for pipe in pipes:
        doc = pipe(doc)
    return doc


def view_docs(docs: list[Doc], features: Iterable[str], annotator: str | None) -> list[DocView]:
    """The views of docs, annotated if there is an annotator and a feature needs it."""
    if annotator is None or not any(FEATURE_GROUPS[name].needs == "annotator" for name in features):
        return [DocView(doc) for doc in docs]
    annotations = annotate(annotator, docs)
    return [DocView(doc, annotation) for doc, annotation in zip(docs, annotations, strict=True)]


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
    nlp = _load_annotator(name)
    copies = [
        Doc(
            nlp.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
        )
        for doc in docs
    ]
    return [_annotation_of(doc) for doc in nlp.pipe(copies)]


@lru_cache(maxsize=1)
def _load_annotator(name: str) -> Language:
    return spacy.load(name)


def _annotation_of(doc: Doc) -> Annotation:
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


def learn_clusters(
    vocab: Vocab, features: Iterable[str], brown_clusters: str | None, n_vectors: int, seed: int
) -> Knowledge:
    """The resources of features: the vocab, and the clusters they need."""
    needs = {FEATURE_GROUPS[name].needs for name in features}
    knowledge = Knowledge(vocab)
    if "brown" in needs and brown_clusters is not None:
        knowledge.brown = read_brown(Path(brown_clusters))
    if "vectors" in needs and vocab.vectors.key2row:
        knowledge.vectors = cluster_vectors(vocab, n_vectors, seed)
    return knowledge


def warn_of_missing(
    name: str, features: Iterable[str], knowledge: Knowledge, view: DocView
) -> None:
    """Log a warning if feature groups of a pipe have no effect because a resource is missing.

    view (DocView): The first doc of the training corpus.
    """
    present = {
        "": True,
        "annotator": view.annotation is not None,
        "brown": knowledge.brown is not None,
        "vectors": knowledge.vectors is not None,
        "gazetteers": WORD_TABLE in knowledge.vocab.lookups,
        "sections": SPANS_KEY in view.doc.spans,
    }
    off: dict[str, list[str]] = {}
    for feature in features:
        need = FEATURE_GROUPS[feature].needs
        if not present[need]:
            off.setdefault(NEEDS[need], []).append(feature)
    if off:
        reasons = "; ".join(f"{', '.join(names)} (needs {need})" for need, names in off.items())
        logger.warning("%s: these feature groups have no effect: %s", name, reasons)
