"""Token embeddings from characters, hashed words, orthography, gazetteers and word vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import ArgsKwargs, Model, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor, nn

from ..gazetteers import WORD_LISTS
from .torch_layer import BiLSTM, SizedModule, split_rows, torch_module, wrap_module
from .words import N_CHARS, WORD_CLASSES, WordFeatures, WordTypes


@registry.architectures("spacy_deid.WordCharEmbed.v1")
def build_word_char_embed(
    *,
    word_width: int = 64,
    word_rows: int = 10_000,
    char_width: int = 25,
    class_width: int = 12,
    list_width: int = 12,
    vector_width: int = 64,
    max_chars: int = 24,
    word_dropout: float = 0.2,
    list_dropout: float = 0.2,
) -> Model[list[Doc], list[Floats2d]]:
    """Embed each token by its form: all that can be known of a word without its context.

    The character encoder is a BiLSTM whose last states are kept (Lample et al. 2016; Dernoncourt
    et al. 2017). Words are hashed rather than listed (Svenstrup et al. 2017), so no vocabulary is
    saved. Capitalisation and dictionary embeddings follow Jiang et al. 2017.

    word_width (int): Width of the hashed word embedding; `word_rows` is the size of its table.
    char_width (int): Hidden width of the character BiLSTM in each direction.
    class_width (int): Width of the embedding of the orthographic class.
    list_width (int): Width into which gazetteer membership is projected.
    vector_width (int): Width into which `nlp.vocab.vectors` are projected; without vectors, unused.
    max_chars (int): Characters of a word that the character encoder reads.
    word_dropout (float): Chance that training hides a token's word, its hash and its vector.
    list_dropout (float): Chance that training hides a token's gazetteer memberships.
    """
    sizes = {
        "word_width": word_width,
        "word_rows": word_rows,
        "char_width": char_width,
        "class_width": class_width,
        "list_width": list_width,
        "vector_width": vector_width,
    }
    return wrap_module(
        "word_char_embed",
        WordCharEmbedder(max_chars),
        _convert_inputs,
        _convert_outputs,
        init=_init,
        dims={"nO": None},
        attrs={
            "sizes": sizes,
            "dropout_rate": 0.0,
            "word_dropout": word_dropout,
            "list_dropout": list_dropout,
        },
    )


class WordCharEmbedder(SizedModule):
    """The torch side of `WordCharEmbed.v1`.

    max_chars (int): Characters of a word that the character encoder reads.
    """

    def __init__(self, max_chars: int) -> None:
        super().__init__()
        self.types = WordTypes(max_chars)
        self.cache = torch.empty(0)
        self.dropout = nn.Dropout(0.0)
        self.word_dropout = self.list_dropout = 0.0

    def make_layers(  # type: ignore[override]
        self,
        *,
        word_width: int,
        word_rows: int,
        char_width: int,
        class_width: int,
        list_width: int,
        vector_width: int,
        vector_dim: int,
        n_lists: int,
    ) -> None:
        self.word = nn.EmbeddingBag(word_rows + 1, word_width, mode="sum")
        nn.init.normal_(self.word.weight, std=0.1)
        self.char = nn.Embedding(N_CHARS, char_width, padding_idx=0)
        self.char_lstm = BiLSTM(char_width, char_width)
        self.word_class = nn.Embedding(len(WORD_CLASSES), class_width)
        self.word_list = nn.Linear(n_lists, list_width)
        self.vector = nn.Linear(vector_dim, vector_width) if vector_dim else None

    @property
    def width(self) -> int:
        """Width of a token's embedding."""
        sizes = self.sizes
        return (
            sizes["word_width"]
            + 2 * sizes["char_width"]
            + sizes["class_width"]
            + sizes["list_width"]
            + (sizes["vector_width"] if sizes["vector_dim"] else 0)
        )

    def forward(self, rows: np.ndarray, vectors: np.ndarray) -> Tensor:
        """Embed tokens.

        rows (np.ndarray): Each token's row in `self.types`. *Shape:* `(n_tokens,)`
        vectors (np.ndarray): The table of word vectors. *Shape:* `(n_vectors, vector_dim)`
        RETURNS (Tensor): *Shape:* `(n_tokens, width)`
        """
        if self.training:
            return self._embed_training(rows, vectors)
        return self._embed_cached(rows, vectors)

    def forget(self) -> None:
        """Drop cached embeddings: the weights have changed, or the cache has grown large."""
        self.cache = torch.empty(0)
        if self.types.is_full():
            self.types.clear()

    def _embed_training(self, rows: np.ndarray, vectors: np.ndarray) -> Tensor:
        unique, inverse = np.unique(rows, return_inverse=True)
        chars = self._chars(self.types.features[unique])[torch.from_numpy(inverse)]
        keep_word = torch.rand(len(rows)) >= self.word_dropout
        keep_list = torch.rand(len(rows)) >= self.list_dropout
        others = self._others(self.types.features[rows], vectors, keep_word, keep_list)
        return self.dropout(torch.cat([chars, *others], dim=1))

    def _embed_cached(self, rows: np.ndarray, vectors: np.ndarray) -> Tensor:
        known, needed = len(self.cache), len(self.types.rows)
        if known < needed:
            features = self.types.features[np.arange(known, needed)]
            keep = torch.ones(needed - known, dtype=torch.bool)
            new = torch.cat(
                [self._chars(features), *self._others(features, vectors, keep, keep)], dim=1
            )
            self.cache = torch.cat([self.cache.to(new.device), new]) if known else new
        return self.cache[torch.from_numpy(rows).to(self.cache.device)]

    def _chars(self, features: WordFeatures) -> Tensor:
        used = np.arange(features.chars.shape[1]) < features.lengths[:, None]
        flat = self._tensor(features.chars[used])
        _, last = self.char_lstm(self.char(flat), features.lengths)
        return last

    def _others(
        self, features: WordFeatures, vectors: np.ndarray, keep_word: Tensor, keep_list: Tensor
    ) -> Iterator[Tensor]:
        device = self.word.weight.device
        keep_word, keep_list = keep_word.to(device), keep_list.to(device)
        n_rows = self.sizes["word_rows"]
        hashes = self._tensor(features.hashes % n_rows)
        yield self.word(torch.where(keep_word[:, None], hashes, n_rows))
        yield self.word_class(self._tensor(features.classes))
        # A model saved before a list was added at the end goes on without it.
        lists = features.lists[:, : self.sizes["n_lists"]]
        yield self.word_list(self._tensor(lists) * keep_list[:, None])
        if self.vector is not None:
            static = vectors[features.vectors].astype(np.float32)
            static[features.vectors < 0] = 0.0
            yield self.vector(self._tensor(static) * keep_word[:, None])

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.word.weight.device)


def _init(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    module = torch_module(model)
    if not module.sizes:
        vectors = X[0].vocab.vectors if X else None
        vector_dim = vectors.shape[1] if vectors is not None and vectors.shape[0] else 0
        module.build(**model.attrs["sizes"], vector_dim=vector_dim, n_lists=len(WORD_LISTS))
    model.set_dim("nO", module.width)


def _convert_inputs(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[ArgsKwargs, Callable[[ArgsKwargs], list]]:
    module = torch_module(model)
    if is_train or module.types.is_full():
        module.forget()
    module.dropout.p = model.attrs["dropout_rate"]
    module.word_dropout = model.attrs["word_dropout"] if is_train else 0.0
    module.list_dropout = model.attrs["list_dropout"] if is_train else 0.0
    vocab = docs[0].vocab
    if vocab is not module.types.vocab:
        module.cache = torch.empty(0)
    rows = module.types.look_up(vocab, np.concatenate([doc.to_array("ORTH") for doc in docs]))
    return ArgsKwargs(args=(rows, vocab.vectors.data), kwargs={}), _no_gradient


def _no_gradient(_: ArgsKwargs) -> list:
    """Docs have no gradient."""
    return []


def _convert_outputs(
    model: Model, inputs_outputs: tuple[list[Doc], Tensor], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], ArgsKwargs]]:
    docs, embedded = inputs_outputs

    def backprop(d_outputs: list[Floats2d]) -> ArgsKwargs:
        gradient = xp2torch(model.ops.xp.concatenate(d_outputs))
        return ArgsKwargs(args=((embedded,),), kwargs={"grad_tensors": (gradient,)})

    return split_rows(torch2xp(embedded), [len(doc) for doc in docs]), backprop
