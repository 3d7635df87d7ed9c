"""What the fields of HL7 messages are: PHI by definition, by the standard or by other segments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..tsv import read_rows
from .base import decode
from .hl7_escapes import Delimiters

Place = tuple[int, int]
"""A component of a field, from 1, and its subcomponent; 0 for the whole component."""

Types = Mapping[Place, str]
"""The PHI types of a field's components; "" for a text."""


class Definition(NamedTuple):
    """What a field is."""

    types: Types  # of its components that are PHI or a text
    known: bool = False  # whether they are known data
    varies: bool = False  # whether a value may be a code or name its field

    def types_of(self, parts: Sequence[str]) -> Types:
        """The components of a value that are PHI; `parts` are what they hold."""
        if not self.varies:
            return self.types
        if not is_field_name(parts[0]):
            coded = parts[2:3] and parts[2] in _SYSTEMS and re.search("[0-9]", parts[0])
            return {} if coded else self.types
        named = _named(parts[0])
        if not named:
            return self.types if named is None else {}
        own = first_type(named)
        if not own:
            return self.types
        return {
            place: each if place[1] else own for place, each in self.types.items() if place[0] > 1
        }


Definitions = Mapping[bytes, Mapping[int, Definition]]
"""The fields that are PHI by definition, by segment and number."""

_FILE = Path(__file__).parent / "hl7_fields.tsv"
_WARD = "1=DEPARTMENT 2=ROOM 3=ROOM 4=HD 7=HOSPITAL"
_PARTS = {
    **dict.fromkeys(("EI", "PLN", "RP", "ST", "TS"), "1"),
    **{
        "CE": "1 2 4 5 9",
        "CNE": "1=IDNUM 2",
        "DIN": "2=CE",
        "EIP": "1=EI 2=EI",
        "HD": "1=HOSPITAL 2=HOSPITAL?",
        "OSD": "2=IDNUM 4=IDNUM",
        "PIP": "5=EI",
        "QIP": "1=MEDICALRECORD 2 4=HD",  # or a CX, in queries by id
        "QSC": "3",
        "TN": "1=PHONE",
        "TQ": "4 5 10=OSD",
        "device": "1 3=DEVICE?",  # an EI, whose third component may be a serial number
        "varies": "1 2 3 4=HD",  # an id or a name
        "any": "1 2 3 4=HD 5",  # or an address
        "none": "",
        "text": "1 2 3 4 5",
    },
    **dict.fromkeys(("PN", "XPN"), "1 2 3"),
    **dict.fromkeys(("CN", "XCN", "PPN"), "1=IDNUM 2 3 4 9=HD 14=HD"),
    "CX": "1 4=HD 6=HD",
    "LA1": f"{_WARD} 9=AD",
    "LA2": f"{_WARD} 9=STREET 10=STREET 11=CITY 12=STATE 13=ZIP",
    "NDL": "1.1=IDNUM 1.2 1.3 1.4 2 3 4=DEPARTMENT 5=ROOM 6=ROOM 7=HD",
    "PL": f"{_WARD} 9=HOSPITAL 11=HD",
    **dict.fromkeys(
        ("AD", "XAD"),
        "1=STREET 2=STREET 3=CITY 4=STATE 5=ZIP 6=COUNTRY 8=LOCATION-OTHER 9=LOCATION-OTHER "
        "10=LOCATION-OTHER 19=PATIENT 20=OTHER 23.1=IDNUM",
    ),
    "XON": "1 3=IDNUM 6=HD 8=HD 10=IDNUM",
    "XTN": "1=PHONE 4=EMAIL 6=PHONE 7=PHONE 9=OTHER 12=PHONE",
}
"""The components of data types that are PHI, each with its PHI type or the data type of its parts;
else they have the PHI type of the field. With "?", numbers of a registry are not PHI."""

_OBSERVED = {
    **dict.fromkeys(("CX", "EI", "RP"), "IDNUM"),
    **dict.fromkeys(("CN", "XCN"), "DOCTOR"),
    **dict.fromkeys(("PN", "XPN"), "PATIENT"),
    **dict.fromkeys(("AD", "PL", "TN", "XAD", "XTN"), ""),
    "XON": "ORGANIZATION",
}
"""The PHI types of observations (OBX-5) and other values, by their data type."""

_TEXTS = ("", "FT", "ST", "TX")  # data types of what may be a text
_CODES = ("CE", "CNE", "CWE", "ID", "IS", "NM", "SN")  # data types of codes and numbers
_VARYING = ("QIP", "QSC", "any", "varies")  # data types of a code, or a value of a named field
_SYSTEMS = ("CVX", "LN", "NDC", "RXNORM", "SCT", "UCUM")
"""Coding systems that have no codes of people or places."""

_PEOPLE = (b"PID", b"NK1", b"PV1")  # segments about the patient and the visit
_NAMES = ("CN", "NDL", "PN", "PPN", "XCN", "XPN")  # data types of people
_EACH = 0  # the number that stands for all fields of a segment
_KEYS = {b"MFE": 4, b"MFA": 5}  # fields with keys of a master file
_TYPED = {(b"OBX", 5): 2, (b"MFE", 4): 5, (b"MFA", 5): 6}
"""Fields of any data type, each with the number of the field that names it."""

_CODED = re.compile("CDM|CM[AB]|OM[1-7A-G]").fullmatch
"""A master file of charges, studies or tests, whose keys are codes."""

is_field_name = re.compile(r"@[A-Z][A-Z0-9]{2}(?:\.[0-9]{1,3}){1,4}").fullmatch
"""The name of a field in a query: @PID.5.1."""

_NAMED = re.compile(r"@?([A-Z][A-Z0-9]{2})[.-]([0-9]{1,3})(?:\.([0-9]{1,3})[0-9.]*)?").fullmatch
"""The name of a field in a query or of a column of a table: @PID.5.1, PID.5 or PID-5."""


@cache
def standard_fields() -> Definitions:
    """The fields that are PHI by definition in any message.

    Places outside of the patient's segments are not known data: "LAB" is also a word.
    """
    fields: dict[bytes, dict[int, Definition]] = {}
    for name, number, data_type, phi_type, _ in read_rows(_FILE):
        segment = name.encode("ascii")
        fields.setdefault(segment, {})[int(number)] = Definition(
            _types(data_type, "" if phi_type == "-" else phi_type),
            known=segment in _PEOPLE or data_type in _NAMES,
            varies=data_type in _VARYING or int(number) == _KEYS.get(segment),
        )
    return fields


def _types(data_type: str, phi_type: str) -> Types:
    """The components of a field that are PHI, by the type of its data and that of PHI."""
    types: dict[Place, str] = {}
    for part in _PARTS[data_type].split():
        place, _, own = part.partition("=")
        component, _, sub = place.partition(".")
        if own in _PARTS:
            parts = _types(own, phi_type).items()
            types |= {(int(component), number): each for (number, _), each in parts}
        else:
            types[int(component), int(sub or 0)] = own or phi_type
    return types


def _observed(kind: str) -> Definition:
    """What a value is by its data type."""
    types = _types(kind, _OBSERVED[kind]) if kind in _OBSERVED else {}
    return Definition(types, known=kind in _NAMES)


def defined_by(name: bytes, row: Sequence[bytes], signs: Delimiters) -> Definitions:
    """What a segment says of the fields after it: RDF of a table's rows, MFI of keys."""
    if name == b"RDF":
        return {b"RDT": _columns(row, signs)}
    if name != b"MFI":
        return {}
    fields = {segment: standard_fields()[segment] for segment in _KEYS}
    if _CODED(decode(row[1])[0].split(signs.component)[0]):
        fields = {each: {**fields[each], number: Definition({})} for each, number in _KEYS.items()}
    return fields


def _columns(row: Sequence[bytes], signs: Delimiters) -> Mapping[int, Definition]:
    """The fields of a table's rows (RDT), by the names in its RDF."""
    names = decode(row[2])[0] if row[3:] else ""
    columns = {_EACH: standard_fields()[b"RDT"][_EACH]}
    for number, name in enumerate(names.split(signs.repetition), 1):
        column, kind, *_ = *name.split(signs.component), "", ""
        columns[number] = _column(column.strip(), kind.strip().upper())
    return columns


def _column(name: str, kind: str) -> Definition:
    """What a column of a table holds, by its name and data type; in doubt, names and ids."""
    named = _named(name)
    if named and any(named.values()):
        return Definition(named)
    if named is not None and kind in (*_CODES, *_TEXTS):
        return Definition({} if kind in _CODES else named)
    own = _observed(kind).types
    return Definition({**standard_fields()[b"RDT"][_EACH].types, **own}, varies=not own)


def _named(name: str) -> Types | None:
    """What a field or component holds, by its name; None if that is not known."""
    found = _NAMED(name.upper())
    segment, number, part = found.groups() if found else ("", "0", "")
    definition = standard_fields().get(segment.encode("ascii"), {}).get(int(number))
    types = definition.types if definition else None
    if not types or not part:
        return types
    own = types.get((int(part), 0)) or types.get((int(part), 1)) or first_type(types)
    return {**types, (1, 0): own}


def first_type(types: Types) -> str:
    """The PHI type of the first component."""
    return types[min(types)]


def definition_of(
    fields: Mapping[int, Definition], name: bytes, number: int, row: Sequence[bytes]
) -> Definition:
    """What a field of a segment is, by those of the segment that are PHI."""
    if at := _TYPED.get((name, number)):
        observed = _observed(decode(row[at].strip().upper())[0] if row[at + 1 :] else "")
        if observed.types or name == b"OBX":
            return observed
    return fields.get(number) or fields.get(_EACH, Definition({}))
