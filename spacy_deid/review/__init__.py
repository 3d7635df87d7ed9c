"""Review of detections: HTML pages, and colours for displaCy."""

from .colors import COLORS, displacy_options
from .findings import Finding, find_in_docs, read_findings
from .show import write_review

__all__ = [
    "COLORS",
    "Finding",
    "displacy_options",
    "find_in_docs",
    "read_findings",
    "write_review",
]
