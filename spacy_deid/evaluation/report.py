"""The report: one self-contained HTML file that needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..annotation.notes import Note, PhiSpan
from ..pages import write_page
from .drawing import render_figure
from .evaluate import Evaluation
from .matching import Agrees, agreement
from .tables import cards

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Segment(NamedTuple):
    """A segment of a note's text with constant gold and system annotation."""

    text: str
    state: str  # "plain", "right", "type" (PHI, but of another type), "leak" or "extra"
    label: str = ""  # label to show at the end of a span; else empty
    gold: str = ""
    system: str = ""


def write_report(
    evaluation: Evaluation, path: Path, title: str, *, show_context: bool = False
) -> None:
    """Write an evaluation as one HTML file, atomically.

    show_context (bool): Whether to include the notes. The file then contains PHI.
    RAISES (ValueError): If matplotlib is missing.
    """
    write_page(
        path,
        "evaluation",
        private=show_context,
        title=title,
        cards=cards(evaluation.scores),
        tables=evaluation.tables(),
        pictures={name: _data_uri(figure) for name, figure in evaluation.figures().items()},
        notes=list(_note_values(evaluation, show_context)),
        show_context=show_context,
        n_notes=len(evaluation.gold),
    )


def overlay(note: Note, system: Note, agrees: Agrees) -> Iterator[Segment]:
    """Split a note's text into segments where gold or system spans begin or end."""
    bounds = {0, len(note.text)}
    for span in (*note.spans, *system.spans):
        bounds |= {span.start, span.end}
    cuts = sorted(bounds)
    for start, end in zip(cuts, cuts[1:], strict=False):
        gold, found = _span_at(note.spans, start), _span_at(system.spans, start)
        types = (gold.type if gold else "", found.type if found else "")
        if not (gold and found):
            state = "leak" if gold else "extra" if found else "plain"
        else:
            state = "right" if agrees(*types) else "type"
        ends = any(span and span.end == end for span in (gold, found))
        label = " → ".join(types) if state == "type" else types[0] or types[1]
        yield Segment(note.text[start:end], state, label if ends else "", *types)


def _note_values(evaluation: Evaluation, show_context: bool) -> Iterator[dict[str, Any]]:
    """The values of each note in the template; without segments if its text must not be shown."""
    agrees = agreement(evaluation.scores.label_set, evaluation.system.label_set)
    systems = {note.id: note for note in evaluation.system.notes}
    errors = {note.id: Counter[str]() for note in evaluation.gold}
    for error in evaluation.analysis.errors:
        errors[error.note_id][error.kind] += 1
    leaked = evaluation.scores.leaked_tokens.tolist()
    for note, n in zip(evaluation.gold, leaked, strict=True):
        segments = list(overlay(note, systems[note.id], agrees)) if show_context else []
        values = {"id": note.id, "spans": len(note.spans), "leaked": n, "segments": segments}
        yield {**values, "errors": errors[note.id]}


def _span_at(spans: tuple[PhiSpan, ...], offset: int) -> PhiSpan | None:
    return next((span for span in spans if span.start <= offset < span.end), None)


def _data_uri(figure: Figure) -> str:
    return "data:image/svg+xml;base64," + b64encode(render_figure(figure, "svg")).decode("ascii")
