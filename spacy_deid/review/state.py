"""What a reader has made of a note, from the events of the reading.

A reading begins with the detections as undecided marks, without those that are held back. When
everything is decided, the reader is done with the first look; detections that were held back and
are not marked yet follow for a second one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..annotation.notes import PhiSpan
from ..annotation.phi import CATEGORY


class ReviewError(ValueError):
    """An event that does not fit; its message never quotes a note."""


class Mark(NamedTuple):
    """Marked text: PHI if it is decided, and otherwise a detection to decide on."""

    start: int
    end: int
    type: str
    decided: bool = False

    @property
    def span(self) -> PhiSpan:
        """The mark as PHI."""
        return PhiSpan(self.start, self.end, self.type)

    def overlaps(self, other: Mark) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


class Event(NamedTuple):
    """One thing that a reader did."""

    number: int  # its place among all events of the project; 0 if it is not stored yet
    kind: str  # "edit", "done", "reopen", "comment", "time", or that an adjudication "begin"s
    data: Mapping[str, Any]  # for an edit, the marks to remove and to add; for a comment, its text
    seconds: float = 0.0  # time spent on the note since the event before


@dataclass
class State:
    """A reading as it stands."""

    marks: dict[tuple[int, int], Mark]  # the marks, by start and end
    held: tuple[Mark, ...] = ()  # detections that are held back for the second look
    length: int = 0  # characters of the note
    stage: str = "first"  # "first" or "second" look, or "done"
    first: tuple[PhiSpan, ...] | None = None  # the PHI at the end of the first look; None before
    comment: str = ""
    seconds: float = 0.0
    last: int = 0  # number of the last event
    done_at: int = 0  # number of the last "done", even if the note was opened again; 0 if none
    edits: list[Mapping[str, Any]] = field(default_factory=list)  # the edits so far, to be undone

    @property
    def spans(self) -> tuple[PhiSpan, ...]:
        """The marks as PHI, sorted."""
        return tuple(mark.span for mark in sorted(self.marks.values()))

    @property
    def begun(self) -> bool:
        """Whether the reader has changed or decided anything."""
        return bool(self.edits) or self.first is not None or bool(self.comment)

    def apply(self, event: Event) -> None:
        """Go on by an event.

        RAISES (ReviewError): If it does not fit; the state is then as before.
        """
        if event.kind == "begin":
            marks = (Mark(*row) for row in event.data["marks"])
            self.marks = {(mark.start, mark.end): mark for mark in marks}
        elif event.kind == "edit":
            self._edit(event.data)
        elif event.kind == "done":
            self._finish()
            self.done_at = event.number
        elif event.kind == "reopen":
            self.stage = "second" if self.first is not None else self.stage
        elif event.kind == "comment":
            self.comment = str(event.data.get("text", ""))
        elif event.kind != "time":
            raise ReviewError("unknown kind of event")
        self.seconds += event.seconds
        self.last = event.number or self.last

    def _edit(self, data: Mapping[str, Any]) -> None:
        if self.stage == "done":
            raise ReviewError("the note is done; open it again to change it")
        marks = dict(self.marks)
        for start, end, *_ in data.get("remove", ()):
            if marks.pop((start, end), None) is None:
                raise ReviewError("there is no such mark to remove")
        for row in data.get("add", ()):
            mark = Mark(*row)
            _check(mark, self.length)
            marks[mark.start, mark.end] = mark
        ordered = sorted(marks.values())
        if any(one.end > other.start for one, other in zip(ordered, ordered[1:], strict=False)):
            raise ReviewError("marks must not overlap")
        self.marks = marks
        self.edits.append(data)

    def _finish(self) -> None:
        if self.stage == "done":
            raise ReviewError("the note is done already")
        if open_marks := sum(not mark.decided for mark in self.marks.values()):
            raise ReviewError(f"{open_marks} detections are not decided yet")
        if self.first is None:
            self.first = self.spans
            new = [m for m in self.held if not any(map(m.overlaps, self.marks.values()))]
            self.marks |= {(mark.start, mark.end): mark for mark in new}
            self.edits = []  # what comes before the second look cannot be undone
            self.stage = "second" if new else "done"
        else:
            self.stage = "done"


def begin(marks: Iterable[Mark], held: Iterable[Mark], length: int) -> State:
    """The state in which a reading begins."""
    return State({(mark.start, mark.end): mark for mark in marks}, tuple(held), length)


def _check(mark: Mark, length: int) -> None:
    if mark.type not in CATEGORY:
        raise ReviewError("unknown PHI type")
    if not 0 <= mark.start < mark.end <= length:
        raise ReviewError("a mark lies outside the note")
