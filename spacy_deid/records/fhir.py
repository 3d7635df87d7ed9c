"""FHIR in JSON: free text in resources and Bundles, in R4 and its neighbours.

Redacted are attachments of plain text, wherever they stand (`data`, in DocumentReference,
DiagnosticReport, Binary …), the notes of resources (`note.text`) and the elements `conclusion`,
`comment`, `description`, `valueString` and `contentString`. Narratives (`text.div`), which repeat
the structured data in prose, are emptied, and so are attachments of any other type. A text that is
withheld becomes an empty string. All else stays: Patient resources with their names and dates, too.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from .base import Chunk, Fields, Format, Record, RecordError, decode
from .splice import Edit, Node, parse, splice

_TEXTS = ("conclusion", "comment", "description", "valueString", "contentString")
_PLAIN = ("text/plain", "text/markdown")
_CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "windows-1252")
_REFERENCE = re.compile(r"([A-Za-z]{1,64}/[A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]{1,64})?\Z")
_NO_NARRATIVE = (
    '{"status": "empty", "div": "<div xmlns=\\"http://www.w3.org/1999/xhtml\\"><p>-</p></div>"}'
)


@dataclass
class _Place:
    """A text in a resource, and what changes with it."""

    record: Record
    edits: Callable[[str | None], list[Edit]]


def read_whole(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The one resource of a file, perhaps a Bundle of others."""
    yield _chunk(file.read(), "")


def read_lines(file: BinaryIO, fields: Fields) -> Iterator[Chunk]:
    """The resources of a file, one a line; a line that cannot be read is left out."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            yield _chunk(line, f"{number}/")
        except RecordError as error:
            broken = Record("", str(number), error=str(error))
            yield Chunk((broken,), lambda _: b"", len(line))


def _chunk(data: bytes, row: str) -> Chunk:
    text, error = decode(data)
    mark = text[: text.startswith("\ufeff")]
    text = text.removeprefix(mark)
    try:
        root = parse(text)
    except ValueError:
        raise RecordError(error or "it is not valid JSON") from None
    if not isinstance(root.get("resourceType"), str):
        raise RecordError("it is no FHIR resource")
    walk = _Walk()
    walk.visit(root, row, "", "")
    places = walk.places

    def render(new: Sequence[str | None]) -> bytes:
        edits = list(walk.narratives)
        for place, value in zip(places, new, strict=True):
            edits += place.edits(value)
        return (mark + splice(text, edits)).encode("utf-8")

    kept = tuple(f"all else in {name}" for name in walk.types)
    return Chunk(tuple(place.record for place in places), render, len(data), kept)


class _Walk:
    """Finds the texts of a resource, and of those in it."""

    def __init__(self) -> None:
        self.places: list[_Place] = []
        self.narratives: list[Edit] = []
        self.types: dict[str, None] = {}

    def visit(self, node: Node, path: str, within: str, patient: str) -> None:
        """Find what is in a value.

        node (Node): The value.
        path (str): Where it stands.
        within (str): The name of the element it belongs to.
        patient (str): Whose resource it is.
        """
        for number, item in enumerate(node.items()):
            self.visit(item, f"{path}[{number}]", within, patient)
        if isinstance(kind := node.get("resourceType"), str):
            self.types[kind] = None
            patient = _patient(node) or patient
        for name, value in node.members():
            where = f"{path}{'' if not path or path.endswith('/') else '.'}{name}"
            if name == "text" and value.members():
                self.narratives.append(Edit(value.start, value.end, _NO_NARRATIVE))
            elif name == "data" and isinstance(value.value, str) and not node.get("dimensions"):
                self.places.append(_attachment(node, value, where, patient))
            elif isinstance(value.value, str) and (
                name in _TEXTS or (name, within) == ("text", "note")
            ):
                self.places.append(_string(value, where, patient))
            else:
                self.visit(value, where, name, patient)


def _patient(resource: Node) -> str:
    """Whose resource it is: who it refers to as its subject or patient."""
    for name, value in resource.members():
        reference = value.get("reference")
        if name in ("subject", "patient") and isinstance(reference, str):
            relative = _REFERENCE.search(reference)
            return relative[1] if relative else reference
    return ""


def _string(value: Node, where: str, patient: str) -> _Place:
    record = Record(value.value, where, patient_id=patient)
    return _Place(record, lambda new: [Edit(value.start, value.end, _quote(new or ""))])


def _attachment(node: Node, data: Node, where: str, patient: str) -> _Place:
    kind, _, options = str(node.get("contentType") or "").lower().partition(";")
    charset = options.partition("charset=")[2].strip(' "') or "utf-8"
    text = error = ""
    if kind.strip() not in _PLAIN or charset not in _CHARSETS:
        error = "an attachment of this type cannot be redacted"
    else:
        try:
            text = base64.b64decode(data.value).decode(charset)
        except (binascii.Error, UnicodeDecodeError):
            error = "its data are no text in base64"

    def edits(new: str | None) -> list[Edit]:
        content = (new or "").encode(charset if charset in _CHARSETS else "utf-8")
        digest = base64.b64encode(hashlib.sha1(content).digest()).decode("ascii")
        values: dict[str, str | int] = {
            "data": base64.b64encode(content).decode("ascii"),
            "hash": digest,
            "size": len(content),
        }
        return [
            Edit(value.start, value.end, json.dumps(values[name]))
            for name, value in node.members()
            if name in values
        ]

    return _Place(Record(text, where, patient_id=patient, error=error), edits)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


FHIR = Format("fhir", (".json",), False, read_whole)
FHIR_LINES = Format("fhir-lines", (".ndjson",), False, read_lines)
