"""The trainable pipe `phi_crf`: PHI detection with CRFsuite."""

# No `from __future__ import annotations`: spaCy validates config values against the annotations of
# registered classes, which must not be strings.
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.util import logger
from thinc.api import Model, noop

from ..annotation.candidates import DECIDED, Prediction, write_predictions
from ..annotation.tagging import decode_tags, find_scheme
from .extract import FeatureExtractor, Item
from .features import Knowledge
from .model import CrfModel, train_crf
from .prepare import (
    check_annotator,
    learn_clusters,
    rule_pipes_before,
    run_pipes,
    view_docs,
    warn_of_missing,
)
from .sequences import DocView, cover_tokens, gold_sequences, split, trim_spaces

DEFAULT_FEATURES = (
    "words",
    "lower_words",
    "affixes",
    "shapes",
    "orthography",
    "word_bigrams",
    "sentence",
    "section",
    "word_lists",
    "dictionary",
)
"""The default feature groups; none of them needs an annotator."""

_FILES = ("cfg", "clusters", "model.crfsuite")
_BATCH = 64
_LOG_EVERY = 500


class PhiCrf(TrainablePipe):
    """Writes the PHI found by a CRF to `doc.spans[name]`, with marginals as confidence.

    A span's confidence is the lowest probability of its items to be PHI of any type, and at least
    `DECIDED`. The pipe is trained in `initialize`; `update` does nothing.

    A span of characters is extended to all the tokens it touches; spans of one type that then share
    a token are merged, while spans of different types are left to the merger. White space at a
    span's ends is trimmed.
    """

    def __init__(
        self,
        nlp: Language,
        name: str,
        *,
        unit: str,
        scheme: str,
        features: list[str],
        window: int,
        windows: dict[str, int],
        annotator: str | None,
        min_count: int,
        c1: float,
        c2: float,
        max_iterations: int,
    ) -> None:
        """Create the pipe, untrained.

        name (str): Name of the pipe and of its span group.
        unit (str): What to tag: each "token" of a sentence, or each "character" of a line.
        scheme (str): The tagging scheme, "BIO" or "BIOES".
        features (list[str]): The feature groups, of `FEATURE_GROUPS`; for characters, they should
            include groups of unit "character".
        window (int): Number of items on each side whose attributes are included.
        windows (dict[str, int]): Other windows for single groups.
        annotator (str | None): Name or path of the spaCy pipeline that provides parts of speech,
            lemmas, noun phrases and general entities.
        min_count (int): Minimum count of an attribute with a tag, and of a tag after a tag.
        c1, c2 (float): Strength of L1 and of L2 regularisation.
        max_iterations (int): Maximum iterations; training stops earlier when the loss converges.
        RAISES (ValueError): If a setting is invalid.
        """
        if annotator is not None:
            check_annotator(annotator, name)
        self.vocab = nlp.vocab
        self.model: Model = noop()  # spaCy expects one of a trainable pipe
        self.name = name
        self.scorer = None
        self.scheme = find_scheme(scheme)
        self.annotator = annotator
        for setting, value in (("c1", c1), ("c2", c2)):
            if value < 0:
                raise ValueError(f"{setting} is {value}, but must be 0 or more")
        self.training = {
            "feature.minfreq": min_count,
            "c1": c1,
            "c2": c2,
            "max_iterations": max_iterations,
        }
        self.cfg: dict[str, Any] = {
            "unit": unit,
            "features": list(features),
            "window": window,
            "windows": dict(windows),
        }
        self.crf: CrfModel | None = None
        self._set_knowledge(Knowledge(nlp.vocab))

    @property
    def labels(self) -> tuple[str, ...]:
        """PHI types that the model can find, sorted."""
        tags = self.crf.tags if self.crf else []
        return tuple(sorted({label for tag in tags if (label := tag.partition("-")[2])}))

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Find PHI in docs without modifying them.

        RAISES (ValueError): If the pipe was neither trained nor loaded.
        """
        if self.crf is None:
            raise ValueError(f"'{self.name}' has no model: train it, or load a trained pipeline")
        views = view_docs(list(docs), self.cfg["features"], self.annotator)
        return [self._find(view, self.crf) for view in views]

    def set_annotations(self, docs: Iterable[Doc], predictions: list[Prediction]) -> None:
        """Write predicted spans as candidates."""
        write_predictions(docs, predictions, self.name)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Do nothing: `initialize` trains the model on the whole corpus."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        return losses

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        brown_clusters: str | None = None,
        n_vector_clusters: int = 500,
        seed: int = 0,
    ) -> None:
        """Train the CRF on all examples.

        nlp (Language | None): The pipeline, whose rule pipes before this one are run on the docs,
            so that features are the same as in prediction; None uses the docs unchanged.
        brown_clusters (str | None): File of Brown clusters, for the group "brown_clusters".
        n_vector_clusters, seed (int): Number and seed of those for the group "vector_clusters".
        RAISES (ValueError): If the examples contain no PHI.
        """
        validate_get_examples(get_examples, "PhiCrf.initialize")
        features = self.cfg["features"]
        self._set_knowledge(
            learn_clusters(self.vocab, features, brown_clusters, n_vector_clusters, seed)
        )
        pipes = rule_pipes_before(nlp, self.name) if nlp is not None else []
        self.crf = train_crf(self._training_sequences(get_examples(), pipes), self.training)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the settings, the clusters and CRFsuite's model to a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self._files(exclude).items():
            (folder / name).write_bytes(data)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "PhiCrf":
        """Load from a folder; the saved features override those of the config."""
        names = [name for name in _FILES if name not in exclude]
        return self._load_files({name: (Path(path) / name).read_bytes() for name in names})

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialise what `to_disk` saves."""
        return srsly.msgpack_dumps(self._files(exclude))

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "PhiCrf":
        """Load the result of `to_bytes`."""
        files = srsly.msgpack_loads(data)
        return self._load_files({name: files[name] for name in files if name not in exclude})

    def _find(self, view: DocView, crf: CrfModel) -> Prediction:
        """The spans of a doc."""
        found: Prediction = []
        for sequence in split(view, self.cfg["unit"]):
            tags, scores = crf.tag(self.extract(sequence))
            for start, end, label in decode_tags(enumerate(tags)):
                score = max(min(scores[start:end]), DECIDED)
                found.append((sequence.start + start, sequence.start + end, label, score))
        if self.cfg["unit"] == "character":
            found = cover_tokens(view.doc, found)
        return trim_spaces(view.doc, found)

    def _training_sequences(
        self, examples: Iterable[Example], pipes: list[Callable[[Doc], Doc]]
    ) -> Iterator[tuple[list[Item], list[str]]]:
        """The items and the gold tags of each sequence of the examples."""
        done = 0
        for batch in util.minibatch(examples, size=_BATCH):
            docs = [run_pipes(pipes, example.predicted.copy()) for example in batch]
            views = view_docs(docs, self.cfg["features"], self.annotator)
            if not done:
                warn_of_missing(self.name, self.cfg["features"], self.extract.knowledge, views[0])
            for view, example in zip(views, batch, strict=True):
                for sequence, tags in gold_sequences(
                    view, example.reference, self.cfg["unit"], self.scheme
                ):
                    yield self.extract(sequence), tags
            done += len(batch)
            if done % _LOG_EVERY < len(batch):
                logger.info("%s: features of %d notes computed", self.name, done)

    def _set_knowledge(self, knowledge: Knowledge) -> None:
        """Set the resources of the features and reset their caches."""
        self.extract = FeatureExtractor(**self.cfg, knowledge=knowledge)

    def _files(self, exclude: Iterable[str]) -> dict[str, bytes]:
        files = {
            "cfg": srsly.json_dumps(self.cfg).encode("utf8"),
            "clusters": self.extract.knowledge.to_bytes(),
            "model.crfsuite": self.crf.data if self.crf else b"",
        }
        return {name: data for name, data in files.items() if name not in exclude}

    def _load_files(self, files: dict[str, bytes]) -> "PhiCrf":
        self.cfg.update(srsly.json_loads(files.get("cfg", b"{}")))
        knowledge = Knowledge(self.vocab)
        if "clusters" in files:
            knowledge.from_bytes(files["clusters"])
        self._set_knowledge(knowledge)
        if "model.crfsuite" in files:
            data = files["model.crfsuite"]
            self.crf = CrfModel(data) if data else None
        return self


make_phi_crf = Language.factory(
    "phi_crf",
    assigns=["doc.spans"],
    default_config={
        "unit": "token",
        "scheme": "BIO",
        "features": list(DEFAULT_FEATURES),
        "window": 2,
        "windows": {},
        "annotator": None,
        "min_count": 1,
        "c1": 0.0,
        "c2": 1.0,
        "max_iterations": 100,
    },
)(PhiCrf)
