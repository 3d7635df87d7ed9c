"""phi_merger: combines the candidates of all detectors into one decision per token.

`support` adjusts the confidence of candidates, `boundaries` trims them, one of the `strategies`
resolves overlaps, and `propagation` finds further mentions of the note's names.
"""

from .pipe import PhiMerger, mergers_of, set_threshold
from .result import PHI_GROUP, SEARCHED_GROUP, UNKNOWN_ORIGIN, Origin, read_origins

__all__ = [
    "PHI_GROUP",
    "SEARCHED_GROUP",
    "UNKNOWN_ORIGIN",
    "Origin",
    "PhiMerger",
    "mergers_of",
    "read_origins",
    "set_threshold",
]
