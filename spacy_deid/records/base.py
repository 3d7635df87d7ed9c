"""What all record formats share: notes inside files, and the bytes around them that stay."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

from ..errors import RedactionError
from ..files import FileFormat, FormatError
from ..known.data import KnownData, check_known

FREE_TEXT = 40
"""Characters from which on a string with a blank may be free text, in fields not made for it."""

RESULT = re.compile(
    r"[<>]?=?[0-9]{1,5}(?:[.,:][0-9]{1,4}|[/-][0-9]{1,3})?\+?(?: ?/[A-Za-z]+)?"
    r"|[^\W\d_]+(?: [a-z]+)?"
).fullmatch
"""A result where a field says that it is one: a number or range, or one or two words, but not two
that may be a name."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{60}")
_SWITCH = re.compile("[a-z](?=[A-Z0-9])|[0-9](?=[A-Za-z])")
_SWITCHES = 8  # of 60 characters; words and paths have fewer
_SHORT_WORD = re.compile("[A-Z][a-z]{1,2}(?=[A-Z0-9])")
_SHORT_WORDS = 2  # digests, and words with numbers between them, have fewer
_SIGN = re.compile("[+/_-]")
_SIGNS = 5  # lists of genes or antigens have more
_URL = re.compile(r'[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s"<>\\^`{|}]*')
_DATA_URL = re.compile(
    r"data:(?:[\w-]+/[^\s,]*|;[^\s,]*|[^,]{0,200};base64)?,", re.IGNORECASE
).match

_COMPACT_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")


@dataclass(frozen=True)
class Fields:
    """The names of columns or keys in records.

    text (tuple[str, ...]): The texts to redact.
    id (str): The note's id; it may be missing.
    patient (str): The patient's id; empty if there is none.
    types (tuple[tuple[str, str], ...]): Further columns to redact, whose whole values are PHI, each
        with its PHI type.
    structured (bool): Whether to redact the structured fields that hold PHI, in formats that have
        such, as HL7 and FHIR.
    known (bool): Whether the values of such fields and columns are known data for the texts of
        their record.
    RAISES (RedactionError): If a column to redact is named twice.
    """

    text: tuple[str, ...] = ("text",)
    id: str = "id"
    patient: str = ""
    types: tuple[tuple[str, str], ...] = ()
    structured: bool = False
    known: bool = False

    def __post_init__(self) -> None:
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise RedactionError(
                f"the column '{twice}' is to be redacted twice; name it once, or name other texts "
                "with `fields.text`"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns to redact."""
        return (*self.text, *(name for name, _ in self.types))

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that have to be there."""
        return (*self.names, self.patient) if self.patient else self.names

    def type_of(self, name: str) -> str:
        """The PHI type of a column; empty if it holds texts."""
        return "" if name in self.text else dict(self.types).get(name, "")

    def setting_of(self, name: str) -> str:
        """How messages name the setting of a column."""
        if name in self.text:
            return "`fields.text`"
        if self.type_of(name):
            return "`fields.types`"
        return "`fields.patient`" if name == self.patient else "`fields.id`"

    def row(self, number: int | str, name: str) -> str:
        """The place of a text: the number of its row, and its field if there are several."""
        return str(number) if (name,) == self.text else f"{number}/{name}"


@dataclass(frozen=True, kw_only=True)
class Record:
    """A text to redact."""

    text: str
    row: str = ""  # its place in the file; see `Fields.row`
    id: str = ""  # the note's id, if it has one
    patient_id: str = ""  # the patient's id, if the file has it
    error: str = ""  # why the text is withheld, if it cannot be read
    note: str = ""  # identifies its note in the chunk; needed if the chunk has several texts
    type: str = ""  # PHI type of the whole text, if it is the value of a structured field
    known: KnownData = field(default_factory=dict)  # known data from the fields of its record


def with_known(
    records: Iterable[Record],
    values: Iterable[tuple[str | None, str, str]],
    owner: Callable[[Record], str] = attrgetter("note"),
) -> tuple[Record, ...]:
    """Records whose texts are searched for known data.

    values (Iterable[tuple[str | None, str, str]]): Owners, None for all of them, each with a PHI
        type and a value; values that cannot be used, such as a date of unknown order, are left out.
    owner (Callable[[Record], str]): Whose values a text is searched for; those of its note unless
        given.
    """
    usable = cache(_usable)  # once for each value, of however many owners
    known: dict[str | None, dict[str, list[str]]] = {}
    for name, phi_type, given in dict.fromkeys(values):
        if value := usable(phi_type, given):
            known.setdefault(name, {}).setdefault(phi_type, []).append(value)
    common = known.pop(None, {})
    for own in known.values():
        for phi_type, those in common.items():  # not copied if possible: there may be thousands
            own[phi_type] = own[phi_type] + those if phi_type in own else those
    return tuple(
        each if each.type else replace(each, known=known.get(owner(each), common))
        for each in records
    )


def _usable(phi_type: str, value: str) -> str:
    """A value as known data; empty if it cannot be used."""
    if phi_type == "DATE" and (compact := _COMPACT_DATE.match(value)):
        value = "-".join(compact.groups())
    try:
        check_known({phi_type: value})
    except ValueError:  # also of the texts among them, which have no type
        return ""
    return value


def share_known(records: Sequence[Record]) -> tuple[Record, ...]:
    """Records of a table whose texts are searched for the structured data of their row."""
    return with_known(records, ((each.note, each.type, each.text) for each in records))


@dataclass(frozen=True)
class Chunk:
    """What is read and written at once: a file, a line, a row.

    render (Callable): From a new text for each record, None where it is withheld, to the new bytes
        of the chunk. May raise if they cannot hold a text, but not if all are withheld.
    pick (Callable | None): From notes to the chunk with only these; None if it cannot be divided.
    RAISES (FormatError): If one of several texts has no `note`: it would have other surrogates than
        the fields beside it.
    """

    records: tuple[Record, ...]  # its texts; none if it stays as it is
    render: Callable[[Sequence[str | None]], bytes]
    size: int  # approximate number of its bytes in the file
    kept: tuple[str, ...] = ()  # names of the columns or elements beside the texts
    pick: Callable[[Container[str]], Chunk] | None = None

    def __post_init__(self) -> None:
        if len(self.records) > 1 and not all(record.note for record in self.records):
            raise FormatError("its format does not say to which notes its texts belong")


def unchanged(data: bytes, kept: tuple[str, ...] = ()) -> Chunk:
    """A chunk without texts."""
    return Chunk((), lambda _: data, len(data), kept)


def unreadable(row: str, error: str, size: int, left: bytes = b"") -> Chunk:
    """A chunk that cannot be read, and what is left of it."""
    return Chunk((Record(text="", row=row, error=error),), lambda _: left, size)


@dataclass(frozen=True)
class RecordFormat(FileFormat):
    """A format of files that are redacted in place.

    single (bool): Whether a file holds one note, so that a withheld note has no file.
    read (Callable): The chunks of a file, in order. Raises FormatError where the rest cannot be
        read.
    finish (Callable): Makes the file at its second path from the one at the first, which holds all
        chunks.
    columns (Callable | None): The columns or keys at the beginning of a file, which is read until
        it has those asked for; None for a format without any.
    structured (bool): Whether its fields are PHI by definition: `Fields.structured` is for these.
    """

    single: bool
    read: Callable[[BinaryIO, Fields], Iterator[Chunk]]
    finish: Callable[[Path, Path], None] = os.replace
    columns: Callable[[BinaryIO, Collection[str]], list[str]] | None = None
    structured: bool = False

    @property
    def streams(self) -> bool:
        """Whether a file can be read and written as a stream."""
        return self.finish is os.replace


def holds_base64(text: str) -> bool:
    """Whether a text holds data in base64, outside of web addresses.

    That is 60 characters in a row in which small letters, capitals and digits take turns as in no
    words. Sequences of bases or amino acids, digests and long numbers have letters of one case, or
    no digits.
    """
    return _DATA_URL(text) is not None or any(
        any(map(str.isdigit, run))
        and len(_SWITCH.findall(run)) >= _SWITCHES
        and len(_SHORT_WORD.findall(run)) >= _SHORT_WORDS
        and len(_SIGN.findall(run)) <= _SIGNS
        for run in _BASE64.findall(_URL.sub(" ", text))
    )


def decode(data: bytes) -> tuple[str, str]:
    """Bytes as text, and the error if they are not text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "", "it is not valid UTF-8"
    if 3 * text.count("\0") > len(text):
        return "", "it is UTF-16 or UTF-32, and not UTF-8"
    return text, ""
