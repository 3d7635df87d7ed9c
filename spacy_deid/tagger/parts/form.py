"""Parts for the kind of a word: its orthographic class and its gazetteer lists."""

# Without `from __future__ import annotations`: see `spacy_deid/tagger/encode.py`.
from collections.abc import Mapping, Sequence

import torch
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor, nn

from ...text.gazetteers import WORD_LISTS, word_mask
from ..words import Word, WordPart

WORD_CLASSES = tuple(
    "newline blank_line space lower title upper initial mixed digit_1 digit_2 digit_3 digit_4 "
    "digits slashed dashed dotted digits_other letters_digits comma period colon punctuation "
    "other".split()
)
"""Coarse orthographic classes; a word has exactly one."""


@registry.misc("spacy_deid.Orthography.v1")
class Orthography(WordPart):
    """An embedding of the orthographic class (width 6 in Jiang et al. 2017).

    width (int): Width of the embedding.
    """

    unknown = (WORD_CLASSES.index("other"),)

    def __init__(self, *, width: int = 12) -> None:
        super().__init__()
        self.width = width

    def make_layers(self) -> None:
        self.table = nn.Embedding(len(WORD_CLASSES), self.width)

    def describe(self, word: Word) -> Sequence[int]:
        return [WORD_CLASSES.index(word_class(word.text))]

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        return self.table(rows[:, 0])


@registry.misc("spacy_deid.WordLists.v1")
class WordLists(WordPart):
    """A projection of the word's gazetteer memberships (width 6 in Jiang et al. 2017).

    width (int): Width of the projection.
    """

    hidden_with = "list"
    unknown = (0,)

    def __init__(self, *, width: int = 12) -> None:
        super().__init__()
        self.width = width

    def make_layers(self, *, n_lists: int) -> None:
        self.project = nn.Linear(n_lists, self.width)

    def initialize(self, vocab: Vocab, counts: Mapping[int, int]) -> None:
        self.build(n_lists=len(WORD_LISTS))

    def describe(self, word: Word) -> Sequence[int]:
        return [word_mask(word.vocab, word.lower)]

    def forward(self, rows: Tensor, vocab: Vocab) -> Tensor:
        # A model saved before a list was appended ignores that list.
        bits = torch.arange(self.project.in_features, device=rows.device)
        return self.project((rows >> bits & 1).float())


def word_class(text: str) -> str:
    """The orthographic class of a token's text."""
    if text.isspace():
        newlines = text.count("\n")
        return "space" if not newlines else "newline" if newlines == 1 else "blank_line"
    if text.isalpha():
        if text.islower():
            return "lower"
        if text.isupper():
            return "initial" if len(text) == 1 else "upper"
        return "title" if text[0].isupper() and text[1:].islower() else "mixed"
    if text.isdigit():
        return f"digit_{len(text)}" if len(text) <= 4 else "digits"
    if any(char.isdigit() for char in text):
        if any(char.isalpha() for char in text):
            return "letters_digits"
        for sign, name in (("/", "slashed"), ("-", "dashed"), (".", "dotted")):
            if sign in text:
                return name
        return "digits_other"
    if any(char.isalpha() for char in text):
        return "mixed"
    return {",": "comma", ".": "period", ":": "colon"}.get(
        text, "punctuation" if text.isascii() else "other"
    )
