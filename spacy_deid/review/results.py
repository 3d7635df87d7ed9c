"""What a review has come to: for its readers at their desks, and as the notes for a proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..annotation.notes import Note, PhiSpan
from ..prove import Reading, ReviewedNote
from ..prove.readers import Agreement, agreements
from ..prove.reviewed import Sample
from .state import Event, Mark, State, begin
from .store import ADJUDICATE, DOUBTFUL, RANDOM, READ, DrawnNote, Store, replay


@dataclass(frozen=True)
class Result:
    """A note with its readings."""

    note: DrawnNote
    readings: dict[str, State]  # the readings that are done, by reader and time
    gold: tuple[PhiSpan, ...] | None  # the true PHI; None if nobody is done, or readers disagree
    disputed: bool  # whether readers disagree, and nobody has adjudicated


def results(store: Store) -> Iterator[Result]:
    """All notes with their readings, in the order of reading."""
    for note in store.notes():
        yield result_of(store, note)


def result_of(store: Store, note: DrawnNote) -> Result:
    """A note with its readings."""
    states = {name: store.read(note, name) for name in store.readers(note.number)}
    done = {name: state for name, state in states.items() if state.stage == "done"}
    verdicts = {state.spans for state in done.values()}
    adjudicated = _adjudicated(store, note)
    if adjudicated is not None:
        return Result(note, done, adjudicated, False)
    gold = verdicts.pop() if len(verdicts) == 1 else None
    return Result(note, done, gold, bool(verdicts))


def disputes(store: Store) -> Iterator[Result]:
    """The notes that two readers or more are done with and disagree on, adjudicated or not."""
    for result in results(store):
        if len({state.spans for state in result.readings.values()}) > 1:
            yield result


def adjudication(store: Store, note: DrawnNote, reader: str) -> State:
    """An adjudication as it stands; it begins with what all readings agree on as decided."""
    events = store.events(note.number, reader, ADJUDICATE)
    marks = [] if events else merged_marks(result_of(store, note))
    return replay(begin(marks, (), len(note.text)), events)


def merged_marks(result: Result) -> list[Mark]:
    """The marks of all readings: decided where all agree, else those that most readers made."""
    votes = Counter(span for state in result.readings.values() for span in state.spans)
    readers = len(result.readings)
    marks: list[Mark] = []
    for span, number in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        mark = Mark(span.start, span.end, span.type, number == readers)
        if not any(map(mark.overlaps, marks)):
            marks.append(mark)
    return sorted(marks)


def gold_notes(store: Store) -> Iterator[Note]:
    """The notes whose PHI is settled, with it."""
    for result in results(store):
        if result.gold is not None:
            yield Note(result.note.id, result.note.text, result.gold)


def sample_of(store: Store) -> tuple[Sample, list[ReviewedNote]]:
    """The random sample of a project, and its notes whose PHI is settled."""
    random = [result for result in results(store) if result.note.stratum == RANDOM]
    settled = [result.gold is not None for result in random]
    last = max((place for place, done in enumerate(settled) if done), default=-1)
    passed = [r for r, done in zip(random[:last], settled, strict=False) if not done]
    sample = Sample(
        store.settings["system"],
        len(random),
        sum(result.disputed for result in random),
        sum(not result.disputed for result in passed),
        store.settings["seed"],
        store.settings["claim"],
        store.settings.get("strata"),  # unknown to 0.17
        store.settings.get("set_aside", 0),  # unknown to 1.0
    )
    return sample, [reviewed(result) for result in random if result.gold is not None]


def reader_agreements(
    store: Store, strata: Collection[str] = (RANDOM, DOUBTFUL)
) -> dict[tuple[str, str], Agreement]:
    """How far each two readers agree, on all notes of the strata that both are done with."""
    found = (result for result in results(store) if result.note.stratum in strata)
    return agreements([reviewed(result) for result in found])


def _adjudicated(store: Store, note: DrawnNote) -> tuple[PhiSpan, ...] | None:
    """The PHI by the latest decision; None if there is none."""
    names = store.readers(note.number, ADJUDICATE)
    states = [adjudication(store, note, name) for name in names]
    done = [state for state in states if state.stage == "done"]
    return max(done, key=lambda state: state.done_at).spans if done else None


def settled(store: Store, stratum: str) -> list[ReviewedNote]:
    """The notes of a stratum whose PHI is settled, with it."""
    return [
        reviewed(result)
        for result in results(store)
        if result.gold is not None and result.note.stratum == stratum
    ]


def reviewed(result: Result) -> ReviewedNote:
    """A note with its readings; with no PHI, if that is not settled."""
    note = result.note
    found = tuple(detection.mark.span for detection in note.found)
    held = tuple(detection.mark.span for detection in note.found if detection.held)
    shown = tuple(detection.mark.span for detection in note.found if not detection.held)
    readings = tuple(
        Reading(name, state.spans, state.first or (), shown, held, state.seconds)
        for name, state in result.readings.items()
    )
    gold = Note(note.id, note.text, result.gold or ())
    return ReviewedNote(gold, found, readings, note.patient_id, note.blind)


@dataclass(frozen=True)
class Desk:
    """Where a reader sits, who sees no other's readings except to adjudicate them."""

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
        start = Event(0, "begin", {"marks": sorted(state.marks.values())})
        begins = self.role == ADJUDICATE and not state.last
        state.apply(event)
        if begins:
            state.last = self.store.append(note.number, self.reader, self.role, start, 0)
            last = last or state.last
        state.last = self.store.append(note.number, self.reader, self.role, event, last)
        return state
