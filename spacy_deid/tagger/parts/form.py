"""Parts for the kind of a word: its orthographic class and its gazetteer lists."""

# Without `from __future__ import annotations`: see `spacy_deid/tagger/encoders.py`.
from collections.abc import Mapping

import torch
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor, nn

from ...text.gazetteers import WORD_LISTS
from ..features import WORD_CLASSES, ListMemberships, WordClass
from .base import WordPart


@registry.misc("spacy_deid.Orthography.v1")
class Orthography(WordClass, WordPart):
    """An embedding of the orthographic class (width 6 in Jiang et al. 2017).

    width (int): Width of the embedding.
    """

    def __init__(self, *, width: int = 12) -> None:
        super().__init__()
        self.width = width

    def make_layers(self) -> None:
        self.table = nn.Embedding(len(WORD_CLASSES), self.width)

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        return self.table(rows[:, 0])


@registry.misc("spacy_deid.WordLists.v1")
class WordLists(ListMemberships, WordPart):
    """A projection of the word's gazetteer memberships (width 6 in Jiang et al. 2017).

    width (int): Width of the projection.
    """

    hidden_with = "list"

    def __init__(self, *, width: int = 12) -> None:
        super().__init__()
        self.width = width

    def make_layers(self, *, n_lists: int) -> None:
        self.project = nn.Linear(n_lists, self.width)

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        self.build(n_lists=len(WORD_LISTS))

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        # A model saved before a list was appended ignores that list.
        bits = torch.arange(self.project.in_features, device=rows.device)
        return self.project((rows >> bits & 1).float())
