"""Evaluation: how well PHI was found."""

from .scorer import make_phi_scorer, score_phi
from .scores import LEVELS, Counts, Scores, score_note, score_notes

__all__ = [
    "LEVELS",
    "Counts",
    "Scores",
    "make_phi_scorer",
    "score_note",
    "score_notes",
    "score_phi",
]
