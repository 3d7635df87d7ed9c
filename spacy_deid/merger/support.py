"""Support: the candidates of a detector, confirmed or contradicted by those of another one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from spacy.attrs import IS_PUNCT, IS_SPACE
from spacy.tokens import Doc

from ..annotation.candidates import DECIDED, STANDS_ALONE, read_candidates
from ..annotation.phi import CATEGORY
from ..text.tokens import Tokens
from .result import Mention

_CONTRADICTED = 0.1
"""Factor for the confidence of a match without support: of 60 such matches of the rules, on 360
notes the tagger was not trained on, 1 was PHI."""

_LABELLED = frozenset(("ID", "CONTACT"))
"""Categories whose rules read a label, and so have the best boundaries and types."""


@dataclass(frozen=True)
class Support:
    """The candidates in a doc of a detector that also reports low-confidence candidates.

    tokens (frozenset[int]): The tokens of all its candidates, whatever their confidence.
    decided (frozenset[tuple[int, str]]): The tokens that it decided are PHI, with their types.
    dates (dict[int, float]): The tokens of its candidates for dates, with their confidence.
    types (frozenset[str] | None): The types it can detect; None if all.
    """

    tokens: frozenset[int]
    decided: frozenset[tuple[int, str]]
    dates: dict[int, float]
    types: frozenset[str] | None

    @classmethod
    def read(cls, doc: Doc, detector: str) -> Support:
        """Read the candidates of a detector, without white space and punctuation."""
        is_mark = np.any(doc.to_array([IS_PUNCT, IS_SPACE]), axis=1).tolist()
        candidates = [
            (i, span.label_, score)
            for span, score in read_candidates(doc, detector)
            for i in range(span.start, span.end)
            if not is_mark[i]
        ]
        types = doc.spans[detector].attrs.get("types")
        return cls(
            frozenset(i for i, _, _ in candidates),
            frozenset((i, label) for i, label, score in candidates if score >= DECIDED),
            {i: score for i, label, score in candidates if label == "DATE"},
            None if types is None else frozenset(types),
        )

    def adjust(self, mention: Mention) -> None:
        """Lower the confidence of a mention without support, or trim its ends.

        Without any candidate, the confidence drops to a tenth; with a decision of the same type,
        ends without candidates are trimmed. Identifiers and contacts are never trimmed.
        """
        if mention.score >= STANDS_ALONE:
            return
        tokens = range(mention.start, mention.end)
        decided = any((i, mention.label) in self.decided for i in tokens)
        if decided and not is_labelled(mention):
            kept = [i for i in tokens if i in self.tokens]
            mention.start, mention.end = kept[0], kept[-1] + 1
        elif self.tokens.isdisjoint(tokens) and (self.types is None or mention.label in self.types):
            mention.score *= _CONTRADICTED


def is_labelled(mention: Mention) -> bool:
    """Whether rules find this type by a label: identifiers and contacts."""
    return CATEGORY.get(mention.label) in _LABELLED


def join_undecided(tokens: Tokens, mentions: Iterable[Mention]) -> list[Mention]:
    """Join adjacent mentions of one detector and type if one of them is undecided.

    White-space tokens, as between lines and sentences, keep them apart.
    """
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last
            and min(last.score, mention.score) < DECIDED
            and (last.end, last.label) == (mention.start, mention.label)
            and not (tokens.words[last.end - 1].isspace() or tokens.words[mention.start].isspace())
        ):
            last.end, last.score = mention.end, max(last.score, mention.score)
        else:
            joined.append(mention)
    return joined
