"""FHIR in JSON: free text in resources and Bundles, in R4 and its neighbours.

Redacted are attachments of plain text anywhere (`data`, in DocumentReference, DiagnosticReport,
Binary …), `text` and `authorString` of annotations, `conclusion`, `comment`, `description`,
`valueString`, `valueMarkdown` and `contentString`, names of care teams and groups, and every other
string of 40 characters or more with a blank in it, unless it is the `display` of a code. Narratives
(`text.div`), which repeat the structured data, are emptied, and so are other attachments, strings
of base64 and withheld texts. Everything else stays, including Patient resources with names and
dates, unless structured fields are to be redacted (`fhir_fields`).

The texts of a resource, and of those contained in it, are one note; so is each entry of a Bundle.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import BinaryIO, NamedTuple

from ..files import FormatError
from ..ids import id_text
from ..text.edits import Edit, splice
from .base import (
    FREE_TEXT,
    Chunk,
    Fields,
    Record,
    RecordFormat,
    decode,
    holds_base64,
    unreadable,
    with_known,
)
from .fhir_fields import (
    GROUPS,
    PEOPLE,
    STAFF,
    Element,
    Part,
    is_category,
    is_coordinate,
    is_result,
    parts_of,
    target_of,
)
from .json_nodes import Node, parse

_TEXTS = (
    *("conclusion", "comment", "description", "authorString"),
    *("valueString", "valueMarkdown", "contentString"),
)
_ANNOTATIONS = ("note", "valueAnnotation", "progress", "dispenserInstruction")
"""Elements with `text`, which other objects may have for codes."""

_BASE64 = ("AuditEvent.entity.query", "AuditEvent.detail.value")
_PLAIN = ("text/plain", "text/markdown")
_BLANK = re.compile(r"\s").search
_ELEMENT = re.compile(r"_?[a-z][A-Za-z0-9]{0,63}").fullmatch
_SAMPLES = re.compile(r"[-+0-9.eEUL \n]*").fullmatch  # SampledData, whose `data` is no base64
_CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "windows-1252")
_REFERENCE = re.compile(r"([A-Za-z]{1,64}/[A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]{1,64})?\Z")
_ABOUT = ("subject", "patient", "beneficiary", "for")  # elements that say of whom a resource is
_STAFF = "staff and places"  # in place of a patient, so that links to them stay
_NO_DIV = '"<div xmlns=\\"http://www.w3.org/1999/xhtml\\"><p>-</p></div>"'
_NO_NARRATIVE = f'{{"status": "empty", "div": {_NO_DIV}}}'
_MASKED = (
    '{"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", '
    '"valueCode": "masked"}]}'
)


_Text = tuple[list[Record], Callable[[list[str | None]], list[Edit]]]
"""A text in a resource, or the parts of one, and the edits that replace it."""


def _read_whole(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The one resource of a file, perhaps a Bundle of others."""
    yield _chunk(file.read(), "", fields)


def _read_lines(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The resources of a file, one a line; a line that cannot be read is left out."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            yield _chunk(line, f"{number}/", fields)
        except FormatError as error:
            yield unreadable(str(number), str(error), len(line))


def _chunk(data: bytes, row: str, fields: Fields) -> Chunk:
    text, error = decode(data)
    mark = text[: text.startswith("\ufeff")]
    text = text.removeprefix(mark)
    try:
        root = parse(text)
    except ValueError as reason:
        raise FormatError(error or f"it is {reason}") from None
    if not isinstance(root.get("resourceType"), str):
        raise FormatError("it is not a FHIR resource")
    walk = _Walk(fields, root)
    walk.visit(root, _Position(row))

    def render(new: Sequence[str | None]) -> bytes:
        edits, values = list(walk.emptied), iter(new)
        for parts, edits_for in walk.texts:
            edits += edits_for(list(islice(values, len(parts))))
        once = {edit.start: edit for edit in edits}  # two texts may share a size and a hash
        return (mark + splice(text, once.values())).encode("utf-8")

    kept = tuple(f"everything else in {name}" for name in walk.types)
    records = tuple(record for parts, _ in walk.texts for record in parts)
    if fields.known:
        records = walk.with_known(records)
    return Chunk(records, render, len(data), kept)


class _Position(NamedTuple):
    """The position of a value."""

    path: str
    name: str = ""  # of its element
    parent: Element = Element()  # the object with this element
    around: Element = Element()  # the object with that
    note: str = ""
    patient: str = ""
    kind: str = ""  # type of its resource
    contained: Mapping[str, str] = {}  # types of the resources in it, by reference

    def record(self, text: str, error: str, phi_type: str = "") -> Record:
        return Record(
            text=text,
            row=self.path,
            patient_id=self.patient,
            error=error,
            note=self.note,
            type=phi_type,
        )


class _Walk:
    """Finds the texts of a resource, and of those in it."""

    def __init__(self, fields: Fields, root: Node) -> None:
        self.fields = fields
        self.patients = _patients(root)  # of a Bundle, by reference
        self.targets = _targets(root)  # types of the resources of a Bundle, by reference
        self.people: list[Record] = []  # the structured data of people
        self.texts: list[_Text] = []
        self.emptied: list[Edit] = []  # narratives and coordinates
        self.types: dict[str, None] = {}

    def visit(self, node: Node, at: _Position) -> None:
        """Find what is in a value."""
        if self.fields.structured and (mask := _mask_of(node, at)):
            self.emptied.append(Edit(node.start, node.end, mask))
            return
        for number, item in enumerate(node.items):
            self.visit(item, at._replace(path=f"{at.path}[{number}]"))
        if isinstance(node.value, str):
            self._string(node, at)
        elif type(node.value) in (int, float):
            self._number(node._replace(value=id_text(node.value)), at)
        path, note, patient, kind, contained = at.path, at.note, at.patient, at.kind, at.contained
        if isinstance(resource := node.get("resourceType"), str):
            kind = resource
            self.types[kind] = None
            if at.name != "contained":
                note, contained = path or "/", _contained(node)
            if at.name == "resource":  # in a Bundle or in Parameters, which may be signed by one
                patient = ""
            if (at.name, kind) != ("contained", "Patient"):  # whose id is only unique in it
                patient = self._patient(node, at.parent.node, contained) or patient
        # What stands beside the resource of an entry, such as its `request`, is part of its note.
        for own in node.named("resource") if at.name == "entry" else ():
            note, patient = f"{path}.resource", self._patient(own, node, _contained(own))
        parent = Element(node, at.name, self._target(node, contained))
        for number, (name, value) in enumerate(node.members):
            # The manifest shows it, and what is no name of an element may be data.
            shown = name if _ELEMENT(name) else f"({number})"
            where = f"{path}{'' if not path or path.endswith('/') else '.'}{shown}"
            if name == "text" and value.members:
                self.emptied.append(Edit(value.start, value.end, _NO_NARRATIVE))
            else:
                inside = _Position(
                    path=where,
                    name=name,
                    parent=parent,
                    around=at.parent,
                    note=note,
                    patient=patient,
                    kind=kind,
                    contained=contained,
                )
                self.visit(value, inside)

    def with_known(self, records: Iterable[Record]) -> tuple[Record, ...]:
        """Texts with the data of their patient, or of all if that is unknown, and of the staff."""
        owners = {person.patient_id for person in self.people if person.type != "DOCTOR"} - {""}
        known = (
            (owner, person.type, person.text)
            for person in self.people
            for owner in (("", person.patient_id) if person.patient_id else (None,))
        )
        return with_known(
            records, known, lambda each: each.patient_id if each.patient_id in owners else ""
        )

    def _patient(self, resource: Node, entry: Node, contained: Mapping[str, str]) -> str:
        """The id of the patient of a resource, as other formats have it.

        It is what the resource says of whom it is, or else the only patient to whom it refers. That
        of staff or a place is none, so that its names are known data for all patients.
        """
        kind = resource.get("resourceType")
        if kind == "Patient":
            owners = {_patient(resource, entry)}
        elif kind in STAFF:
            return ""
        else:
            about = _about(resource)
            owners = {_reference(each) for each in about}
            if len(owners) != 1:  # such as the owners of an account
                owners = {
                    _reference(each)
                    for each in about or _references(resource)
                    if target_of(Element(each, target=self._target(each, contained))) == "Patient"
                }
        ids = {self.patients.get(each, each).removeprefix("Patient/") for each in owners}
        return ids.pop() if len(ids) == 1 else ""

    def _string(self, value: Node, at: _Position) -> None:
        parts = self._parts(value.value, at)
        if at.kind in PEOPLE or at.name == "display":
            self.people += _records(value.value, at, parts)
        if parts and self.fields.structured:
            self.texts.append(_fields(value, at, parts))
        elif _is_attachment(value.value, at):
            self.texts.append(_attachment(value, at))
        elif at.name == "div":
            self.emptied.append(Edit(value.start, value.end, _NO_DIV))
        elif holds_base64(value.value) or _is_base64(at):
            self.texts.append(_text(value, at, "base64 outside of attachments cannot be redacted"))
        elif _is_text(value.value, at) or _is_free_text(value.value, at):
            self.texts.append(_text(value, at))

    def _number(self, value: Node, at: _Position) -> None:
        """An id or a ZIP code may be a number, although not in valid FHIR; a date is none."""
        if any(part.type != "DATE" for part in self._parts(value.value, at)):
            self._string(value, at)

    def _parts(self, value: str, at: _Position) -> list[Part]:
        if not self.fields.structured and not self.fields.known:
            return []
        return parts_of(value, at.kind, at.name, at.parent, at.around)

    def _target(self, reference: Node, contained: Mapping[str, str]) -> str:
        """The type of the resource to which a reference refers, if it is in the Bundle or here."""
        to = str(reference.get("reference"))
        return contained.get(to) or self.targets.get(to, "")


def _mask_of(node: Node, at: _Position) -> str:
    """What stands in place of coordinates; empty for all other values."""
    if is_coordinate(at.name, node):
        return f'{{"url": {_quote(node.get("url"))}, "_valueDecimal": {_MASKED}}}'
    return _MASKED if (at.kind, at.name) == ("Location", "position") else ""


def _is_attachment(text: str, at: _Position) -> bool:
    if at.name == "content":  # of a Binary, before R4
        return at.parent.node.get("resourceType") == "Binary"
    return at.name == "data" and not (at.parent.node.get("dimensions") and _SAMPLES(text))


def _is_text(text: str, at: _Position) -> bool:
    if at.name == "valueString" and len(text) < FREE_TEXT:
        return not is_category(at.around.node) and not is_result(text, at.kind, at.parent.node)
    if at.name == "name":
        return at.parent.node.get("resourceType") in GROUPS
    return at.name in _TEXTS or at.name == "text" and at.parent.name in _ANNOTATIONS


def _is_free_text(text: str, at: _Position) -> bool:
    coded = at.name == "display" and at.parent.node.get("code") is not None
    return len(text) >= FREE_TEXT and not coded and _BLANK(text) is not None


def _is_base64(at: _Position) -> bool:
    """Whether an element holds base64, of any length, such as the search that an audit logs."""
    return at.name.endswith("Base64Binary") or f"{at.kind}.{at.parent.name}.{at.name}" in _BASE64


def _patient(patient: Node, entry: Node) -> str:
    """How references refer to a patient.

    entry (Node): The entry of a Bundle that holds the patient, if it is in one.
    """
    url, own = str(entry.get("fullUrl")), _id(patient)
    return url if url.startswith("urn:") else own and f"Patient/{own}"


def _about(resource: Node) -> list[Node]:
    """What a resource says of whom it is."""
    return [
        each for name, node in resource.members if name in _ABOUT for each in node.items or [node]
    ]


def _references(resource: Node) -> Iterator[Node]:
    """The objects in a resource, except those in others that are not contained, as in a Bundle."""
    inside = [("", resource)]
    while inside:
        name, node = inside.pop()
        if name == "contained" or node is resource or node.get("resourceType") is None:
            yield node
            values = [*node.members, *((name, item) for item in node.items)]
            inside += [each for each in values if each[1].members or each[1].items]


def _reference(node: Node) -> str:
    """A reference without its server and version; empty if it is none to another resource."""
    reference = node.get("reference")
    if not isinstance(reference, str) or reference.startswith("#"):
        return ""
    relative = _REFERENCE.search(reference)
    return relative[1] if relative else reference


def _id(resource: Node) -> str:
    """The id of a resource, which may be a number, although not in valid FHIR."""
    own = resource.get("id")
    if type(own) in (int, float):
        own = id_text(own)
    return own if isinstance(own, str) else ""


def _patients(bundle: Node) -> Mapping[str, str]:
    """The references by id to the patients of a Bundle that have a urn, too.

    Ids stay the same from one Bundle to the next; one that several patients have tells none.
    """
    urns: dict[str, list[str]] = {}
    for entry in _entries(bundle):
        for resource in entry.named("resource"):
            own = _id(resource)
            if resource.get("resourceType") == "Patient" and own:
                urns.setdefault(f"Patient/{own}", []).append(_patient(resource, entry))
    return {same[0]: reference for reference, same in urns.items() if len(same) == 1}


def _targets(bundle: Node) -> Mapping[str, str]:
    """The types of the resources of a Bundle, by the URLs of their entries."""
    return {
        url: str(resource.get("resourceType") or "")
        for entry in _entries(bundle)
        if isinstance(url := entry.get("fullUrl"), str)
        for resource in entry.named("resource")
    }


def _contained(resource: Node) -> Mapping[str, str]:
    """The types of a resource and of those in it, by the references to them."""
    return {"#": str(resource.get("resourceType"))} | {
        f"#{each.get('id')}": str(each.get("resourceType") or "")
        for contained in resource.named("contained")
        for each in contained.items
    }


def _entries(bundle: Node) -> list[Node]:
    return [entry for entries in bundle.named("entry") for entry in entries.items]


def _text(value: Node, at: _Position, error: str = "") -> _Text:
    def edits(new: list[str | None]) -> list[Edit]:
        return _replacing(value, new[0] or "")

    return [at.record("" if error else value.value, error)], edits


def _fields(value: Node, at: _Position, parts: Sequence[Part]) -> _Text:
    """The parts of a string that are structured fields."""

    def edits(new: list[str | None]) -> list[Edit]:
        inside = (
            part.edit(text or "")
            for part, text in zip(parts, new, strict=True)
            if text != part.read(value.value)
        )
        return _replacing(value, splice(value.value, inside))

    records = _records(value.value, at, parts)
    return [
        replace(record, patient_id=_STAFF) if part.shared else record
        for record, part in zip(records, parts, strict=True)
    ], edits


def _records(text: str, at: _Position, parts: Sequence[Part]) -> list[Record]:
    return [at.record(part.read(text), "", part.type) for part in parts]


def _replacing(value: Node, new: str) -> list[Edit]:
    return [] if new == value.value else [Edit(value.start, value.end, _quote(new))]


def _attachment(data: Node, at: _Position) -> _Text:
    node = at.parent.node
    kind, _, options = str(node.get("contentType") or "").lower().partition(";")
    charset = options.partition("charset=")[2].strip(' "') or "utf-8"
    text = error = ""
    if kind.strip() not in _PLAIN or charset not in _CHARSETS:
        error = "an attachment of this type cannot be redacted"
    else:
        try:
            text = base64.b64decode(data.value).decode(charset)
        except ValueError:
            error = "its data are not text in base64"

    def edits(new: list[str | None]) -> list[Edit]:
        content = (new[0] or "").encode(charset if charset in _CHARSETS else "utf-8")
        about: dict[str, str | int] = {
            "hash": base64.b64encode(hashlib.sha1(content).digest()).decode("ascii"),
            "size": len(content),
        }
        return [
            Edit(data.start, data.end, _quote(base64.b64encode(content).decode("ascii"))),
            *(
                Edit(value.start, value.end, json.dumps(about[name]))
                for name, value in node.members
                if name in about and isinstance(value.value, (str, int))
            ),
        ]

    return [at.record(text, error)], edits


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


FHIR = RecordFormat("fhir", (".json",), False, _read_whole, structured=True)
FHIR_LINES = RecordFormat("fhir-lines", (".ndjson",), False, _read_lines, structured=True)
