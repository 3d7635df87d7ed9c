"""The way back, for those allowed to hold one: an encrypted file of what was replaced by what.

It has a line for each note: its place among the results in the clear, and sealed with the user's
key its patient, its id and every replacement. Keep it apart from the notes, and from the key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import RedactionError
from .key import KEY_VARIABLE, Key
from .redacted import Redacted
from .sealing import Seal, SealError, may_begin, place_of


class Original(NamedTuple):
    """One replacement, undone.

    type (str): PHI type.
    original (str): What stood in the note.
    surrogate (str): What stands in its place.
    start, end (int): First character and one past the last, in the note.
    new_start, new_end (int): The same of the replacement, in the redacted text.
    """

    type: str
    original: str
    surrogate: str
    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True)
class Identity:
    """What a redacted note was made from.

    place (str): Where the redacted note is, as in the manifest.
    patient_id (str): Whose note it is; empty where that was not known.
    note_id (str): The note's own id.
    originals (tuple[Original, ...]): What was replaced, in the order of the text.
    """

    place: str
    patient_id: str
    note_id: str
    originals: tuple[Original, ...]


class OriginalsFile:
    """Writes the re-identification file of a run, a line for each note."""

    def __init__(self, file: BinaryIO, seal: Seal) -> None:
        """Create the writer of an open file; see `open`.

        file (BinaryIO): The file, at its end.
        seal (Seal): Seals its lines.
        """
        self._file = file
        self._seal = seal

    @staticmethod
    def check(path: Path, key: Key | None) -> None:
        """Check that a re-identification file can be written, without a trace.

        RAISES (RedactionError): If there is no key, no folder to write it to, or the package
            cryptography is missing.
        """
        with _about(path):
            Seal.of_new_file(_require(key))
            if not path.absolute().parent.is_dir():
                raise SealError("cannot be opened: there is no such folder")

    @classmethod
    def open(cls, path: Path, key: Key | None) -> OriginalsFile:
        """Open a re-identification file, to be continued where it ends, or begin it.

        A half line at its end, as a killed run leaves one, is dropped. The file can be read by its
        owner alone.

        path (Path): The file.
        key (Key | None): The user's key; a random one would be lost with the run.
        RETURNS (OriginalsFile): The writer.
        RAISES (RedactionError): If there is no key or it is not the file's, the file is none of
            this kind or cannot be opened, or the package cryptography is missing.
        """
        key = _require(key)
        with _about(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            file = os.fdopen(descriptor, "r+b")
            try:
                seal = _continue(file, key)
                if os.name == "posix":
                    os.fchmod(descriptor, 0o600)
                return cls(file, seal)
            except BaseException:
                with suppress(OSError):  # what failed first is what is told
                    file.close()
                raise

    def __enter__(self) -> OriginalsFile:
        return self

    def __exit__(self, *_: object) -> None:
        """Let the file go, even on a full disk; `close` is what ends it well."""
        with suppress(OSError):
            self._file.close()

    def append(
        self, place: str, patient_id: str, note_id: str, text: str, redacted: Redacted
    ) -> None:
        """Add a note; what is added later for the same place takes the place of it.

        place (str): Where the redacted note is.
        patient_id (str): Whose note it is; empty where that is not known.
        note_id (str): The note's own id.
        text (str): Its text before redaction.
        redacted (Redacted): What became of it.
        """
        originals = [
            Original(phi_type, text[slice(*old)], surrogate, *old, *new)
            for old, new, phi_type, surrogate in redacted.replacements
        ]
        self._file.write(self._seal.seal(place, json.dumps([patient_id, note_id, originals])))
        self._file.flush()

    def close(self) -> None:
        """Bring the file safely to disk."""
        with self._file:
            os.fsync(self._file.fileno())


def read_originals(path: Path, key: Key | None) -> Iterator[Identity]:
    """Read a re-identification file.

    path (Path): The file.
    key (Key | None): The key of the run that wrote it.
    RETURNS (Iterator[Identity]): The notes, each place once.
    RAISES (RedactionError): If the key is missing or wrong, the file is damaged or none of this
        kind, or the package cryptography is missing.
    """
    key = _require(key)
    with _about(path), path.open("rb") as file:
        return _identities(path, Seal.of_file(key, file.readline()))


def _identities(path: Path, seal: Seal) -> Iterator[Identity]:
    with path.open("rb") as file:
        for place, number, offset in _last_lines(file, path):
            with _about(path, number):
                file.seek(offset)
                content = seal.open(file.readline())
            patient_id, note_id, originals = json.loads(content)
            yield Identity(place, patient_id, note_id, tuple(Original(*row) for row in originals))


def to_rows(identity: Identity) -> Iterator[dict[str, Any]]:
    """A flat row for each replacement of a note; a note without any has one with blanks."""
    note = asdict(identity)
    del note["originals"]
    for original in identity.originals or (("",) * len(Original._fields),):
        yield note | dict(zip(Original._fields, original, strict=True))


def _require(key: Key | None) -> Key:
    if key is None:
        raise RedactionError(
            f"re-identification needs a key of your own: name a key file, or set {KEY_VARIABLE}"
        )
    return key


@contextmanager
def _about(path: Path, line: int = 0) -> Iterator[None]:
    """Say which file, and which line of it, an error is about."""
    where = f"the re-identification file {path}{f', line {line}' if line else ''}"
    try:
        yield
    except OSError as error:
        raise RedactionError(f"{where} cannot be opened: {error.strerror}") from error
    except SealError as error:
        raise RedactionError(f"{where} {error}") from None


def _continue(file: BinaryIO, key: Key) -> Seal:
    """The seal of a file, which is left open behind its last whole line."""
    header = file.readline()
    if header.endswith(b"\n"):
        seal = Seal.of_file(key, header)
        end = len(header) + sum(len(line) for line in file if line.endswith(b"\n"))
        file.seek(end)
        file.truncate()
        return seal
    if not may_begin(header):
        raise SealError("is there already and is something else")
    seal = Seal.of_new_file(key)
    file.seek(0)
    file.truncate()
    file.write(seal.header)
    file.flush()
    return seal


def _last_lines(file: BinaryIO, path: Path) -> Iterator[tuple[str, int, int]]:
    """Each place with the number and the offset of its last whole line."""
    lines: dict[str, tuple[int, int]] = {}
    offset = len(file.readline())
    for number, line in enumerate(file, 2):
        if line.endswith(b"\n"):
            with _about(path, number):
                lines[place_of(line)] = (number, offset)
        offset += len(line)
    for place, (number, offset) in lines.items():
        yield place, number, offset
