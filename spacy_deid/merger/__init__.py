"""phi_merger: combines the candidates of all detectors into one decision per token.

`support` adjusts the confidence of candidates, `fractions` that of dates like "3/7", `boundaries`
trims them, `ranking` says which is trusted more, one of the `strategies` resolves overlaps, `never`
leaves out what the user says is no PHI, and `propagation` finds further mentions of the note's
names.
"""

from .never import NEVER_GROUP, SPARED_GROUP
from .pipe import PhiMerger, using_detectors
from .pipeline import (
    add_detector,
    lowest_threshold,
    mergers_of,
    require_mergers,
    set_threshold,
    using_threshold,
)
from .result import (
    PHI_GROUP,
    SEARCHED_GROUP,
    UNKNOWN_ORIGIN,
    Origin,
    read_origins,
    require_read,
)

__all__ = [
    "NEVER_GROUP",
    "PHI_GROUP",
    "SEARCHED_GROUP",
    "SPARED_GROUP",
    "UNKNOWN_ORIGIN",
    "Origin",
    "PhiMerger",
    "add_detector",
    "lowest_threshold",
    "mergers_of",
    "read_origins",
    "require_mergers",
    "require_read",
    "set_threshold",
    "using_detectors",
    "using_threshold",
]
