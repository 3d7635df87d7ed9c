"""One reader of a project, who sees no other's readings except to adjudicate them."""

from __future__ import annotations

from dataclasses import dataclass

from .results import adjudication, disputes
from .state import Event, State
from .store import ADJUDICATE, READ, DrawnNote, Store


@dataclass(frozen=True)
class Desk:
    """Where a reader sits."""

    store: Store
    reader: str
    role: str = READ  # "read", or "adjudicate" what readers disagree on

    def notes(self) -> list[DrawnNote]:
        """The notes to read, or those that are disputed."""
        if self.role == ADJUDICATE:
            return [result.note for result in disputes(self.store)]
        return list(self.store.notes())

    def state(self, note: DrawnNote) -> State:
        """The reading as it stands."""
        if self.role == ADJUDICATE:
            return adjudication(self.store, note, self.reader)
        return self.store.read(note, self.reader)

    def add(self, note: DrawnNote, event: Event, last: int) -> State:
        """Add an event to the reading, if it fits."""
        state = self.state(note)
        if self.role == ADJUDICATE and not state.last:
            start = Event(0, "begin", {"marks": sorted(state.marks.values())})
            state.last = self.store.append(note.number, self.reader, self.role, start, 0)
            last = last or state.last
        state.apply(event)
        state.last = self.store.append(note.number, self.reader, self.role, event, last)
        return state
