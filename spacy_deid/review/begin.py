"""Begin a review: draw the notes to read, before anything is read, and search them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import count
from pathlib import Path
from typing import Any

from spacy.language import Language

from .. import __version__
from ..annotation.notes import Note, PhiSpan
from ..corpora import Problem
from ..corpora.io import raise_problem
from ..draws import chance, draw
from ..merger import lowest_threshold, using_threshold
from ..prove.plan import Plan
from ..records import Fields
from .findings import Finding, draw_sample, in_random_order, read_findings
from .state import Mark, ReviewError
from .store import DOUBTFUL, RANDOM, Detection, DrawnNote, Store, check_new, create_store

SUSPECTED = 0.02
"""Confidence from which on a candidate counts as PHI that may be missed."""

_POOL = 5
"""Notes that are searched for each doubtful one that is wanted."""

_WORDS_PER_MINUTE = 200
_MARKS_PER_MINUTE = 20
_MOST_NOTES = 20_000


@dataclass(frozen=True)
class Draw:
    """Which notes are read."""

    random: int = 50  # number of notes drawn at random; with a plan, as many as its PHI takes
    doubtful: int = 0  # number of further notes, those with most expected misses for the time
    blind: float = 0.1  # share of the random notes that are shown without detections
    planted: float = 0.05  # share of the detections in the other random notes that are held back
    seed: int = 1
    plan: Plan | None = None  # what to show, if anything
    strata: str | None = None  # what has its share in the random notes: folder or patient


def begin_review(
    folder: Path,
    notes: Path,
    drawn: Draw,
    nlp: Language | None = None,
    *,
    system: str = "",
    format: str | None = None,
    fields: Fields | None = None,
    on_problem: Callable[[Problem], None] = raise_problem,
) -> Store:
    """Draw notes, search them, and create a project folder with them.

    notes (Path): Texts or a corpus, as for `read_findings`.
    nlp (Language | None): A pipeline to search with; by default, the annotated PHI is reviewed.
    system (str): Name of what found the PHI.
    RAISES (ValueError): If there is a project already, or no note can be read.
    """
    check_new(folder)
    set_aside: set[Problem] = set()

    def report(problem: Problem) -> None:
        if problem not in set_aside:  # doubtful notes are found in further readings
            set_aside.add(problem)
            on_problem(problem)

    place: dict[str, Any] = {"fmt": format, "fields": fields, "on_problem": report}
    random = list(_enough(_in_random_order(notes, nlp, drawn, **place), drawn))
    if not random:
        raise ReviewError(f"there is no note to read in {notes}")
    if nlp is None and not any(finding.note.spans for finding in random):
        raise ReviewError(
            f"no PHI is marked in the notes drawn from {notes}; name a model to search them"
        )
    doubtful = _doubtful(notes, nlp, drawn, len(random), place) if drawn.doubtful else []
    drawn_notes = _drawn_notes(random, doubtful, drawn)
    settings = {**_settings(drawn, system, nlp), "set_aside": len(set_aside)}
    return create_store(folder, settings, drawn_notes)


def expected_misses(finding: Finding, threshold: float) -> float:
    """PHI expected to be missed per minute of reading; the note was searched below `threshold`."""
    scores = [origin.score for origin in finding.origins.values()]
    missed = sum(score for score in scores if score < threshold)
    marks = sum(score >= threshold for score in scores)
    words = len(finding.note.text.split())
    return missed / ((words + 1) / _WORDS_PER_MINUTE + marks / _MARKS_PER_MINUTE)


def _in_random_order(
    notes: Path,
    nlp: Language | None,
    drawn: Draw,
    skip: int = 0,
    size: int = _MOST_NOTES,
    **place: Any,
) -> Iterator[Finding]:
    """Search notes in random order, one batch after the other."""

    def select(findings: Iterator[Finding]) -> Iterable[Finding]:
        texts = (finding for finding in findings if finding.note.text.strip())
        chosen = draw_sample(texts, max(_MOST_NOTES, skip + size), seed=drawn.seed)
        order = in_random_order(chosen, seed=drawn.seed, strata=drawn.strata)
        return order[skip : skip + size]

    return read_findings(notes, nlp, select=select, **place)


def _enough(findings: Iterator[Finding], drawn: Draw) -> Iterator[Finding]:
    """As many notes as are wanted, or as the PHI of the plan takes."""
    pieces = 0
    for number in count(1):
        finding = next(findings, None)
        if finding is None:
            return
        yield finding
        pieces += len(finding.note.spans)
        if pieces >= drawn.plan.pieces if drawn.plan else number >= drawn.random:
            return


def _doubtful(
    notes: Path, nlp: Language | None, drawn: Draw, skip: int, place: Mapping[str, Any]
) -> list[Finding]:
    """Of the notes next in the random order, those worth most for the time of reading them."""
    if nlp is None:
        raise ReviewError("doubtful notes are found by a model; name one")
    threshold = lowest_threshold(nlp)
    size = drawn.doubtful * _POOL
    with using_threshold(nlp, min(SUSPECTED, threshold)):
        pool = list(_in_random_order(notes, nlp, drawn, skip, size, **place))
    worth = {finding.note.id: expected_misses(finding, threshold) for finding in pool}
    best = sorted(worth, key=lambda name: -worth[name])[: drawn.doubtful]

    def select(findings: Iterator[Finding]) -> Iterator[Finding]:
        return (finding for finding in findings if finding.note.id in best)

    searched = {f.note.id: f for f in read_findings(notes, nlp, select=select, **place)}
    return [searched[name] for name in best if name in searched]


def _drawn_notes(
    random: list[Finding], doubtful: list[Finding], drawn: Draw
) -> Iterator[DrawnNote]:
    by_chance = sorted(random, key=lambda f: draw(drawn.seed, "blind", f.note.id))
    blind = {f.note.id for f in by_chance[: math.ceil(drawn.blind * len(random))]}
    for number, finding in enumerate((*random, *doubtful), 1):
        note, is_random = finding.note, number <= len(random)
        found = tuple(
            Detection(
                Mark(span.start, span.end, span.type),
                origin.score if (origin := finding.origins.get(span.start)) else None,
                is_random and (note.id in blind or _is_planted(span, note, drawn)),
            )
            for span in note.spans
        )
        stratum = RANDOM if is_random else DOUBTFUL
        yield DrawnNote(number, note.id, note.text, finding.patient, stratum, found)


def _is_planted(span: PhiSpan, note: Note, drawn: Draw) -> bool:
    """Whether to hold a detection back, with all of the same text, which would show it."""
    text = note.text[span.start : span.end].casefold()
    return chance(drawn.seed, "planted", note.id, text) < drawn.planted


def _settings(drawn: Draw, system: str, nlp: Language | None) -> dict[str, Any]:
    return {
        "version": __version__,
        "begun": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "system": system,
        "threshold": lowest_threshold(nlp) if nlp else None,
        "seed": drawn.seed,
        "strata": drawn.strata,
        "blind": drawn.blind,
        "planted": drawn.planted,
        **{
            name: getattr(drawn.plan, name, None)
            for name in ("claim", "confidence", "design_effect")
        },
    }
