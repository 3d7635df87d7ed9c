"""The fields of HL7 messages beside their reports: PHI by definition, dates, and free text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..text.english import MONTH
from .base import FREE_TEXT, Record, decode, holds_base64
from .hl7_definitions import (
    Definition,
    Place,
    Types,
    defined_by,
    definition_of,
    first_type,
    is_field_name,
    standard_fields,
)
from .hl7_escapes import Delimiters, Escapes
from .id_types import ID_TYPES

NULL = '""'
"""A value that was deleted."""

DOCUMENT = "an embedded document cannot be redacted"
"""Why a text in base64 is withheld."""

_SCHEMES = ("CLIA", "DNS", "GUID", "HL7", "ISO", "L", "M", "N", "NPI", "URI", "UUID")
"""What may say of which kind the id of a facility is."""

_COMMON = ("DEPARTMENT", "HOSPITAL", "ROOM")
_GENERAL = (("HOSPITAL", (7, 0)), ("HOSPITAL", (9, 0)), ("OTHER", (9, 0)), ("OTHER", (20, 0)))
"""What may be general words: a building, and what describes a place, a phone or an address."""

_VERSIONS = ((b"SFT", 2), (b"SFT", 4))  # fields with versions such as 10.1.2019
_HEADERS = (b"MSH", b"FHS", b"BHS")  # segments whose first field is the field separator
_LONGEST_CODE = 10  # digits of a code; more are a time stamp
_YEAR = "(?:19|20)[0-9]{2}"
_SMALL = "[0-3]?[0-9]"  # a day or a month, in any order
_WORD = rf"(?i:{MONTH})"
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

_is_registered = re.compile(
    r"(?:urn:oid:)?[0-9]+(?:\.[0-9]+)+"
    r"|(?:urn:uuid:|\{)?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
    r"|[0-9]{1,10}|[0-9]{2}D[0-9]{7}"
).fullmatch
"""The number of a facility or an authority: an OID, a UUID, an NPI or the like, or a CLIA."""

_MAY_BE_TIME = re.compile(rb"[0-9]{4}|[0-9]/[0-9]|[0-9][- ][A-Za-z]{3}").search


@dataclass(kw_only=True)
class Component:
    """A component of a field, or a part of one, that is PHI, free text or a document."""

    segment: int  # number of the segment in the message
    field: int  # its place in the row of the segment
    repetition: int  # from 0
    place: Place
    row: str  # the place, as HL7 writes it: "PID-5.1"
    type: str  # PHI type; empty for a text
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
            error=self.error or ("" if self.type or not holds_base64(self.text) else DOCUMENT),
            note=note,
            type=self.type,
        )


@dataclass(frozen=True)
class _Field:
    """A field that is not empty."""

    segment: int
    number: int  # its place in the row
    row: str
    definition: Definition

    def may_be_code(self, component: int, value: str) -> bool:
        """Whether a date may be a code with a name and a system.

        In segments of one's own, other components often stand in a row of three.
        """
        standard = not self.row.startswith("Z")
        return standard and component in (1, 4) and value.isdigit() and len(value) <= _LONGEST_CODE

    def component(
        self, repetition: int, place: Place, phi_type: str, value: str, escapes: Escapes
    ) -> Component:
        """A component of it, of a PHI type or a text."""
        text = escapes.decode(value)
        types, is_known, _ = self.definition
        name = ".".join(str(each) for each in place if each)
        return Component(
            segment=self.segment,
            field=self.number,
            repetition=repetition,
            place=place,
            row=f"{self.row}.{name}" + (f"({repetition + 1})" if repetition else ""),
            type=phi_type,
            text=text,
            known=is_known and (phi_type != "DATE" or types.get(place) == "DATE"),
            error=escapes.error,  # known once it is decoded
            escapes=escapes,
        )


def find_components(
    rows: Sequence[Sequence[bytes]],
    names: Sequence[bytes],
    signs: Delimiters,
    left: Collection[tuple[int, int]],
) -> Iterator[Component]:
    """The components of a message that are PHI or texts, and not empty.

    rows (Sequence[Sequence[bytes]]): The fields of its segments, each with the line end.
    names (Sequence[bytes]): The names of its segments; empty for lines that are none.
    left (Collection[tuple[int, int]]): Fields to leave out, by segment and place in its row.
    """
    fields = dict(standard_fields())
    for segment, (row, name) in enumerate(zip(rows, names, strict=True)):
        if not name:
            continue
        fields.update(defined_by(name, row, signs))
        offset = 1 if name in _HEADERS else 0
        for at, cell in enumerate(row[1 + offset : -1], 1 + offset):
            definition = definition_of(fields.get(name, {}), name, at + offset, row)
            if not cell or (segment, at) in left or (name, at) in _VERSIONS:
                continue
            if not (definition.types or _MAY_BE_TIME(cell) or may_be_text(cell)):
                continue
            place = f"{name.decode('ascii')}[{segment}]-{at + offset}"
            field = _Field(segment, at, place, definition)
            yield from _components(field, cell, signs)


def _components(field: _Field, cell: bytes, signs: Delimiters) -> Iterator[Component]:
    text, error = decode(cell)
    if error:
        parts = re.split(
            f"[{re.escape(signs.repetition + signs.component)}]", cell.decode("latin-1")
        )
        types = field.definition.types
        first = first_type(types) if types else "DATE"
        yield Component(
            segment=field.segment,
            field=field.number,
            repetition=0,
            place=(0, 0),
            row=field.row,
            type="" if any(map(may_be_text, parts)) else first,
            error=error,
        )
        return
    for repetition, value in enumerate(text.split(signs.repetition)):
        parts = value.split(signs.component)
        types = field.definition.types_of(parts)
        for place, part, phi_type in _places(parts, types, signs):
            if phi_type == "MEDICALRECORD" and len(parts) > 4:
                phi_type = ID_TYPES.get(parts[4], phi_type)
            if phi_type.endswith("?"):
                if _is_registered(part.strip()):
                    continue
                phi_type = phi_type.removesuffix("?")
            coded = not types and _is_coded(place[0], parts)
            if phi_type in ("", "DOCTOR", "PATIENT") and _TIME(part.strip()):
                phi_type = "" if coded and field.may_be_code(place[0], part) else "DATE"
            is_text = place in types or holds_base64(part) or (is_free_text(part) and not coded)
            if not (phi_type or is_text):
                continue
            if part.strip() and part != NULL and not is_field_name(part):
                escapes = Escapes(signs, [part])
                yield field.component(repetition, place, phi_type, part, escapes)


def _places(
    parts: Sequence[str], types: Types, signs: Delimiters
) -> Iterator[tuple[Place, str, str]]:
    """The components of a value, and the subcomponents of those not PHI or free text as a whole.

    Each with its PHI type, empty for none.
    """
    for number, part in enumerate(parts, 1):
        own = {sub: each for (component, sub), each in types.items() if component == number}
        subs = part.split(signs.subcomponent)
        if own.get(1) == "HOSPITAL" and not _is_facility(subs):
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
    return not any(more) and (known or not number.strip() or bool(_is_registered(number.strip())))


def _is_coded(component: int, parts: Sequence[str]) -> bool:
    """Whether a component is a code, or its name: code^name^system^code^name^system."""
    first = 0 if component in (1, 2) else 3
    return component in (1, 2, 4, 5) and all(
        parts[at : at + 1] not in ([], [""]) for at in (first, first + 2)
    )


def is_free_text(value: str | bytes) -> bool:
    """Whether a field or component may be free text: it is long, and has a blank."""
    return len(value) >= FREE_TEXT and len(value.split(maxsplit=1)) > 1


def may_be_text(value: str | bytes) -> bool:
    """Whether a field or component may be free text, or holds a document."""
    text = value if isinstance(value, str) else value.decode("latin-1")
    return is_free_text(text) or holds_base64(text)


def replace_components(
    cell: bytes, changes: Iterable[tuple[Component, str | None]], signs: Delimiters
) -> bytes:
    """A field with other values in the place of its components; empty if it cannot be read."""
    text, error = decode(cell)
    if error:
        return b""
    split = [
        [part.split(signs.subcomponent) for part in value.split(signs.component)]
        for value in text.split(signs.repetition)
    ]
    for component, new in changes:
        number, sub = component.place
        part = split[component.repetition][number - 1]
        value = component.escapes.encode(new or "") if component.escapes else ""
        if sub:
            part[sub - 1] = value
        else:
            part[:] = [value]
    values = (signs.component.join(map(signs.subcomponent.join, parts)) for parts in split)
    return signs.repetition.join(values).encode("utf-8")
