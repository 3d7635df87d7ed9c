"""Re-identification: an encrypted file of the originals and their replacements.

Each line is a note: the path of its redacted note in the clear; its patient, its id and every
replacement encrypted with the user's key. Keep the file apart from the notes and from the key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import RedactionError
from .encryption import EncryptionError, LineCipher, may_begin, place_of
from .key import KEY_VARIABLE, AnyKey, Key, as_key
from .redacted import Redacted


class Original(NamedTuple):
    """An original and its replacement."""

    type: str  # PHI type
    original: str  # the text in the note
    surrogate: str  # its replacement
    start: int  # first character in the note
    end: int  # one past the last
    new_start: int  # the same in the redacted text
    new_end: int


@dataclass(frozen=True)
class Identity:
    """The originals of a redacted note."""

    place: str  # path of the redacted note, as in the manifest
    patient_id: str  # the patient's id; empty if unknown
    note_id: str  # the note's id
    originals: tuple[Original, ...]  # the replacements, in the order of the text


class OriginalsFile:
    """Writes the re-identification file of a run, a line for each note; see `open`."""

    def __init__(self, file: BinaryIO, cipher: LineCipher) -> None:
        self._file = file
        self._cipher = cipher

    @staticmethod
    def check(path: Path, key: AnyKey | None) -> None:
        """Check that a re-identification file can be written, without creating it.

        RAISES (RedactionError): If there is no key, no folder to write it to, or the package
            cryptography is missing.
        """
        with _naming(path):
            LineCipher(_require(key))
            if not path.absolute().parent.is_dir():
                raise EncryptionError("cannot be opened: there is no such folder")

    @classmethod
    def open(cls, path: Path, key: AnyKey | None) -> OriginalsFile:
        """Append to a re-identification file, or create one that only its owner can read.

        An incomplete last line, as after a crash, is dropped.

        RAISES (RedactionError): If the key is missing or wrong, the file is of another kind or
            cannot be opened, or the package cryptography is missing.
        """
        key = _require(key)
        with _naming(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            file = os.fdopen(descriptor, "r+b")
            try:
                cipher = _continue(file, key)
                if os.name == "posix":
                    os.fchmod(descriptor, 0o600)
                return cls(file, cipher)
            except BaseException:
                with suppress(OSError):  # report the first error
                    file.close()
                raise

    def __enter__(self) -> OriginalsFile:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file, even on a full disk; only `close` guarantees that it is complete."""
        with suppress(OSError):
            self._file.close()

    def append(
        self, place: str, patient_id: str, note_id: str, text: str, redacted: Redacted
    ) -> None:
        """Add a note with its original text; it replaces an earlier one with the same place."""
        originals = [
            Original(phi_type, text[slice(*old)], surrogate, *old, *new)
            for old, new, phi_type, surrogate in redacted.replacements
        ]
        self._file.write(self._cipher.encrypt(place, json.dumps([patient_id, note_id, originals])))
        self._file.flush()

    def close(self) -> None:
        """Flush the file to disk."""
        with self._file:
            os.fsync(self._file.fileno())


def salt_of(path: Path) -> str:
    """The salt of a re-identification file, which no other has; empty if it is no such file."""
    try:
        with path.open("rb") as file:
            return str(json.loads(file.readline())["salt"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def read_originals(path: Path, key: AnyKey | None) -> Iterator[Identity]:
    """Read the notes of a re-identification file, each place once.

    RAISES (RedactionError): If the key is missing or wrong, the file is damaged or of another kind,
        or the package cryptography is missing.
    """
    key = _require(key)
    with _naming(path), path.open("rb") as file:
        return _identities(path, LineCipher.of_file(key, file.readline()))


def _identities(path: Path, cipher: LineCipher) -> Iterator[Identity]:
    with path.open("rb") as file:
        for place, (number, offset) in _last_lines(file, path).items():
            file.seek(offset)
            with _naming(path, number):
                content = cipher.decrypt(file.readline())
            patient_id, note_id, originals = json.loads(content)
            yield Identity(place, patient_id, note_id, tuple(Original(*row) for row in originals))


def _last_lines(file: BinaryIO, path: Path) -> dict[str, tuple[int, int]]:
    """The number and offset of the last complete line of each place."""
    lines: dict[str, tuple[int, int]] = {}
    offset = len(file.readline())
    for number, line in enumerate(file, 2):
        if line.endswith(b"\n"):
            with _naming(path, number):
                lines[place_of(line)] = (number, offset)
        offset += len(line)
    return lines


def to_rows(identity: Identity) -> Iterator[dict[str, Any]]:
    """A row for each replacement of a note, or one blank row if there is none."""
    note = asdict(identity)
    del note["originals"]
    for original in identity.originals or (("",) * len(Original._fields),):
        yield note | dict(zip(Original._fields, original, strict=True))


def _require(key: AnyKey | None) -> Key:
    if key is None:
        raise RedactionError(
            "re-identification needs a key of your own: give it with `key_file=`, or set "
            f"{KEY_VARIABLE}"
        )
    return as_key(key)


@contextmanager
def _naming(path: Path, line: int = 0) -> Iterator[None]:
    """Name the file and line in errors."""
    where = f"the re-identification file {path}{f', line {line}' if line else ''}"
    try:
        yield
    except OSError as error:
        raise RedactionError(f"{where} cannot be opened: {error.strerror}") from error
    except EncryptionError as error:
        raise RedactionError(f"{where} {error}") from None


def _continue(file: BinaryIO, key: Key) -> LineCipher:
    """The cipher of a file, positioned after its last complete line."""
    header = file.readline()
    if header.endswith(b"\n"):
        cipher = LineCipher.of_file(key, header)
        file.seek(len(header) + sum(len(line) for line in file if line.endswith(b"\n")))
        file.truncate()
        return cipher
    if not may_begin(header):
        raise EncryptionError("exists and is another file")
    cipher = LineCipher(key)
    file.seek(0)
    file.truncate()
    file.write(cipher.header)
    file.flush()
    return cipher
