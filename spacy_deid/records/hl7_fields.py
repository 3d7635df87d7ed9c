"""The fields of HL7 messages beside their reports: PHI by definition, dates, and free text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..text.english import MONTH_WORDS
from ..tsv import read_rows
from .base import FREE_TEXT, Record, decode
from .hl7_escapes import Delimiters, Escapes

NULL = '""'
"""A value that was deleted."""

Place = tuple[int, int]
"""A component of a field, from 1, and its subcomponent; 0 for the whole component."""

Types = Mapping[Place, str]
"""The PHI types of a field's components; "" for a text."""


class Definition(NamedTuple):
    """What a field is."""

    types: Types  # of its components that are PHI or a text
    known: bool = False  # whether they are known data
    varies: bool = False  # whether a value may be a code or name its field


Definitions = Mapping[bytes, Mapping[int, Definition]]
"""The fields that are PHI by definition, by segment and number."""

_FILE = Path(__file__).parent / "hl7_fields.tsv"
_WARD = "1=DEPARTMENT 2=ROOM 3=ROOM 4.1=HOSPITAL 7=HOSPITAL"
_PARTS = {
    **dict.fromkeys(("EI", "HD", "PLN", "RP", "ST", "TS"), "1"),
    **{
        "CE": "1 2 4 5 9",
        "CNE": "1=IDNUM 2",
        "EIP": "1.1 2.1",
        "QIP": "1=MEDICALRECORD 2 4.1=HOSPITAL",  # or a CX, in queries by id
        "QSC": "3",
        "TN": "1=PHONE",
        "TQ": "4 5",
        "varies": "1 2 3 4.1",  # an id or a name
        "any": "1 2 3 4.1 5",  # or an address
        "none": "",
        "text": "1 2 3 4 5",
    },
    **dict.fromkeys(("PN", "XPN"), "1 2 3"),
    **dict.fromkeys(("CN", "XCN", "PPN"), "1=IDNUM 2 3 4 9.1=HOSPITAL 14.1=HOSPITAL"),
    "CX": "1 4.1=HOSPITAL 6.1=HOSPITAL",
    "LA1": f"{_WARD} 9.1=STREET 9.2=STREET 9.3=CITY 9.4=STATE 9.5=ZIP",
    "LA2": f"{_WARD} 9=STREET 10=STREET 11=CITY 12=STATE 13=ZIP",
    "NDL": "1.1=IDNUM 1.2 1.3 1.4 2 3 4=DEPARTMENT 5=ROOM 6=ROOM 7.1=HOSPITAL",
    "PL": f"{_WARD} 9=HOSPITAL 11.1=HOSPITAL",
    **dict.fromkeys(
        ("AD", "XAD"),
        "1=STREET 2=STREET 3=CITY 4=STATE 5=ZIP 6=COUNTRY 8=LOCATION-OTHER 9=LOCATION-OTHER",
    ),
    "XON": "1 3=IDNUM 6.1=HOSPITAL 8.1=HOSPITAL 10=IDNUM",
    "XTN": "1=PHONE 4=EMAIL 6=PHONE 7=PHONE 9=OTHER 12=PHONE",
}
"""The components of data types that are PHI; without a PHI type, they have that of the field."""

_ID_TYPES = {"SS": "SSN", "DL": "LICENSE", "AN": "ACCOUNT", "VN": "ACCOUNT", "MA": "HEALTHPLAN"}
"""Types of identifiers (CX-5) that are no record numbers."""

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

_SCHEMES = ("CLIA", "DNS", "GUID", "HL7", "ISO", "L", "M", "N", "NPI", "URI", "UUID")
"""What may say of which kind the id of a facility is."""

_PEOPLE = (b"PID", b"NK1", b"PV1")  # segments about the patient and the visit
_NAMES = ("CN", "NDL", "PN", "PPN", "XCN", "XPN")  # data types of people
_COMMON = ("DEPARTMENT", "HOSPITAL", "ROOM")
_GENERAL = (("HOSPITAL", (7, 0)), ("HOSPITAL", (9, 0)), ("OTHER", (9, 0)))
"""What may be general words: a building, and what describes a place or a phone."""

_EACH = 0  # the number that stands for all fields of a segment
_KEYS = {b"MFE": 4, b"MFA": 5}  # fields with keys of a master file
_CODED = re.compile("CDM|CM[AB]|OM[1-7A-G]").fullmatch
"""A master file of charges, studies or tests, whose keys are codes."""

_VERSIONS = ((b"SFT", 2), (b"SFT", 4))  # fields with versions such as 10.1.2019
_HEADERS = (b"MSH", b"FHS", b"BHS")  # segments whose first field is the field separator
_LONGEST_CODE = 10  # digits of a code; more are a time stamp
_YEAR = "(?:19|20)[0-9]{2}"
_SMALL = "[0-3]?[0-9]"  # a day or a month, in any order
_WORD = rf"(?i:{'|'.join(MONTH_WORDS)})"
_FORMS = (
    *(rf"{_YEAR}{at}(?:0[1-9]|1[0-2]){at}(?:0[1-9]|[12][0-9]|3[01])" for at in ("", "-", "/")),
    *(rf"{_SMALL}{at}{_SMALL}{at}{_YEAR}" for at in ("-", "/", r"\.")),
    rf"{_SMALL}/{_SMALL}/[0-9]{{2}}",
    rf"{_SMALL}[- ]?{_WORD}[- ]?{_YEAR}",
    rf"{_SMALL}[- ]{_WORD}[- ][0-9]{{2}}",
    rf"{_WORD}\.?[- ]{_SMALL}(?:, ?|[- ]){_YEAR}",
)
_DAY = f"(?:{'|'.join(_FORMS)})"
_CLOCK = (
    r"(?:[T ]?(?:[01][0-9]|2[0-4])(?::?[0-5][0-9]){0,2}(?:\.[0-9]{1,9})?"
    r"| [0-9]:[0-5][0-9](?::[0-5][0-9])?)(?: ?(?i:[ap]m))?"
)
_ZONE = "(?:Z|[+-][0-9]{2}:?[0-9]{2})"
_TIME = re.compile(f"{_DAY}(?:(?:{_CLOCK})?{_ZONE}?| ?- ?{_DAY})").fullmatch
"""A date with a day, or a range of two, as HL7 and those who do not keep to it write it."""

_FIELD_NAME = re.compile(r"@[A-Z][A-Z0-9]{2}(?:\.[0-9]{1,3}){1,4}").fullmatch
"""The name of a field in a query: @PID.5.1."""

_NAMED = re.compile(r"@?([A-Z][A-Z0-9]{2})[.-]([0-9]{1,3})(?:\.([0-9]{1,3})[0-9.]*)?").fullmatch
"""The name of a field in a query or of a column of a table: @PID.5.1, PID.5 or PID-5."""

_MAY_BE_TIME = re.compile(rb"[0-9]{4}|[0-9]/[0-9]|[0-9][- ][A-Za-z]{3}").search


@dataclass(kw_only=True)
class Component:
    """A component of a field, or a part of one, that is PHI or free text."""

    segment: int  # number of the segment in the message
    field: int  # its place in the row of the segment
    repetition: int  # from 0
    place: Place
    row: str  # the place, as HL7 writes it: "PID-5.1"
    type: str  # PHI type; empty for free text
    text: str = ""  # what it holds
    known: bool = False  # whether it is known data for the texts of the message
    error: str = ""  # why it cannot be read; then it is the whole field
    escapes: Escapes | None = None

    def is_known(self) -> bool:
        """Whether it is known data; "ICU" and "cell phone" are words of texts."""
        if not self.known or (self.type, self.place) in _GENERAL:
            return False
        return self.type not in _COMMON or " " in self.text

    def record(self, message: int, note: str, patient: str) -> Record:
        """Its value as a text to redact; `message` is the number of its message."""
        return Record(
            text=self.text,
            row=f"{message}/{self.row}",
            patient_id=patient,
            error=self.error,
            note=note,
            type=self.type,
        )


@dataclass(frozen=True)
class _Field:
    """A field that is not empty.

    types (Types): Its components that are PHI by definition.
    """

    segment: int
    number: int  # its place in the row
    row: str
    types: Types
    known: bool
    varies: bool

    def component(
        self, repetition: int, place: Place, phi_type: str, value: str, escapes: Escapes
    ) -> Component:
        """A component of it, of a PHI type or free text."""
        text = escapes.decode(value)
        name = ".".join(str(each) for each in place if each)
        return Component(
            segment=self.segment,
            field=self.number,
            repetition=repetition,
            place=place,
            row=f"{self.row}.{name}" + (f"({repetition + 1})" if repetition else ""),
            type=phi_type,
            text=text,
            known=self.known and (phi_type != "DATE" or self.types.get(place) == "DATE"),
            error=escapes.error,  # known once it is decoded
            escapes=escapes,
        )


@cache
def _fields() -> Definitions:
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
        types[int(component), int(sub or 0)] = own or phi_type
    return types


def _observed(kind: str) -> Definition:
    """What a value is by its data type."""
    types = _types(kind, _OBSERVED[kind]) if kind in _OBSERVED else {}
    return Definition(types, known=kind in _NAMES)


def _defined_by(name: bytes, row: Sequence[bytes], signs: Delimiters) -> Definitions:
    """What a segment says of the fields after it: RDF of a table's rows, MFI of keys."""
    if name == b"RDF":
        return {b"RDT": _columns(row, signs)}
    if name != b"MFI":
        return {}
    fields = {segment: _fields()[segment] for segment in _KEYS}
    if _CODED(decode(row[1])[0].split(signs.component)[0]):
        fields = {each: {**fields[each], number: Definition({})} for each, number in _KEYS.items()}
    return fields


def _columns(row: Sequence[bytes], signs: Delimiters) -> Mapping[int, Definition]:
    """The fields of a table's rows (RDT), by the names in its RDF."""
    names = decode(row[2])[0] if row[3:] else ""
    columns = {_EACH: _fields()[b"RDT"][_EACH]}
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
    return Definition({**_fields()[b"RDT"][_EACH].types, **own}, varies=not own)


def _named(name: str) -> Types | None:
    """What a field or component holds, by its name; None if that is not known."""
    found = _NAMED(name.upper())
    segment, number, part = found.groups() if found else ("", "0", "")
    definition = _fields().get(segment.encode("ascii"), {}).get(int(number))
    types = definition.types if definition else None
    if not types or not part:
        return types
    own = types.get((int(part), 0)) or types.get((int(part), 1)) or _first(types)
    return {**types, (1, 0): own}


def _first(types: Types) -> str:
    """The PHI type of the first component."""
    return types[min(types)]


def _definition(
    fields: Mapping[int, Definition], name: bytes, number: int, row: Sequence[bytes]
) -> Definition:
    """What a field of a segment is, by those of the segment that are PHI."""
    if (name, number) == (b"OBX", 5):
        return _observed(decode(row[2].strip().upper())[0])
    return fields.get(number) or fields.get(_EACH, Definition({}))


def find_components(
    rows: Sequence[Sequence[bytes]],
    names: Sequence[bytes],
    signs: Delimiters,
    left: Collection[tuple[int, int]],
) -> Iterator[Component]:
    """The components of a message that are PHI or free text, and not empty.

    rows (Sequence[Sequence[bytes]]): The fields of its segments, each with the line end.
    names (Sequence[bytes]): The names of its segments; empty for lines that are none.
    left (Collection[tuple[int, int]]): Fields to leave out, by segment and place in its row.
    """
    fields = dict(_fields())
    for segment, (row, name) in enumerate(zip(rows, names, strict=True)):
        if not name:
            continue
        fields.update(_defined_by(name, row, signs))
        offset = 1 if name in _HEADERS else 0
        for at, cell in enumerate(row[1 + offset : -1], 1 + offset):
            definition = _definition(fields.get(name, {}), name, at + offset, row)
            if not cell or (segment, at) in left or (name, at) in _VERSIONS:
                continue
            if not (definition.types or _MAY_BE_TIME(cell) or is_free_text(cell)):
                continue
            place = f"{name.decode('ascii')}[{segment}]-{at + offset}"
            field = _Field(segment, at, place, *definition)
            yield from _components(field, cell, signs)


def _components(field: _Field, cell: bytes, signs: Delimiters) -> Iterator[Component]:
    text, error = decode(cell)
    if error:
        parts = re.split(
            f"[{re.escape(signs.repetition + signs.component)}]", cell.decode("latin-1")
        )
        first = _first(field.types) if field.types else "DATE"
        yield Component(
            segment=field.segment,
            field=field.number,
            repetition=0,
            place=(0, 0),
            row=field.row,
            type="" if any(map(is_free_text, parts)) else first,
            error=error,
        )
        return
    for repetition, value in enumerate(text.split(signs.repetition)):
        parts = value.split(signs.component)
        types = _types_of(parts, field.types) if field.varies else field.types
        for place, part, phi_type in _places(parts, types, signs):
            if phi_type == "MEDICALRECORD" and len(parts) > 4:
                phi_type = _ID_TYPES.get(parts[4], phi_type)
            coded = not types and _is_coded(place[0], parts)
            if phi_type in ("", "DOCTOR", "PATIENT") and _TIME(part.strip()):
                phi_type = "" if coded and part.isdigit() and len(part) <= _LONGEST_CODE else "DATE"
            if not phi_type and place not in types and (coded or not is_free_text(part)):
                continue
            if part.strip() and part != NULL and not _FIELD_NAME(part):
                escapes = Escapes(signs, [part])
                yield field.component(repetition, place, phi_type, part, escapes)


def _types_of(parts: Sequence[str], types: Types) -> Types:
    """The components of a value that are PHI, if it is a code or names its field."""
    if not _FIELD_NAME(parts[0]):
        coded = parts[2:3] and parts[2] in _SYSTEMS and re.search("[0-9]", parts[0])
        return {} if coded else types
    named = _named(parts[0])
    if not named:
        return types if named is None else {}
    own = _first(named)
    return {place: own for place in types if place[0] > 1} if own else types


def _places(
    parts: Sequence[str], types: Types, signs: Delimiters
) -> Iterator[tuple[Place, str, str]]:
    """The components of a value, and the subcomponents of those not PHI or free text as a whole.

    Each with its PHI type, empty for none.
    """
    for number, part in enumerate(parts, 1):
        own = {sub: each for (component, sub), each in types.items() if component == number}
        subs = part.split(signs.subcomponent)
        if own == {1: "HOSPITAL"} and not _is_facility(subs):
            own = {0: "HOSPITAL"}
        if 0 in own or not own and is_free_text(part):  # where "&" may be no delimiter
            yield (number, 0), part, own.get(0, "")
            continue
        whole = len(subs) == 1 and 1 not in own
        for sub, value in enumerate(subs, 1):
            yield (number, 0 if whole else sub), value, own.get(sub, "")


def _is_facility(subs: Sequence[str]) -> bool:
    """Whether these are a facility's name and perhaps its id, and not a name with an "&"."""
    _, number, scheme, *more = *subs, "", ""
    known = scheme in _SCHEMES and " " not in number
    return not any(more) and (known or not number.strip("0123456789."))


def _is_coded(component: int, parts: Sequence[str]) -> bool:
    """Whether a component is a code, or its name: code^name^system^code^name^system."""
    first = 0 if component in (1, 2) else 3
    return component in (1, 2, 4, 5) and all(
        parts[at : at + 1] not in ([], [""]) for at in (first, first + 2)
    )


def is_free_text(value: str | bytes) -> bool:
    """Whether a field or component may be free text: it is long, and has a blank."""
    return len(value) >= FREE_TEXT and len(value.split(maxsplit=1)) > 1


def replace_component(
    cell: bytes, component: Component, new: str | None, signs: Delimiters
) -> bytes:
    """A field with another value in the place of a component; empty if it cannot be read."""
    text, error = decode(cell)
    if error or component.escapes is None:
        return b""
    repetitions = text.split(signs.repetition)
    parts = repetitions[component.repetition].split(signs.component)
    number, sub = component.place
    value = component.escapes.encode(new or "")
    if sub:
        subs = parts[number - 1].split(signs.subcomponent)
        subs[sub - 1] = value
        value = signs.subcomponent.join(subs)
    parts[number - 1] = value
    repetitions[component.repetition] = signs.component.join(parts)
    return signs.repetition.join(repetitions).encode("utf-8")
