"""The base class of the parts of a word embedding."""

from __future__ import annotations

from collections.abc import Mapping

from spacy.vocab import Vocab
from torch import Tensor

from ..features import WordFeatures
from ..torch_layer import SizedModule


class WordPart(WordFeatures, SizedModule):
    """A part of a word embedding: a torch module over integer features of word types.

    `describe` computes the features of a word once; `forward` embeds many words at a time.

    width (int): Width of the embedding, once built.
    hidden_with (str): The dropout of `WordEmbed.v1` that hides this part: "word", "list" or "".
    """

    width: int
    hidden_with: str = ""

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        """Build the part, given the training data's vocab and word counts by `ORTH`."""
        self.build()

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        """Embed words. *Shape:* `(n, len(unknown))` to `(n, width)`"""
        raise NotImplementedError
