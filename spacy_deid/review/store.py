"""The store of a review: one SQLite file in the project folder, to which events are appended.

Nothing is ever changed or deleted in it; what a reader has done so far is computed from the events.
Each event is on the disk before it is confirmed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..files import replacing
from .state import Event, Mark, ReviewError, State, begin

STORE = "review.sqlite"
"""Name of the file in a project folder."""

RANDOM, DOUBTFUL = "random", "doubtful"
"""Strata: how notes are drawn. Only random ones prove anything."""

READ, ADJUDICATE = "read", "adjudicate"
"""Roles of a reader."""

_APPLICATION = 0x53444944
_SCHEMA = f"""
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE note (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, patient TEXT NOT NULL,
    stratum TEXT NOT NULL, text TEXT NOT NULL, found TEXT NOT NULL, held TEXT NOT NULL
);
CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL,
    note INTEGER NOT NULL REFERENCES note, reader TEXT NOT NULL, role TEXT NOT NULL,
    kind TEXT NOT NULL, data TEXT NOT NULL, seconds REAL NOT NULL
);
CREATE INDEX event_of_note ON event (note, role, reader, number);
{
    "".join(
        f"CREATE TRIGGER keep_{table}_{verb} BEFORE {verb} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'nothing is changed or deleted'); END;"
        for table in ("setting", "note", "event")
        for verb in ("UPDATE", "DELETE")
    )
}
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = 1;
"""


@dataclass(frozen=True)
class Detection:
    """A detection of the system."""

    mark: Mark  # where it is
    score: float | None = None  # its confidence; None if unknown
    held: bool = False  # whether it is held back for the second look


@dataclass(frozen=True)
class DrawnNote:
    """A note that was drawn for review."""

    number: int  # its place in the order of reading, from 1
    id: str
    text: str
    patient_id: str
    stratum: str  # `RANDOM` or `DOUBTFUL`
    found: tuple[Detection, ...]  # what the system found

    @property
    def blind(self) -> bool:
        """Whether all detections are held back."""
        return bool(self.found) and all(detection.held for detection in self.found)

    def begin(self) -> State:
        """The state in which a reading of it begins."""
        held = [detection.mark for detection in self.found if detection.held]
        shown = [detection.mark for detection in self.found if not detection.held]
        return begin(shown, held, len(self.text))


class Store(AbstractContextManager["Store"]):
    """The notes of a project folder and the events of its readers.

    RAISES (ReviewError): If there is no project in it.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / STORE
        if not path.is_file():
            raise ReviewError(f"there is no review in {folder}: begin one with its notes")
        self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            if self._value("PRAGMA application_id") != _APPLICATION:
                raise sqlite3.DatabaseError
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            self._base.execute("PRAGMA busy_timeout = 10000")
        except sqlite3.DatabaseError:
            self._base.close()
            raise ReviewError(f"{path} is not a review, or it is damaged") from None
        self.settings: Mapping[str, Any] = {
            name: json.loads(value)
            for name, value in self._base.execute("SELECT name, value FROM setting")
        }

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def notes(self) -> Iterator[DrawnNote]:
        """All notes, in the order of reading."""
        for row in self._base.execute(f"SELECT {_COLUMNS} FROM note ORDER BY number"):
            yield _note(row)

    def note(self, number: int) -> DrawnNote:
        """A note.

        RAISES (ReviewError): If there is none of that number.
        """
        query = f"SELECT {_COLUMNS} FROM note WHERE number = ?"
        row = self._base.execute(query, (number,)).fetchone()
        if row is None:
            raise ReviewError("there is no note of this number")
        return _note(row)

    def readers(self, number: int, role: str = READ) -> list[str]:
        """Who has read a note, or begun to, by time."""
        query = (
            "SELECT reader FROM event WHERE note = ? AND role = ? GROUP BY 1 ORDER BY min(number)"
        )
        return [name for (name,) in self._base.execute(query, (number, role))]

    def events(self, number: int, reader: str, role: str = READ) -> list[Event]:
        """The events of a reading, by time."""
        rows = self._base.execute(
            "SELECT number, kind, data, seconds FROM event "
            "WHERE note = ? AND role = ? AND reader = ? ORDER BY number",
            (number, role, reader),
        )
        return [
            Event(place, kind, json.loads(data), seconds) for place, kind, data, seconds in rows
        ]

    def read(self, note: DrawnNote, reader: str) -> State:
        """A reading as it stands."""
        return replay(note.begin(), self.events(note.number, reader))

    def append(self, number: int, reader: str, role: str, event: Event, last: int) -> int:
        """Append an event to a reading; it is on the disk when this returns.

        last (int): Number of the reading's last event that the reader knows of.
        RETURNS (int): The number of the event.
        RAISES (ReviewError): If there are events that the reader does not know of.
        """
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            query = "SELECT max(number) FROM event WHERE note = ? AND role = ? AND reader = ?"
            if (self._value(query, (number, role, reader)) or 0) != last:
                raise ReviewError("the note was changed in another window")
            now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
            values = (now, number, reader, role, event.kind, json.dumps(event.data), event.seconds)
            added = self._base.execute(
                "INSERT INTO event (time, note, reader, role, kind, data, seconds) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            return int(added.lastrowid or 0)

    def _value(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._base.execute(query, values).fetchone()[0]


def check_new(folder: Path) -> None:
    """Raise a ReviewError if there is a review in a folder."""
    if (folder / STORE).exists():
        raise ReviewError(f"there is a review in {folder} already; continue it without notes")


def create_store(folder: Path, settings: Mapping[str, Any], notes: Iterable[DrawnNote]) -> Store:
    """Create a project folder that only its owner can read.

    RAISES (ReviewError): If there is a review in it already.
    """
    check_new(folder)
    path = folder / STORE
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path, private=True) as file, closing(sqlite3.connect(file.name)) as base:
        base.executescript(_SCHEMA)
        with base:
            rows = [(name, json.dumps(value)) for name, value in settings.items()]
            base.executemany("INSERT INTO setting VALUES (?, ?)", rows)
            insert = f"INSERT INTO note ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
            base.executemany(insert, map(_row, notes))
    return Store(folder)


def replay(state: State, events: Iterable[Event]) -> State:
    """Go on by all events."""
    for event in events:
        state.apply(event)
    return state


_COLUMNS = "number, id, text, patient, stratum, found, held"


def _row(note: DrawnNote) -> tuple[Any, ...]:
    found = [(*detection.mark[:3], detection.score) for detection in note.found]
    held = [place for place, detection in enumerate(note.found) if detection.held]
    columns = (note.number, note.id, note.text, note.patient_id, note.stratum)
    return (*columns, json.dumps(found), json.dumps(held))


def _note(row: Sequence[Any]) -> DrawnNote:
    number, note_id, text, patient, stratum, found, held = row
    places = json.loads(held)
    detections = tuple(
        Detection(Mark(*mark), score, place in places)
        for place, (*mark, score) in enumerate(json.loads(found))
    )
    return DrawnNote(number, note_id, text, patient, stratum, detections)
