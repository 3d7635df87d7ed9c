"""CRFsuite models: training from a stream of sequences, and tagging with marginals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from .extract import Item

OUTSIDE = "O"


def train_crf(
    sequences: Iterable[tuple[list[Item], list[str]]], settings: Mapping[str, float]
) -> CrfModel:
    """Train a CRF with L-BFGS, or with OWL-QN if `c1` is above 0.

    Sequences are passed to CRFsuite one by one and not kept in Python. CRFsuite writes the model to
    a private temporary folder, from which it is read.

    settings (Mapping[str, float]): The training settings under CRFsuite's names.
    RAISES (ValueError): If no sequence contains an entity.
    """
    from .trainer import Trainer  # with crfsuite, of the extra `train`

    trainer = Trainer(algorithm="lbfgs", params=dict(settings))
    has_entity = False
    for items, tags in sequences:
        trainer.append(items, tags)
        has_entity = has_entity or any(tag != OUTSIDE for tag in tags)
    if not has_entity:
        raise ValueError("the training examples contain no PHI")
    with TemporaryDirectory(prefix="phi_crf") as folder:
        path = Path(folder) / "model.crfsuite"
        trainer.train(str(path))
        return CrfModel(path.read_bytes())


class CrfModel:
    """A trained CRF.

    data (bytes): A CRFsuite model file. It contains attributes of the training text, including
        words: protect it like the text itself.
    RAISES (ValueError): If it is not a CRFsuite model.
    """

    def __init__(self, data: bytes) -> None:
        import pycrfsuite  # of the extra `train`

        self.data = data  # the tagger reads from it, so it must be kept alive
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open_inmemory(data)
        self.tags: list[str] = self.tagger.labels()
        self.lock = Lock()  # the tagger's marginals are those of its last sequence

    def __reduce__(self) -> tuple:
        return (CrfModel, (self.data,))

    def tag(self, items: list[Item]) -> tuple[list[str], list[float]]:
        """The most likely tags of a sequence, and each item's probability of being PHI of any type.

        The probability is 1 minus the marginal of "O", or just 0 for items tagged "O".
        """
        with self.lock:
            tags = self.tagger.tag(items)
            scores = [float(tag != OUTSIDE) for tag in tags]
            if OUTSIDE in self.tags:
                for i in filter(scores.__getitem__, range(len(tags))):
                    scores[i] = min(1.0, max(0.0, 1.0 - self.tagger.marginal(OUTSIDE, i)))
            return tags, scores
