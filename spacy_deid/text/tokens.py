"""The text and the tokens of a doc as plain Python values, without spaCy's `Token` objects.

`doc.text` joins its tokens anew at each use: five pipes that read it took 6 % of a pipeline's time.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from spacy.attrs import IDX, ORTH, SPACY
from spacy.tokens import Doc

_TEXTS: WeakKeyDictionary[Doc, tuple[int, str]] = WeakKeyDictionary()


class Tokens(NamedTuple):
    """The tokens of a doc.

    words (list[str]): Their texts.
    spaced (list[int]): Whether a space follows.
    offsets (list[int]): Their first characters.
    """

    words: list[str]
    spaced: list[int]
    offsets: list[int]


def text_of(doc: Doc) -> str:
    """`doc.text`, computed once, as long as the doc has as many tokens."""
    length, text = _TEXTS.get(doc, (-1, ""))
    if length != len(doc):
        text = doc.text
        _TEXTS[doc] = len(doc), text
    return text


def read_tokens(doc: Doc) -> Tokens:
    """The tokens of a doc."""
    array, strings = doc.to_array([ORTH, SPACY, IDX]), doc.vocab.strings
    orths = array[:, 0].tolist()
    words = {orth: strings[orth] for orth in set(orths)}
    return Tokens([words[orth] for orth in orths], *array[:, 1:].T.tolist())
