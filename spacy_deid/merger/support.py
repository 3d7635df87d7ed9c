"""The candidates of detectors, weighed by what another detector says of the same tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spacy.tokens import Doc

from ..annotation.candidates import DECIDED, read_candidates
from ..annotation.phi import CATEGORY
from .strategies import Mention

CERTAIN = 0.97
"""From this confidence on, nothing that another detector says counts."""

_CONTRADICTED = 0.1
"""What is left of the confidence of a match on which the second opinion is silent: of 60 such
matches of the rules, on 360 notes the tagger had not learned from, 1 was PHI."""

_LABELLED = frozenset(("ID", "CONTACT"))
"""Categories whose rules read a label, and so know bounds and type best."""


@dataclass(frozen=True)
class SecondOpinion:
    """What a detector that also names its doubts says of a doc.

    doubted (frozenset[int]): The tokens that it takes for PHI, or at least doubts.
    decided (frozenset[tuple[int, str]]): Those that it takes for PHI, each with its type.
    types (frozenset[str] | None): The types that it knows; None if all.
    """

    doubted: frozenset[int]
    decided: frozenset[tuple[int, str]]
    types: frozenset[str] | None

    @classmethod
    def read(cls, doc: Doc, detector: str) -> SecondOpinion:
        """The opinion of a detector that ran on the doc; blanks and signs are left out."""
        said = [
            (token.i, span.label_, score)
            for span, score in read_candidates(doc, detector)
            for token in span
            if not (token.is_punct or token.is_space)
        ]
        types = doc.spans[detector].attrs.get("types")
        return cls(
            frozenset(i for i, _, _ in said),
            frozenset((i, label) for i, label, score in said if score >= DECIDED),
            None if types is None else frozenset(types),
        )

    def weigh(self, mention: Mention) -> None:
        """Lower the confidence of a mention that this opinion contradicts, or cut its ends.

        Where the opinion is silent, a tenth of the confidence is left; where it finds PHI of the
        same type, ends that it does not doubt are cut off. Identifiers and contacts stay whole.
        """
        if mention.score >= CERTAIN:
            return
        tokens = range(mention.start, mention.end)
        decided = any((i, mention.label) in self.decided for i in tokens)
        if decided and not is_labelled(mention):
            kept = [i for i in tokens if i in self.doubted]
            mention.start, mention.end = kept[0], kept[-1] + 1
        elif self._knows(mention.label) and self.doubted.isdisjoint(tokens):
            mention.score *= _CONTRADICTED

    def _knows(self, phi_type: str) -> bool:
        """Whether its silence on PHI of a type says anything."""
        return self.types is None or phi_type in self.types


def is_labelled(mention: Mention) -> bool:
    """Whether rules find PHI of this type by its label: identifiers and contacts."""
    return CATEGORY.get(mention.label) in _LABELLED


def join_doubted(doc: Doc, mentions: Iterable[Mention]) -> list[Mention]:
    """Mentions of one detector, neighbours of one type joined where it left one undecided.

    Blanks of their own, as between lines and sentences, keep them apart.
    """
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last
            and min(last.score, mention.score) < DECIDED
            and (last.end, last.label) == (mention.start, mention.label)
            and not (doc[last.end - 1].is_space or doc[mention.start].is_space)
        ):
            last.end, last.score = mention.end, max(last.score, mention.score)
        else:
            joined.append(mention)
    return joined
