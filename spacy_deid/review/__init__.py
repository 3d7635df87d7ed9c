"""Review of detections, by people in the browser or on static pages, and colours for displaCy.

`begin` draws notes, `store` keeps what readers do, `state` and `results` say what came of it, and
`server` is the page. `show` writes the page of `spacy-deid show`.
"""

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
