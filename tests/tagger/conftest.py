"""Three short notes and a way to train a tagger of given blocks on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_deid.annotation.candidates import DECIDED, read_candidates

NOTES = [
    ("Seen by Dr. Maria Lopez on 3/4/61 .", [(12, 23, "DOCTOR"), (27, 33, "DATE")]),
    ("John Smith was admitted in March .", [(0, 10, "DOCTOR"), (27, 32, "DATE")]),
    ("No acute distress .", []),
]


class Trained:
    """A tagger trained on the three notes.

    nlp (Language): Its pipeline.
    losses (list[float]): Its loss at each step.
    """

    def __init__(self, nlp: Language, losses: list[float]) -> None:
        self.nlp, self.losses = nlp, losses

    def found(self, nlp: Language | None = None) -> list[list[tuple[int, int, str]]]:
        """What the tagger (or another one) finds in the notes."""
        docs = (nlp or self.nlp).pipe([text for text, _ in NOTES])
        return [
            [
                (span.start_char, span.end_char, span.label_)
                for span, score in read_candidates(doc, "phi_tagger")
                if score >= DECIDED
            ]
            for doc in docs
        ]


@pytest.fixture(scope="session")
def gold() -> list[list[tuple[int, int, str]]]:
    return [ents for _, ents in NOTES]


@pytest.fixture(scope="session")
def train() -> Callable[..., Trained]:
    def train(
        model: dict[str, Any],
        steps: int,
        *,
        learn_rate: float = 0.05,
        nlp: Language | None = None,
        **settings: Any,
    ) -> Trained:
        fix_random_seed(0)
        nlp = nlp or spacy.blank("en")
        nlp.add_pipe("phi_tagger", config={"model": model, **settings})
        examples = [Example.from_dict(nlp.make_doc(t), {"entities": ents}) for t, ents in NOTES]
        optimizer = nlp.initialize(lambda: examples)
        optimizer.learn_rate = learn_rate
        losses = []
        for _ in range(steps):
            losses.append(nlp.update(examples, sgd=optimizer, losses={})["phi_tagger"])
        return Trained(nlp, losses)

    return train
