"""The fields of HL7 segments that hold PHI by definition: PID, NK1 and PV1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .base import Record, decode
from .hl7_escapes import Delimiters, Escapes

NULL = '""'
"""A value that was deleted."""

Types = Mapping[int, str]
"""The PHI types of components, by number."""


def _name(phi_type: str) -> Types:
    return {1: phi_type, 2: phi_type, 3: phi_type}


_PATIENT = _name("PATIENT")
_STAFF = {1: "IDNUM", 2: "DOCTOR", 3: "DOCTOR", 4: "DOCTOR"}
_ADDRESS = {
    **{1: "STREET", 2: "STREET", 3: "CITY", 4: "STATE", 5: "ZIP", 6: "COUNTRY"},
    **{8: "LOCATION-OTHER", 9: "LOCATION-OTHER"},
}
_PHONE = {1: "PHONE", 4: "EMAIL", 6: "PHONE", 7: "PHONE", 12: "PHONE"}
_PLACE = {1: "DEPARTMENT", 2: "ROOM", 3: "ROOM", 4: "HOSPITAL"}
_ID, _ACCOUNT, _DATE = {1: "MEDICALRECORD"}, {1: "ACCOUNT"}, {1: "DATE"}

_FIELDS: Mapping[bytes, Mapping[int, Types]] = {
    b"PID": {
        **{2: _ID, 3: _ID, 4: _ID, 5: _PATIENT, 6: _PATIENT, 7: _DATE, 9: _PATIENT, 11: _ADDRESS},
        **{12: {1: "LOCATION-OTHER"}, 13: _PHONE, 14: _PHONE, 18: _ACCOUNT, 19: {1: "SSN"}},
        **{20: {1: "LICENSE"}, 21: _ID, 23: {1: "LOCATION-OTHER"}, 29: _DATE},
    },
    b"NK1": {
        **{2: _PATIENT, 4: _ADDRESS, 5: _PHONE, 6: _PHONE, 12: {1: "IDNUM"}},
        **{13: {1: "ORGANIZATION"}, 16: _DATE, 26: _PATIENT, 30: _PATIENT, 31: _PHONE},
        **{32: _ADDRESS, 33: {1: "IDNUM"}, 37: {1: "SSN"}},
    },
    b"PV1": {
        **{3: _PLACE, 5: _ACCOUNT, 6: _PLACE, 7: _STAFF, 8: _STAFF, 9: _STAFF, 17: _STAFF},
        **{19: _ACCOUNT, 44: _DATE, 45: _DATE, 50: _ACCOUNT, 52: _STAFF},
    },
}
_ID_TYPES = {"SS": "SSN", "DL": "LICENSE", "AN": "ACCOUNT", "VN": "ACCOUNT", "MA": "HEALTHPLAN"}
"""Types of identifiers (CX-5) that are no record numbers."""


@dataclass(kw_only=True)
class Component:
    """A component of a field that is PHI."""

    segment: int  # number of the segment in the message
    field: int  # number of the field in the segment
    place: tuple[int, int]  # repetition and component, from 0
    row: str  # the place, as HL7 writes it: "PID-5.1"
    type: str  # PHI type
    text: str = ""  # what it holds
    error: str = ""  # why it cannot be read; then it is the whole field
    escapes: Escapes | None = None

    def record(self, message: int, patient: str) -> Record:
        """Its value as a text to redact; `message` is the number of its message."""
        return Record(
            text=self.text,
            row=f"{message}/{self.row}",
            patient_id=patient,
            error=self.error,
            note=str(message),
            type=self.type,
        )


def find_components(
    rows: Sequence[Sequence[bytes]], names: Sequence[bytes], signs: Delimiters
) -> Iterator[Component]:
    """The components of a message that are PHI and not empty.

    rows (Sequence[Sequence[bytes]]): The fields of its segments, each with the line end.
    names (Sequence[bytes]): The names of its segments.
    """
    for segment, (row, name) in enumerate(zip(rows, names, strict=True)):
        for number, types in _FIELDS.get(name, {}).items():
            if number < len(row) - 1 and row[number]:
                place = f"{name.decode('ascii')}[{segment}]-{number}"
                yield from _components(row[number], segment, number, place, types, signs)


def _components(
    cell: bytes, segment: int, number: int, place: str, types: Types, signs: Delimiters
) -> Iterator[Component]:
    text, error = decode(cell)
    if error:
        yield Component(
            segment=segment,
            field=number,
            place=(0, 0),
            row=place,
            type=types[min(types)],
            error=error,
        )
        return
    for repetition, value in enumerate(text.split(signs.repetition)):
        parts = value.split(signs.component)
        for at, phi_type in types.items():
            if len(parts) < at or not parts[at - 1].strip() or parts[at - 1] == NULL:
                continue
            if phi_type == "MEDICALRECORD" and len(parts) > 4:
                phi_type = _ID_TYPES.get(parts[4], phi_type)
            escapes = Escapes(signs, [parts[at - 1]])
            found = escapes.decode(parts[at - 1])
            yield Component(
                segment=segment,
                field=number,
                place=(repetition, at - 1),
                row=f"{place}.{at}" + (f"({repetition + 1})" if repetition else ""),
                type=phi_type,
                text=found,
                error=escapes.error,  # known once it is decoded
                escapes=escapes,
            )


def replace_component(
    cell: bytes, component: Component, new: str | None, signs: Delimiters
) -> bytes:
    """A field with another value in the place of a component; empty if it cannot be read."""
    text, error = decode(cell)
    if error or component.escapes is None:
        return b""
    repetitions = [value.split(signs.component) for value in text.split(signs.repetition)]
    repetition, at = component.place
    repetitions[repetition][at] = component.escapes.encode(new or "")
    return signs.repetition.join(map(signs.component.join, repetitions)).encode("utf-8")
