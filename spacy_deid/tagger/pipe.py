"""The trainable pipe `phi_tagger`: neural PHI detection."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model
from torch import Tensor

from ..annotation.candidates import DECIDED, Prediction, write_predictions
from ..text.gazetteers import TABLES
from .embed import learn_words
from .gold import close_at_cuts, gold_tags
from .model import TagScores, network_of
from .persons import Found, agree_on_persons
from .segments import batch_docs
from .torch_layer import bfloat16_products, has_bfloat16, one_thread

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


@Language.factory(
    "phi_tagger",
    assigns=["doc.spans"],
    default_config={
        "model": Config().from_str(DEFAULT_MODEL)["model"],
        "max_batch_tokens": 16_384,
        "min_score": 0.01,
        "mixed_precision": False,
        "one_type_per_person": False,
    },
)
def make_phi_tagger(
    nlp: Language,
    name: str,
    model: Model,
    max_batch_tokens: int,
    min_score: float,
    mixed_precision: bool,
    one_type_per_person: bool,
) -> PhiTagger:
    """Make a `phi_tagger`; the settings are those of `PhiTagger`."""
    return PhiTagger(
        nlp.vocab,
        model,
        name,
        max_batch_tokens=max_batch_tokens,
        min_score=min_score,
        mixed_precision=mixed_precision,
        one_type_per_person=one_type_per_person,
    )


class PhiTagger(TrainablePipe):
    """Writes the PHI found by its model to `doc.spans[name]`, with the decoder's confidence.

    vocab (Vocab): The shared vocabulary.
    model (Model): From docs to `TagScores`.
    name (str): Name of the pipe and of its span group.
    max_batch_tokens (int): Maximum tokens predicted together; bounds the memory.
    min_score (float): Tokens outside detected entities are candidates, too, if their probability of
        being PHI is at least this; the merger's second opinions need them. `DECIDED` disables it.
    mixed_precision (bool): Whether encoder and decoder multiply in bfloat16 if the processor
        supports it in hardware (Intel's AMX, AVX-512 BF16): 50 % more words per second, while 0.3 %
        of the detections differ. Other processors use single precision.
    one_type_per_person (bool): Whether all mentions of a name in a note get the same type, PATIENT
        or DOCTOR (`agree_on_persons`).
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "phi_tagger",
        *,
        max_batch_tokens: int = 16_384,
        min_score: float = 0.01,
        mixed_precision: bool = False,
        one_type_per_person: bool = False,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = None
        self.max_batch_tokens = max_batch_tokens
        self.min_score = min_score
        self.mixed_precision = mixed_precision
        self.one_type_per_person = one_type_per_person
        self.cfg: dict[str, Any] = {"labels": []}

    @property
    def labels(self) -> tuple[str, ...]:
        """PHI types that the model can find."""
        return tuple(self.cfg["labels"])

    @property
    def uses_bfloat16(self) -> bool:
        """Whether mixed precision is enabled and supported by this processor."""
        return self.mixed_precision and has_bfloat16()

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
        with one_thread():
            for batch in batch_docs(docs, self.max_batch_tokens):
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
            with one_thread(), bfloat16_products(self.mixed_precision):
                super().update(examples, drop=drop, sgd=sgd, losses=losses)
        return losses

    def get_loss(self, examples: Iterable[Example], scores: TagScores) -> tuple[float, Tensor]:
        """The decoder's loss against the gold tags, averaged over segments.

        RETURNS (tuple): Its value, and the loss tensor for backpropagation.
        """
        decoder, n_labels = network_of(self.model).decoder, len(self.labels)
        gold = np.concatenate([gold_tags(eg, self.labels) for eg in examples])
        for bucket, _ in scores:
            firsts, lasts = bucket.rows[[0, -1]].cpu().numpy()
            close_at_cuts(gold, firsts, lasts, n_labels)
        tags = torch.from_numpy(decoder.scheme.from_gold(gold, n_labels))
        total, n_segments = torch.zeros(()), 0
        with bfloat16_products(wanted=False):
            for bucket, output in scores:
                in_bucket = tags.to(bucket.rows.device)[bucket.rows]
                total = total + decoder.loss(output, bucket.lengths, in_bucket)
                n_segments += len(bucket.lengths)
        loss = total / n_segments
        return float(loss.detach()), loss

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
        validate_get_examples(get_examples, "PhiTagger.initialize")
        if labels is None:
            found = (ent.label_ for eg in get_examples() for ent in eg.reference.ents)
            labels = {*self.labels, *found}
        self.cfg["labels"] = sorted(labels)
        self._require_labels()
        learn_words(self.model, (eg.predicted for eg in get_examples()))
        sample = [eg.predicted for eg in islice(get_examples(), 10)]
        self.model.set_dim("nO", network_of(self.model).decoder.scheme.n_tags(len(self.labels)))
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

    def _require_words(self, vocab: Vocab) -> None:
        """Refuse docs of a pipeline that sourced this pipe without its vectors and tables."""
        own = self.vocab
        tables = [name for name in TABLES if name in own.lookups and name not in vocab.lookups]
        if vocab is not own and (tables or vocab.vectors.shape != own.vectors.shape):
            raise ValueError(
                f"'{self.name}' was added from a pipeline whose word vectors and word tables this "
                "one lacks; give it the vocab.vectors of its source, and the vocab.lookups tables "
                f"{' and '.join(TABLES)} (see 'With other spaCy components' in the README)"
            )

    def _predict_batch(self, docs: list[Doc]) -> list[Prediction]:
        with bfloat16_products(self.mixed_precision):
            scores = self.model.predict(docs)
        with torch.no_grad():
            found = deque(sorted(self._decode(scores), key=lambda one: one.start))
        predictions, offset = [], 0
        for doc in docs:
            in_doc: list[Found] = []
            while found and found[0].start < offset + len(doc):
                one = found.popleft()
                in_doc.append(one._replace(start=one.start - offset, end=one.end - offset))
            offset += len(doc)
            if self.one_type_per_person:
                in_doc = agree_on_persons(doc, in_doc, self.labels)
            predictions.append([one[:4] for one in in_doc])
        return predictions

    def _decode(self, scores: TagScores) -> Iterator[Found]:
        """Detections and candidates, with token offsets in the concatenated docs."""
        decoder = network_of(self.model).decoder
        for bucket, output in scores:
            segments = decoder.decode(output, bucket.lengths)
            for first, (path, chances) in zip(bucket.rows[0].tolist(), segments, strict=True):
                phi = 1 - chances[:, 0]
                by_type = chances[:, 1:].reshape(len(path), -1, len(self.labels)).sum(1)
                for start, end, label in decoder.scheme.spans(path, len(self.labels)):
                    score = max(float(phi[start:end].min()), DECIDED)
                    types = by_type[start:end]
                    yield Found(first + start, first + end, self.labels[label], score, types)
                if self.min_score < DECIDED:
                    doubted = np.flatnonzero((path == 0) & (phi >= self.min_score))
                    yield from self._doubted(first, doubted, phi, by_type)

    def _doubted(
        self, first: int, doubted: np.ndarray, phi: np.ndarray, by_type: np.ndarray
    ) -> Iterator[Found]:
        """Candidates outside the detected entities, one per token; a run shares one type."""
        for run in np.split(doubted, np.flatnonzero(np.diff(doubted) > 1) + 1):
            label = self.labels[int(by_type[run].sum(0).argmax())]
            for i in run.tolist():
                score = min(float(phi[i]), _UNDECIDED)
                yield Found(first + i, first + i + 1, label, score, by_type[i : i + 1])
