"""Errors in context. The results quote notes: show them only on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..annotation.notes import PhiSpan
from .errors import PhiError

_WIDTH = 40


def error_lines(
    errors: Iterable[PhiError], texts: Mapping[str, str], width: int = _WIDTH
) -> Iterator[str]:
    """One line per error: its location, its kind, and the text around it.

    Gold spans are in [brackets], the system's in {braces}.
    texts (Mapping[str, str]): Texts of the notes, by id.
    width (int): Characters shown on each side.
    """
    for error in errors:
        gold, system = error.gold, error.system
        start = min(span.start for span in (gold, system) if span)
        types = " / ".join(span.type if span else "-" for span in (gold, system))
        cause = f" ({error.cause})" if error.cause else ""
        context = _context(texts[error.note_id], gold, system, width)
        yield f"{error.note_id}:{start}  {error.kind}{cause}  {types}  {context}"


def _context(text: str, gold: PhiSpan | None, system: PhiSpan | None, width: int) -> str:
    marks = []
    for span, opening, closing in ((gold, "[", "]"), (system, "{", "}")):
        if span:
            marks += [(span.start, 1, opening), (span.end, 0, closing)]
    first, last = min(mark[0] for mark in marks), max(mark[0] for mark in marks)
    start, end = max(0, first - width), min(len(text), last + width)
    pieces, at = [], start
    for offset, _, sign in sorted(marks):
        pieces += [text[at:offset], sign]
        at = offset
    line = " ".join("".join([*pieces, text[at:end]]).split())
    return f"{'...' if start else ''}{line}{'...' if end < len(text) else ''}"
