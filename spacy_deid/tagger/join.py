"""Concatenation of two kinds of token vectors, such as a transformer's and word embeddings."""

from __future__ import annotations

from collections.abc import Callable

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

Tok2Vec = Model[list[Doc], list[Floats2d]]


@registry.architectures("spacy_deid.JoinedVectors.v1")
def build_joined_vectors(first: Tok2Vec, second: Tok2Vec) -> Tok2Vec:
    """Concatenate the token vectors of two layers.

    thinc's `concatenate.v1` fails on an empty doc, for which a listener's vectors have no width.

    first (Model): Token vectors: `spacy_deid.WordEmbed.v1`, any of spaCy's, or a listener.
    second (Model): Other token vectors.
    """
    return Model("joined_vectors", _forward, init=_init, layers=[first, second], dims={"nO": None})


def _forward(
    model: Tok2Vec, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    xp = model.ops.xp
    (left, backprop_left), (right, backprop_right) = (
        layer(docs, is_train) for layer in model.layers
    )
    pairs = list(zip(left, right, strict=True))
    middle, rest = next(((a.shape[1], b.shape[1]) for a, b in pairs if len(a)), (0, 0))
    empty = xp.zeros((0, middle + rest), dtype="f")
    joined = [xp.concatenate(pair, axis=1) if len(pair[0]) else empty for pair in pairs]

    def backprop(gradient: list[Floats2d]) -> list[Doc]:
        backprop_left([xp.ascontiguousarray(rows[:, :middle]) for rows in gradient])
        backprop_right([xp.ascontiguousarray(rows[:, middle:]) for rows in gradient])
        return docs

    return joined, backprop


def _init(model: Tok2Vec, X: list[Doc] | None = None, Y: object = None) -> None:
    for layer in model.layers:
        layer.initialize(X=X)
