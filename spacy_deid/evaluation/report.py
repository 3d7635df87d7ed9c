"""The report: one self-contained HTML file that needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..annotation.notes import Note, PhiSpan
from ..pages import write_page
from .drawing import render_figure
from .evaluate import Evaluation
from .matching import Matcher

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Segment:
    """A segment of a note's text with constant gold and system annotation.

    state (str): "plain", "right", "type" (PHI, but of another type), "leak" or "extra".
    label (str): Label to show at the end of a span; else empty.
    """

    text: str
    state: str
    label: str = ""
    gold: str = ""
    system: str = ""


@dataclass(frozen=True)
class NoteView:
    """A note in the report; `segments` is empty if its text must not be shown."""

    id: str
    spans: int
    leaked: int
    errors: Mapping[str, int]
    segments: tuple[Segment, ...]


def write_report(
    evaluation: Evaluation, path: Path, title: str, *, show_context: bool = False
) -> None:
    """Write an evaluation as one HTML file, atomically.

    path (Path): The file.
    title (str): Its heading.
    show_context (bool): Whether to include the notes. The file then contains PHI.
    RAISES (ValueError): If matplotlib is missing.
    """
    scores = evaluation.scores
    write_page(
        path,
        "evaluation",
        private=show_context,
        title=title,
        cards=_cards(evaluation),
        tables=evaluation.tables(),
        pictures={name: _data_uri(figure) for name, figure in evaluation.figures().items()},
        notes=list(_views(evaluation, show_context)),
        show_context=show_context,
        n_notes=len(scores.ids),
    )


def overlay(note: Note, system: Note, matcher: Matcher) -> Iterator[Segment]:
    """Split a note's text into segments where gold or system spans begin or end."""
    bounds = {0, len(note.text)}
    for span in (*note.spans, *system.spans):
        bounds |= {span.start, span.end}
    cuts = sorted(bounds)
    for start, end in zip(cuts, cuts[1:], strict=False):
        gold, ours = _over(note.spans, start), _over(system.spans, start)
        state = _state(gold, ours, matcher)
        ends = any(span and span.end == end for span in (gold, ours))
        yield Segment(
            note.text[start:end],
            state,
            _label(gold, ours, state) if ends else "",
            gold.type if gold else "",
            ours.type if ours else "",
        )


def _cards(evaluation: Evaluation) -> dict[str, str]:
    token = evaluation.scores.micro("token", view="binary")
    return {
        "token recall": f"{token.recall:.2%}",
        "token precision": f"{token.precision:.2%}",
        "token F2": f"{token.f2:.4f}",
        "strict F1, typed": f"{evaluation.scores.micro('strict').f1:.4f}",
        "notes without a leak": f"{evaluation.scores.clean_notes:.0%}",
    }


def _views(evaluation: Evaluation, show_context: bool) -> Iterator[NoteView]:
    matcher = Matcher(evaluation.label_set)
    systems = {note.id: note for note in evaluation.system.notes}
    errors: dict[str, dict[str, int]] = {}
    for error in evaluation.analysis.errors:
        kinds = errors.setdefault(error.note_id, {})
        kinds[error.kind] = kinds.get(error.kind, 0) + 1
    leaked = evaluation.scores.leaked_tokens.tolist()
    for note, n in zip(evaluation.gold, leaked, strict=True):
        segments = overlay(note, systems[note.id], matcher) if show_context else ()
        yield NoteView(note.id, len(note.spans), n, errors.get(note.id, {}), tuple(segments))


def _over(spans: tuple[PhiSpan, ...], offset: int) -> PhiSpan | None:
    return next((span for span in spans if span.start <= offset < span.end), None)


def _state(gold: PhiSpan | None, system: PhiSpan | None, matcher: Matcher) -> str:
    if gold and system:
        return "right" if matcher.agrees(gold.type, system.type) else "type"
    return "leak" if gold else "extra" if system else "plain"


def _label(gold: PhiSpan | None, system: PhiSpan | None, state: str) -> str:
    if state == "type" and gold and system:
        return f"{gold.type} → {system.type}"
    span = gold or system
    return span.type if span else ""


def _data_uri(figure: Figure) -> str:
    return "data:image/svg+xml;base64," + b64encode(render_figure(figure, "svg")).decode("ascii")
