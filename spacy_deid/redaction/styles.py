"""Redaction styles: what stands in the place of PHI.

A style is a function that gets a note's text and its PHI, and returns one replacement for each
span. It sees the whole note at once so that it may treat equal names alike. To add a style, write
such a function and name it in `STYLES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..notes import PhiSpan

Style = Callable[[str, Sequence[PhiSpan]], list[str]]

_VISIBLE = re.compile(r"\S")


def tag(text: str, spans: Sequence[PhiSpan]) -> list[str]:
    """The PHI type in brackets: "[PATIENT]"."""
    return [f"[{span.type}]" for span in spans]


def mask(text: str, spans: Sequence[PhiSpan]) -> list[str]:
    """A star for each character; blanks and line breaks stay, and so does the layout."""
    return [_VISIBLE.sub("*", text[span.start : span.end]) for span in spans]


STYLES: Mapping[str, Style] = {"tag": tag, "mask": mask}
"""The styles by name."""
