"""text_normalizer: lets a pipeline search the plain form of a note but annotate the original.

If folding changes a text, the pipes that follow get a doc of the folded text. At the end,
`phi_merger` calls `to_original`, which transfers the annotations to the original doc and returns
it, so that the folded text is not seen outside the pipeline; without `phi_merger`, it is.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from spacy.attrs import IDX, SENT_START
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import filter_spans
from thinc.types import Ints2d

from .folding import Folded, fold
from .tokens import text_of

_ORIGINAL = "spacy_deid.original"
"""Key of the original doc and its `Folded` text in the `doc.user_data` of a folded doc."""


@Language.factory("text_normalizer")
def make_text_normalizer(nlp: Language, name: str) -> TextNormalizer:
    """Make the normalizer, with the pipeline's tokenizer."""
    return TextNormalizer(nlp.tokenizer, name)


class TextNormalizer(Pipe):
    """Passes the plain form of a note (see `fold`) to the pipes that follow.

    tokenizer (Tokenizer): Tokenizes folded texts.
    name (str): Name of the pipe.
    """

    def __init__(self, tokenizer: Tokenizer, name: str = "text_normalizer") -> None:
        self.tokenizer = tokenizer
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        """A doc of the folded text; the same doc if folding does not change it."""
        folded = fold(text_of(doc))
        if folded is None:
            return doc
        tokens = self.tokenizer(folded.text)
        words, spaces = [token.text for token in tokens], [bool(t.whitespace_) for t in tokens]
        user_data = {key: data for key, data in doc.user_data.items() if not _is_of_span(key)}
        user_data[_ORIGINAL] = (doc, folded)
        view = Doc(doc.vocab, words=words, spaces=spaces, user_data=user_data)
        view.cats = dict(doc.cats)
        # Known patient data may come as the context of `nlp.pipe`; if a pipe loses it, that shows.
        view._context, doc._context = doc._context, None
        return view


def to_original(doc: Doc) -> Doc:
    """Transfer annotations to the original doc.

    doc (Doc): A doc, possibly of a folded text.
    RETURNS (Doc): The original doc with the entities, span groups, sentences, categories and user
        data (and so the extension attributes) of the given one, beside its own entities (the given
        doc, if it was not folded). Spans are expanded to whole original tokens.
    """
    if _ORIGINAL not in doc.user_data:
        return doc
    original, folded = doc.user_data[_ORIGINAL]
    for key, group in doc.spans.items():
        original.spans[key] = SpanGroup(
            original,
            name=group.name,
            attrs=group.attrs,
            spans=[_to_original(original, folded, span) for span in group],
        )
    ents = [_to_original(original, folded, ent) for ent in doc.ents]
    if ents:
        original.set_ents(filter_spans([*ents, *original.ents]), default="outside")
    if doc.has_annotation("SENT_START") and not original.has_annotation("SENT_START"):
        _copy_sentences(doc, original, folded)
    original._context = doc._context
    original.cats.update(doc.cats)
    original.user_data.update(_user_data(doc, original, folded))
    return original


def _to_original(original: Doc, folded: Folded, span: Span) -> Span:
    start, end = folded.original(span.start_char, span.end_char)
    found = original.char_span(
        start,
        end,
        label=span.label_,  # as strings: a copied original has a vocabulary of its own
        kb_id=span.kb_id_,
        span_id=span.id_,
        alignment_mode="expand",
    )
    assert found is not None  # it lies within the text
    return found


def _is_of_span(key: Any) -> bool:
    """Whether a key of `doc.user_data` is that of an attribute of a span or a token in spaCy."""
    return isinstance(key, tuple) and len(key) == 4 and key[0] == "._." and key[2] is not None


def _user_data(doc: Doc, original: Doc, folded: Folded) -> dict[Any, Any]:
    """The user data of a folded doc, with places in the original one."""
    given: dict[Any, Any] = doc.user_data
    moved: dict[Any, Any] = {}
    for key, data in given.items():
        if _is_of_span(key):
            _, name, start, end = key
            last = start + 1 if end is None else end  # a token has no end
            if span := doc.char_span(start, last, alignment_mode="expand"):
                place = _to_original(original, folded, span)
                moved["._.", name, place.start_char, end and place.end_char] = data
        elif key != _ORIGINAL:
            moved[key] = data
    return moved


def _copy_sentences(doc: Doc, original: Doc, folded: Folded) -> None:
    firsts = [folded.starts[token.idx] for token in doc if token.is_sent_start]
    places = np.searchsorted(original.to_array(IDX), firsts, side="right") - 1
    starts = np.full((len(original), 1), -1, dtype=np.int64)
    starts[[0, *places]] = 1
    original.from_array([SENT_START], cast(Ints2d, starts.astype(np.uint64)))
