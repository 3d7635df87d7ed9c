"""phi_merger: one decision for each token out of the candidates of all detectors.

The flow: `support` reads the candidates and weighs them, `boundaries` trims them, a strategy of
`strategies` settles where they overlap, `propagation` finds the names of the note elsewhere in it.
"""

from .pipe import (
    PHI_GROUP,
    SEARCHED_GROUP,
    Origin,
    PhiMerger,
    mergers_of,
    read_origins,
    set_threshold,
)

__all__ = [
    "PHI_GROUP",
    "SEARCHED_GROUP",
    "Origin",
    "PhiMerger",
    "mergers_of",
    "read_origins",
    "set_threshold",
]
