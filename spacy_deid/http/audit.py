"""The audit log: who asked for what and when, with counts and without text.

Each line holds the hash of the line before it, so that a line that is changed, removed or inserted
breaks the chain. Lines cut off at the end leave no trace in the file: keep the last hash elsewhere.

A log that is renamed goes on in a new file, whose first line names the last hash before it.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import ExitStack, suppress
from datetime import datetime, timezone
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from ..errors import RedactionError
from ..lock import Locked, locked

_FIRST = "0" * 64
"""The hash before the first line."""

_LOG = logging.getLogger("spacy_deid.serve")


class AuditChain(NamedTuple):
    """A chain of lines that is intact.

    lines (int): Their number.
    before (str): The last hash of the file before; 64 zeros if the log begins here.
    last (str): The hash of the last line.
    """

    lines: int = 0
    before: str = _FIRST
    last: str = _FIRST

    @property
    def begins(self) -> bool:
        """Whether there was no file before."""
        return self.before == _FIRST


class AuditLog:
    """Appends to an audit log, under a lock against other servers.

    path (Path): The file; only its owner may read it.
    RAISES (RedactionError): If the log was changed, is in use, or has no folder.
    RAISES (OSError): If it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise RedactionError(f"there is no folder {path.parent} for the audit log")
        self.path = path
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(path.with_name(f"{path.name}.lock")))
            except Locked:
                raise RedactionError(f"another server writes to the audit log {path}") from None
            try:
                self.last = check_audit_log(path).last if path.exists() else _FIRST
            except RedactionError as error:
                hint = "rename it, and the server begins a new one"
                raise RedactionError(f"{error}; {hint}") from None
            self._file = _open(path)
            stack.callback(lambda: os.close(self._file))
            self._size = os.fstat(self._file).st_size
            self._stack = stack.pop_all()
        self._lock = Lock()
        self._works = True

    def write(self, **entry: Any) -> None:
        """Append a line with its time, or nothing.

        RAISES (OSError): If it cannot be written.
        """
        with self._lock:
            time = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
            try:
                self._follow()
                goes_on = not self._size and self.last != _FIRST
                entry = {"time": time, **({"previous": self.last} if goes_on else {}), **entry}
                last = _digest(self.last, entry)
                self._append(_encode(entry, last))
            except OSError as error:
                self._works = False
                _LOG.error("the audit log cannot be written (%s)", error.strerror or error)
                raise
            self.last = last
            self._works = True

    def is_ready(self) -> bool:
        """Whether lines can be written; after one that could not, a line on that is tried."""
        if not self._works:
            with suppress(OSError):
                self.write(event="a line could not be written before this one")
        return self._works

    def _follow(self) -> None:
        """Go on in a new file if the log was renamed or deleted.

        RAISES (OSError): If another program wrote to the file or cut it.
        """
        try:
            moved = not os.path.samestat(os.lstat(self.path), os.fstat(self._file))
        except FileNotFoundError:
            moved = True
        if moved:
            old, self._file = self._file, _open(self.path)
            os.close(old)
            self._size = 0
            _LOG.warning("the audit log was renamed or deleted; it goes on in a new file")
        if os.fstat(self._file).st_size != self._size:
            raise OSError("another program wrote to it or cut it; rename it to go on in a new file")

    def _append(self, line: bytes) -> None:
        rest = line
        try:
            while rest:  # a part of it may be written before the system says why not the rest
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, self._size)  # or the next line would continue this one
            raise
        self._size += len(line)

    def close(self) -> None:
        """Close the file, and release the lock."""
        self._stack.close()


def _open(path: Path) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def check_audit_log(*paths: Path) -> AuditChain:
    """Check the chain of an audit log, or of its files in order.

    RAISES (RedactionError): If a line was changed, removed, inserted or cut, or a file does not go
        on where the one before it ends.
    """
    parts = [(path, part) for path in paths if (part := _check_file(path)).lines]
    for (one, before), (other, after) in pairwise(parts):
        if after.before != before.last:
            raise RedactionError(f"the audit log {other} does not go on where {one} ends")
    chains = [part for _, part in parts] or [AuditChain()]
    lines = sum(part.lines for part in chains)
    return AuditChain(lines, chains[0].before, chains[-1].last)


def _check_file(path: Path) -> AuditChain:
    number, before, last = 0, _FIRST, _FIRST
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                digest = entry.pop("hash")
                if number == 1:
                    before = last = entry.get("previous", _FIRST)
                intact = digest == _digest(last, entry) and line == _encode(entry, digest)
            except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
                intact = False
            if not intact:
                raise RedactionError(
                    f"the audit log {path} is broken at line {number}: that line or the one "
                    "before it was changed, or one between them is missing"
                )
            last = digest
    return AuditChain(number, before, last)


def _encode(entry: dict[str, Any], digest: str) -> bytes:
    """The one form of a line; JSON has several for the same content."""
    return json.dumps({**entry, "hash": digest}).encode("ascii") + b"\n"


def _digest(last: str, entry: dict[str, Any]) -> str:
    return sha256(f"{last}{json.dumps(entry, sort_keys=True)}".encode("ascii")).hexdigest()
