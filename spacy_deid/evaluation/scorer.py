"""The scorer that spaCy calls on a pipeline that finds PHI."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from ..annotation.notes import Note, note_from_doc
from ..merger import PHI_GROUP, SEARCHED_GROUP
from ..merger.pipe import SCORE_WEIGHTS
from ..redaction.redacted import find_phi
from .scores import Counts, score_notes


@registry.scorers("spacy_deid.phi_scorer.v1")
def make_phi_scorer() -> Callable[..., dict[str, Any]]:
    """Registered form of `score_phi`."""
    return score_phi


def score_phi(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score the PHI found against the reference by character offsets, so that tokens may differ.

    examples (Iterable[Example]): Examples; those without gold entity annotation are skipped.
    RETURNS (dict[str, Any]): `phi_token_*` ignoring the type, `phi_strict_*` with exact boundaries
        and type; all None if there is nothing to score.
    """
    pairs = [
        (note_from_doc(example.reference, str(i)), found_note(example.predicted, str(i)))
        for i, example in enumerate(examples)
        if example.reference.has_annotation("ENT_IOB")
    ]
    if not pairs:
        return dict.fromkeys(SCORE_WEIGHTS)
    scores = score_notes(*zip(*pairs, strict=True))
    return {
        **_measures("phi_token_", scores.token),
        "phi_token_f2": scores.token.f2,
        **_measures("phi_strict_", scores.micro("strict")),
        "phi_strict_per_type": {
            name: _measures("", counts) for name, counts in scores.per_type("strict").items()
        },
    }


def found_note(doc: Doc, note_id: str) -> Note:
    """A note with the PHI that a pipeline found in it.

    Without `phi_merger`, these are all entities; with it, the entities of other pipes do not count.
    """
    if {PHI_GROUP, SEARCHED_GROUP} <= doc.spans.keys():
        return Note(note_id, doc.text, find_phi(doc))
    return note_from_doc(doc, note_id)


def _measures(prefix: str, counts: Counts) -> dict[str, float]:
    figures = {"p": counts.precision, "r": counts.recall, "f": counts.f1}
    return {f"{prefix}{name}": value for name, value in figures.items()}
