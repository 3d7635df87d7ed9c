"""The trainable pipe `phi_tagger`: neural PHI detection."""

# No `from __future__ import annotations`: spaCy validates config values against the annotations of
# registered classes, which must not be strings.
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..annotation.candidates import DECIDED, Prediction, write_predictions
from ..annotation.tagging import Scheme, decode_tags, find_scheme, gold_labels
from ..text.gazetteers import TABLES
from .buckets import TagScores, batch_scale, uses_gpu
from .lattice import decode
from .onnx_model import predicts_with_onnx, torch_tagger
from .persons import Candidate, agree_on_persons
from .segments import batch_docs

DEFAULT_MODEL = """
[model]
@architectures = "spacy_deid.PhiTagger.v1"
max_segment = 128

[model.tok2vec]
@architectures = "spacy_deid.WordEmbed.v1"

[model.encoder]
@architectures = "spacy_deid.RecurrentEncoder.v1"

[model.decoder]
@architectures = "spacy_deid.CrfDecoder.v1"
"""

_UNDECIDED = float(np.nextafter(DECIDED, 0))
_SAMPLE = 10  # docs that the model is built on
_PLAIN = 1e-4  # probability of PHI below which a token is plainly outside


class PhiTagger(TrainablePipe):
    """Writes the PHI found by its model to `doc.spans[name]`, with the decoder's confidence.

    Only training imports torch, and the models that need it.
    """

    def __init__(
        self,
        nlp: Language,
        name: str,
        model: Model,
        *,
        max_batch_tokens: int,
        min_score: float,
        mixed_precision: bool,
        one_type_per_person: bool,
        temperature: float,
    ) -> None:
        """Create the pipe, untrained.

        nlp (Language): The pipeline.
        name (str): Name of the pipe and of its span group.
        model (Model): From docs to `TagScores`.
        max_batch_tokens (int): Maximum tokens predicted together, eight times as many on a GPU;
            bounds the memory.
        min_score (float): Tokens outside detected entities are candidates, too, if their
            probability of being PHI is at least this; the merger's alternatives need them.
            `DECIDED` disables it.
        mixed_precision (bool): Whether torch multiplies in bfloat16 in encoder and decoder if the
            processor supports it in hardware (Intel's AMX, AVX-512 BF16): 50 % more words per
            second, while 0.3 % of the detections differ. Other processors use single precision.
        one_type_per_person (bool): Whether all mentions of a name in a note get the same type,
            PATIENT or DOCTOR (`agree_on_persons`).
        temperature (float): Divides the log-odds of confidences (temperature scaling, Guo et al.
            2017), so that they are the shares of detections that are right; above 1, they move
            towards 0.5. `scripts/calibrate.py` fits it.
        RAISES (ValueError): If `temperature` is not above 0.
        """
        if not temperature > 0:
            raise ValueError(f"'{name}': temperature is {temperature}, but must be above 0")
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = None
        self.max_batch_tokens = max_batch_tokens
        self.min_score = min_score
        self.mixed_precision = mixed_precision
        self.one_type_per_person = one_type_per_person
        self.temperature = temperature
        self.cfg: dict[str, Any] = {"labels": []}

    @property
    def labels(self) -> tuple[str, ...]:
        """PHI types that the model can find."""
        return tuple(self.cfg["labels"])

    @property
    def uses_bfloat16(self) -> bool:
        """Whether mixed precision is enabled and supported by this processor."""
        if not self.mixed_precision or uses_gpu(self.model) or predicts_with_onnx(self.model):
            return False
        from .torch_layer import has_bfloat16

        return has_bfloat16()

    @property
    def label_data(self) -> list[str]:
        """The labels as saved by `spacy init labels`."""
        return list(self.cfg["labels"])

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Find PHI in docs without modifying them.

        RAISES (ValueError): If the pipe was neither trained nor loaded, or the docs' vocab lacks
            the word vectors or lists of the pipeline it comes from.
        """
        if not self.labels:
            raise ValueError(f"'{self.name}' has no labels: train it, or load a trained pipeline")
        predictions: list[Prediction] = []
        for batch in batch_docs(docs, batch_scale(self.model) * self.max_batch_tokens):
            self._require_words(batch[0].vocab)
            predictions.extend(self._predict_batch(batch))
        return predictions

    def set_annotations(self, docs: Iterable[Doc], predictions: list[Prediction]) -> None:
        """Write predicted spans as candidates, and the types the model knows."""
        write_predictions(docs, predictions, self.name, self.labels)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the model from a batch; a batch without tokens is skipped."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "PhiTagger.update")
        if any(len(eg.predicted) for eg in examples):
            self.model.attrs["mixed_precision"] = self.mixed_precision
            super().update(examples, drop=drop, sgd=sgd, losses=losses)
        return losses

    def get_loss(self, examples: Iterable[Example], scores: TagScores) -> tuple[float, Any]:
        """The decoder's loss against the gold tags, averaged over segments.

        RETURNS (tuple): Its value, and the loss of each bucket for backpropagation.
        """
        from .model import tagging_loss

        pairs = [gold_labels(eg.predicted, eg.reference, self.labels) for eg in examples]
        labels, firsts = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        for bucket, _ in scores:
            firsts[bucket.rows[0]] = True
        tags = self._scheme.encode(labels, firsts, len(self.labels))
        losses = tagging_loss(torch_tagger(self.model), scores, tags)
        return sum(float(loss.detach()) for loss in losses), losses

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Iterable[str] | None = None,
    ) -> None:
        """Set the labels (by default, all PHI types in the examples) and build the model.

        RAISES (ValueError): If there are no examples or no labels in them (spaCy's E143).
        """
        from .embed import learn_words

        found, words, sample = set(self.labels), Counter[int](), list[Doc]()
        for eg in get_examples():  # once: reading a large corpus takes a minute
            found.update(ent.label_ for ent in eg.reference.ents)
            words.update(eg.predicted.to_array("ORTH").tolist())
            if len(sample) < _SAMPLE:
                sample.append(eg.predicted)
        self.cfg["labels"] = sorted(found if labels is None else labels)
        self._require_labels()
        learn_words(self.model, words)
        self.model.set_dim("nO", self._scheme.n_tags(len(self.labels)))
        self.model.initialize(X=sample)

    def add_label(self, label: str) -> int:
        """Add a PHI type, before the model is built.

        RAISES (ValueError): If the model is already built: its outputs cannot grow.
        """
        if label in self.labels:
            return 0
        if self.model.has_dim("nO"):
            raise ValueError(f"cannot add '{label}' to '{self.name}': its model is built already")
        self.cfg["labels"].append(label)
        return 1

    @property
    def _scheme(self) -> Scheme:
        return find_scheme(self.model.attrs["scheme"])

    def _require_words(self, vocab: Vocab) -> None:
        """Refuse docs of a pipeline that sourced this pipe without its vectors and tables."""
        own = self.vocab
        tables = [name for name in TABLES if name in own.lookups and name not in vocab.lookups]
        if vocab is not own and (tables or vocab.vectors.shape != own.vectors.shape):
            raise ValueError(
                f"'{self.name}' was added from a pipeline whose word vectors and word tables this "
                "one lacks; give it the vocab.vectors of its source, and the vocab.lookups tables "
                f"{' and '.join(TABLES)} (see docs/how-to/spacy.md)"
            )

    def _predict_batch(self, docs: list[Doc]) -> list[Prediction]:
        self.model.attrs["mixed_precision"] = self.mixed_precision
        scores = self.model.predict(docs)
        firsts = np.cumsum([0, *map(len, docs)]).tolist()
        by_doc: list[list[Candidate]] = [[] for _ in docs]
        for one in sorted(self._decode(scores), key=lambda candidate: candidate.start):
            number = bisect_right(firsts, one.start) - 1
            first = firsts[number]
            by_doc[number].append(one._replace(start=one.start - first, end=one.end - first))
        if self.one_type_per_person:
            pairs = zip(docs, by_doc, strict=True)
            by_doc = [agree_on_persons(doc, found, self.labels) for doc, found in pairs]
        return [[candidate[:4] for candidate in found] for found in by_doc]

    def _calibrated(self, probability: float) -> float:
        """A probability with its log-odds divided by the temperature; 0.5 stays."""
        power = 1 / self.temperature
        against = max(1 - probability, 0.0) ** power
        return probability**power / (probability**power + against)

    def _decode(self, scores: TagScores) -> Iterator[Candidate]:
        """Detections and other candidates, with token offsets in the concatenated docs."""
        names, prefixes = self._scheme.tag_names(self.labels), self._scheme.prefixes
        least = min(self.min_score, _PLAIN)
        for bucket, output in scores:
            segments, steps, tags, chances = decode(output, bucket.lengths, self._scheme, least)
            rows = bucket.rows[steps, segments].tolist()
            phi = 1 - chances[:, 0]
            by_type = chances[:, 1:].reshape(len(rows), len(prefixes), len(self.labels)).sum(1)
            places = segments * (len(bucket.rows) + 1) + steps  # with a gap between segments
            index = {place: i for i, place in enumerate(places.tolist())}
            tagged = tags.nonzero()[0]
            pairs = zip(places[tagged].tolist(), tags[tagged].tolist(), strict=True)
            for start, end, label in decode_tags((place, names[tag]) for place, tag in pairs):
                i, length = index[start], end - start
                score = max(self._calibrated(float(phi[i : i + length].min())), DECIDED)
                yield Candidate(rows[i], rows[i] + length, label, score, by_type[i : i + length])
            undecided = np.flatnonzero((tags == 0) & (phi >= self.min_score))
            for i, label in self._label_undecided(undecided, places[undecided], by_type):
                score = min(self._calibrated(float(phi[i])), _UNDECIDED)
                yield Candidate(rows[i], rows[i] + 1, label, score, by_type[i : i + 1])

    def _label_undecided(
        self, tokens: np.ndarray, places: np.ndarray, by_type: np.ndarray
    ) -> Iterator[tuple[int, str]]:
        """Candidate tokens outside detected entities with their types, one for each run."""
        if self.min_score >= DECIDED or not len(tokens):
            return
        runs = np.cumsum(np.diff(places, prepend=places[0]) > 1)
        firsts = np.flatnonzero(np.diff(runs, prepend=-1))
        types = np.add.reduceat(by_type[tokens], firsts).argmax(1)
        for i, label in zip(tokens.tolist(), types[runs].tolist(), strict=True):
            yield i, self.labels[label]


make_phi_tagger = Language.factory(
    "phi_tagger",
    assigns=["doc.spans"],
    default_config={
        "model": Config().from_str(DEFAULT_MODEL)["model"],
        "max_batch_tokens": 16_384,
        "min_score": 0.01,
        "mixed_precision": False,
        "one_type_per_person": False,
        "temperature": 1.0,
    },
)(PhiTagger)
