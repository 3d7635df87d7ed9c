"""CRFsuite's model: training from a stream of sequences, and tagging with marginals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import pycrfsuite
from spacy.util import logger

from .extract import Item
from .scheme import OUTSIDE

_LOG_EVERY = 10


@dataclass(frozen=True)
class TrainingSettings:
    """How CRFsuite trains, by L-BFGS.

    min_count (int): How often an attribute must occur with a tag, and a tag after a tag, to count.
    c1 (float): Strength of L1 regularisation; above 0, OWL-QN takes the place of L-BFGS.
    c2 (float): Strength of L2 regularisation.
    max_iterations (int): Iterations at most; it stops earlier when the loss stands still.
    """

    min_count: int = 1
    c1: float = 0.0
    c2: float = 1.0
    max_iterations: int = 100

    def parameters(self) -> dict[str, float]:
        """The settings by CRFsuite's names."""
        settings = asdict(self)
        return {"feature.minfreq": settings.pop("min_count"), **settings}


class Trainer(pycrfsuite.BaseTrainer):
    """CRFsuite's trainer, which logs its progress instead of printing it."""

    iteration = 0

    def message(self, message: str) -> None:
        """Receive a line of CRFsuite's log."""
        if message.startswith("Number of features:"):
            logger.info("CRF: %s", message.strip().lower())
        elif message.startswith("***** Iteration #"):
            self.iteration = int(message.split("#")[1].split()[0])
        elif message.startswith("Loss:") and self.iteration % _LOG_EVERY == 0:
            logger.info("CRF: iteration %d, %s", self.iteration, message.strip().lower())
        elif "terminated with error" in message:
            logger.warning("CRF: %s", message.strip())


def make_trainer(settings: TrainingSettings) -> Trainer:
    """An L-BFGS trainer with these settings."""
    return Trainer(algorithm="lbfgs", params=settings.parameters())


def train_crf(
    sequences: Iterable[tuple[list[Item], list[str]]], settings: TrainingSettings
) -> CrfModel:
    """Train a CRF.

    The sequences go to CRFsuite one by one and are not kept in Python. The model file that CRFsuite
    needs lies in a private temporary folder, until it is read.

    sequences (Iterable): The items of each sequence, and their tags.
    settings (TrainingSettings): How to train.
    RETURNS (CrfModel): The trained model.
    RAISES (ValueError): If no sequence has an entity.
    """
    trainer = make_trainer(settings)
    has_entity = False
    for items, tags in sequences:
        trainer.append(items, tags)
        has_entity = has_entity or any(tag != OUTSIDE for tag in tags)
    if not has_entity:
        raise ValueError("there is no PHI in the training examples, so there is nothing to learn")
    with TemporaryDirectory(prefix="phi_crf") as folder:
        path = Path(folder) / "model.crfsuite"
        trainer.train(str(path))
        return CrfModel(path.read_bytes())


class CrfModel:
    """A trained CRF.

    data (bytes): CRFsuite's own model file. It holds attributes of the training text, words among
        them: who may not read the one may not read the other.
    RAISES (ValueError): If it is none.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data  # the tagger reads from it, so it must live as long
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open_inmemory(data)
        self.tags: list[str] = self.tagger.labels()
        self.lock = Lock()  # the tagger keeps the last sequence, of which it gives marginals

    def __reduce__(self) -> tuple:
        return (CrfModel, (self.data,))

    def tag(self, items: list[Item]) -> tuple[list[str], list[float]]:
        """The most likely tags of a sequence, and the chance of each item to be PHI of any type.

        The chance is 1 minus the marginal of "O"; it is looked up for items not tagged "O" alone.
        """
        marginal = self.tagger.marginal
        knows_outside = OUTSIDE in self.tags
        with self.lock:
            tags = self.tagger.tag(items)
            return tags, [
                min(1.0, max(0.0, 1.0 - marginal(OUTSIDE, i)))
                if knows_outside and tag != OUTSIDE
                else float(tag != OUTSIDE)
                for i, tag in enumerate(tags)
            ]
