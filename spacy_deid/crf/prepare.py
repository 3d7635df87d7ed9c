"""Preparation for feature extraction: earlier pipes, annotations and clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.util import logger
from spacy.vocab import Vocab

from ..text.gazetteers import WORD_TABLE
from ..text.sections import SPANS_KEY
from .annotator import annotate
from .clusters import cluster_vectors, read_brown
from .features import FEATURE_GROUPS, Knowledge
from .features.group import NEEDS
from .sequences import DocView


def rule_pipes_before(nlp: Language, name: str) -> list[Callable[[Doc], Doc]]:
    """The untrainable pipes before the one of this name.

    Includes frozen and sourced pipes, which spaCy disables during initialization, but no detectors,
    since no feature depends on them.
    """
    before = nlp.component_names[: nlp.component_names.index(name)]
    return [
        nlp.get_pipe(other)
        for other in before
        if not isinstance(nlp.get_pipe(other), TrainablePipe)
        and nlp.get_pipe_meta(other).factory not in ("phi_known", "phi_matcher")
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
