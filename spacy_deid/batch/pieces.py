"""Long notes in overlapping pieces that a pipeline can process."""

from __future__ import annotations

from collections.abc import Iterator

from ..redaction import RedactionError

LONGEST = 100_000
"""Characters of a piece: more takes memory and finds no more."""

_MARGIN = 2_000


def cut(text: str, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """Cut a text at white space into pieces of at most `longest` characters, each with its start.

    Pieces overlap, so that everything near a cut is seen whole, and in context, from one side.

    RAISES (RedactionError): If there is no blank to cut at.
    """
    start, margin = 0, min(_MARGIN, longest // 4)
    while start + longest < len(text):
        end = _last_blank(text, start + 2 * margin, start + longest)
        yield start, text[start:end]
        start = _last_blank(text, start, end - margin)
    yield start, text[start:]


def _last_blank(text: str, start: int, end: int) -> int:
    """One past the last white space in a stretch."""
    for at in range(end, start, -1):
        if text[at - 1].isspace():
            return at
    raise RedactionError("it is too long, and has no blanks to cut it at")
