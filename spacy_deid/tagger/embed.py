"""Context-independent token embeddings, concatenated from several parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor, nn

from .parts.base import WordPart
from .parts.chars import CharBiLSTM
from .parts.form import Orthography, WordLists
from .parts.identity import HashedWords, WordVectors
from .torch_layer import SizedModule, torch_layer, torch_module, training_mode
from .words import WordTypes


@registry.architectures("spacy_deid.WordEmbed.v1")
def build_word_embed(
    *,
    parts: dict[str, Any] | None = None,
    word_dropout: float = 0.2,
    list_dropout: float = 0.2,
) -> Model[list[Doc], list[Floats2d]]:
    """Embed each token by its form, without its context.

    A word type is embedded once per batch in training, and only once (cached) in prediction.

    parts (dict[str, WordPart] | None): The parts under names of your choice; they are concatenated
        in alphabetical order. `spacy_deid.tagger.parts` has them, registered in `misc`. None: those
        of `en_deid`.
    word_dropout (float): Probability of hiding a token's word, in training, from all parts that use
        its identity.
    list_dropout (float): Probability of hiding a token's gazetteer memberships in training.
    """
    return torch_layer(
        "word_embed",
        WordEmbedder(_default_parts() if parts is None else parts),
        _forward,
        init=_init,
        attrs={"dropout_rate": 0.0, "word_dropout": word_dropout, "list_dropout": list_dropout},
    )


class WordEmbedder(SizedModule):
    """The torch module of `WordEmbed.v1`."""

    def __init__(self, parts: Mapping[str, WordPart]) -> None:
        super().__init__()
        if not parts:
            raise ValueError("WordEmbed.v1 has no parts: give it at least one")
        parts = dict(sorted(parts.items()))
        self.parts = nn.ModuleDict(parts)
        self.types = WordTypes(list(parts.values()))
        self.counts: Mapping[int, int] = {}
        self.dropout = nn.Dropout(0.0)
        self.hiding: dict[str, float] = {}

    def make_layers(self) -> None:
        """There are no layers besides the parts."""

    @property
    def width(self) -> int:
        """Width of a token's embedding."""
        return sum(part.width for part in self.types.parts)

    def forward(self, orths: np.ndarray, vocab: Vocab) -> Tensor:
        """Embed tokens, given their `ORTH` hashes. *Shape:* `(n_tokens, width)`"""
        if not self.training:
            embeddings, types = self.types.embed(orths, vocab, self._embed_new)
            return torch.from_numpy(embeddings[types]).to(self._device)
        with self.types.lock:
            self.types.forget_embeddings()
            return self._embed_training(self.types.look_up(orths, vocab))

    def set_extra_state(self, state: dict[str, int] | None) -> None:
        """Empty the cache, since other weights are being loaded."""
        self.types.reset(None)

    def _embed_training(self, rows: np.ndarray) -> Tensor:
        unique, inverse = np.unique(rows, return_inverse=True)
        embedded = self._embed_types(np.concatenate([[0], unique]))
        index = torch.from_numpy(inverse + 1)
        indices = {"": index}
        for kind, rate in self.hiding.items():
            indices[kind] = index * (torch.rand(len(index)) >= rate)
        chosen = [
            table[indices[part.hidden_with].to(table.device)]
            for part, table in zip(self.types.parts, embedded, strict=True)
        ]
        tokens = self.dropout(torch.cat(chosen, dim=1))
        # Backpropagation needs a graph even if no part is trainable.
        return tokens if tokens.requires_grad else tokens.requires_grad_()

    def _embed_new(self, types: np.ndarray) -> np.ndarray:
        return torch.cat(self._embed_types(types), dim=1).cpu().numpy()

    def _embed_types(self, types: np.ndarray) -> list[Tensor]:
        """Each part's embeddings of word types. *Shape:* `(len(types), part.width)` each"""
        return [
            part(torch.from_numpy(features[types]).to(self._device), self.types.vocab)
            for part, features in zip(self.types.parts, self.types.features, strict=True)
        ]

    @property
    def _device(self) -> torch.device:
        tensors = chain(self.parameters(), self.buffers())
        return next((tensor.device for tensor in tensors), torch.device("cpu"))


def learn_words(model: Model, counts: Counter[int]) -> None:
    """Give each `WordEmbed.v1` in `model` the word counts of the training data.

    Without this, it counts the words of the docs it is initialised with.

    counts (Counter[int]): By `ORTH`.
    """
    for layer in model.walk():
        if layer.name == "word_embed":
            torch_module(layer).counts = counts


def count_words(docs: Iterable[Doc]) -> Counter[int]:
    """Count the words of docs, by `ORTH`."""
    counts: Counter[int] = Counter()
    for doc in docs:
        counts.update(doc.to_array("ORTH").tolist())
    return counts


def _default_parts() -> dict[str, WordPart]:
    return {
        "chars": CharBiLSTM(width=40),
        "lists": WordLists(),
        "orthography": Orthography(),
        "vectors": WordVectors(width=100),
        "words": HashedWords(),
    }


def _init(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    module = torch_module(model)
    if module.sizes is None:
        if not X:
            raise ValueError("WordEmbed.v1 cannot be initialised without docs")
        counts = module.counts or count_words(X)
        for part in module.types.parts:
            part.initialize(X[0].vocab, counts)
        module.counts = {}
        module.build()
    model.set_dim("nO", module.width)


def _forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    module = torch_module(model)
    orths = np.concatenate([doc.to_array("ORTH") for doc in docs])
    with training_mode(module, is_train):
        if is_train:
            module.dropout.p = model.attrs["dropout_rate"]
            module.hiding = {kind: model.attrs[f"{kind}_dropout"] for kind in ("word", "list")}
        embedded = module(orths, docs[0].vocab)

    def backprop(gradients: list[Floats2d]) -> list[Doc]:
        embedded.backward(xp2torch(model.ops.flatten(gradients)))
        return []

    rows: Any = torch2xp(embedded.detach())
    return model.ops.unflatten(rows, model.ops.asarray1i([len(doc) for doc in docs])), backprop
