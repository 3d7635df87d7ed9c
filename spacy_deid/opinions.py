"""Second opinions: what a detector that also names its doubts says of the finds of another."""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Doc

from .candidates import DECIDED, read_candidates


class Opinion(NamedTuple):
    """What a detector says of a doc that is heard on the finds of another.

    doubted (set[int]): The tokens that it takes for PHI, or at least doubts.
    decided (set[tuple[int, str]]): Those that it takes for PHI, each with its type.
    types (frozenset[str] | None): The types that it knows; None if all.
    """

    doubted: set[int]
    decided: set[tuple[int, str]]
    types: frozenset[str] | None

    @classmethod
    def of(cls, doc: Doc, detector: str) -> Opinion:
        """The opinion of a detector that ran on the doc; blanks and signs are left out."""
        said = [
            (token.i, span.label_, score)
            for span, score in read_candidates(doc, detector)
            for token in span
            if not (token.is_punct or token.is_space)
        ]
        types = doc.spans[detector].attrs.get("types")
        return cls(
            {i for i, _, _ in said},
            {(i, label) for i, label, score in said if score >= DECIDED},
            None if types is None else frozenset(types),
        )

    def knows(self, phi_type: str) -> bool:
        """Whether its silence on PHI of a type says anything."""
        return self.types is None or phi_type in self.types
