"""Evaluation of PHI detection."""

from .errors import ErrorAnalysis, PhiError, analyze_errors
from .matching import CRITERIA, MEASURES, SCHEMES, VIEWS, Criterion
from .scorer import make_phi_scorer, score_phi
from .scores import Counts, MacroAverage, Scores, score_notes

__all__ = [
    "CRITERIA",
    "MEASURES",
    "SCHEMES",
    "VIEWS",
    "Counts",
    "Criterion",
    "ErrorAnalysis",
    "MacroAverage",
    "PhiError",
    "Scores",
    "analyze_errors",
    "make_phi_scorer",
    "score_notes",
    "score_phi",
]
