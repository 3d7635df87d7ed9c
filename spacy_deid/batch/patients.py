"""Whose note it is, and known patient data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from ..annotation.notes import Note
from ..annotation.phi import normalize_type
from ..files import FormatError, open_csv
from ..ids import id_text
from ..known.data import KnownData, check_known
from ..records import Record
from ..redaction import Key, RedactionError
from .reader import Task

PATIENT_SOURCES = ("name", "folder")
"""Sources of a patient's id other than the records."""

_OWNERS = ("patient_id", "note_id")
_COLUMNS = ("type", "value")


class Patients:
    """Tells whose note it is, and which patient data are known for it.

    patient_from (str): "name" for the part of the note's name before the last "-", as in the i2b2
        corpora, "folder" for the folder of its file; empty for neither.
    known (Iterable[dict[str, str]]): Known patient data: each with a patient's or a note's id, a
        type and a value.
    """

    def __init__(self, patient_from: str = "", known: Iterable[dict[str, str]] = ()) -> None:
        if patient_from and patient_from not in PATIENT_SOURCES:
            raise RedactionError(
                f"patients are found by {' or '.join(PATIENT_SOURCES)}, not by '{patient_from}'"
            )
        self.patient_from = patient_from
        self.known: dict[tuple[str, str], dict[str, list[str]]] = {}
        for entry in known:
            for owner in _OWNERS:
                if entry.get(owner):
                    values = self.known.setdefault((owner, id_text(entry[owner])), {})
                    values.setdefault(entry["type"], []).append(entry["value"])
        self._matched: set[tuple[str, str]] = set()

    @property
    def unmatched(self) -> int:
        """Number of patients and notes with known data whose id no note had."""
        return len(self.known.keys() - self._matched)

    def fingerprint(self, key: Key | None) -> str:
        """A keyed fingerprint of the known data; without a key, the number of entries."""
        if key is None or not self.known:
            return str(len(self.known)) if self.known else ""
        return key.digest("known", json.dumps(sorted(self.known.items()))).hex()[:16]

    def check_folders(self, sources: Iterable[Path]) -> None:
        """Check that folders tell patients apart, if their names are the ids of patients.

        RAISES (RedactionError): If there are several, all of one name, as in "p17/notes/".
        """
        if self.patient_from != "folder":
            return
        folders = {Path(os.path.abspath(source)).parent for source in sources}
        if len(folders) > 1 == len({folder.name for folder in folders}):
            raise RedactionError(
                f"all notes would be those of one patient, '{min(folders).name}', as this is the "
                "name of all their folders; name the patients in another way"
            )

    def patient_of(self, task: Task, record: Record) -> str:
        """The id of a note's patient; empty if it is unknown."""
        if record.patient_id or not self.patient_from:
            return record.patient_id
        if self.patient_from == "folder":
            return id_text(Path(os.path.abspath(task.source)).parent.name)
        return id_text(Note(task.name_of(record), "").patient_id)

    def known_for(self, task: Task, record: Record) -> KnownData:
        """The known patient data for a note."""
        if not self.known:
            return {}
        ids = (self.patient_of(task, record), id_text(task.name_of(record)))
        owners = [owner for owner in zip(_OWNERS, ids, strict=True) if owner in self.known]
        self._matched.update(owners)
        return join_known(*(self.known[owner] for owner in owners))


def join_known(*parts: KnownData) -> KnownData:
    """Known data from several sources as one."""
    values: dict[str, list[str]] = {}
    for part in parts:
        for phi_type, known in part.items():
            values.setdefault(phi_type, []).extend([known] if isinstance(known, str) else known)
    return values


def read_known(path: str | Path) -> list[dict[str, str]]:
    """Read known patient data: CSV with columns `patient_id` or `note_id`, `type` and `value`.

    RAISES (FormatError): If the file cannot be read, lacks a column or names no PHI type.
    """
    path = Path(path)
    with open_csv(path) as reader:
        columns = set(reader.fieldnames or ())
        if not columns.issuperset(_COLUMNS) or columns.isdisjoint(_OWNERS):
            raise FormatError(f"{path} needs the columns patient_id or note_id, and type and value")
        return [_entry(row, reader.place) for row in reader]


def _entry(row: dict[str, str], place: str) -> dict[str, str]:
    entry = {name: (row.get(name) or "").strip() for name in (*_OWNERS, *_COLUMNS)}
    if not entry["value"] or not any(entry[owner] for owner in _OWNERS):
        raise FormatError(f"{place}: it has no value, or no id")
    try:
        check_known({entry["type"]: entry["value"]})
    except ValueError as error:
        raise FormatError(f"{place}: {error}") from None
    return {**entry, "type": normalize_type(entry["type"])}
