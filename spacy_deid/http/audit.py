"""The audit log: who asked for what and when, with counts and without text.

Each line holds the hash of the line before it, so that a line that is changed, removed or inserted
breaks the chain. Lines cut off at the end leave no trace in the file: keep the last hash elsewhere.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, suppress
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from ..lock import Locked, locked
from ..redaction import RedactionError

_FIRST = "0" * 64
"""The hash before the first line."""


class AuditLog:
    """Appends to an audit log, under a lock against other servers.

    path (Path): The file; only its owner may read it.
    RAISES (RedactionError): If the log was changed, is in use, or has no folder.
    RAISES (OSError): If it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise RedactionError(f"there is no folder {path.parent} for the audit log")
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(path.with_name(f"{path.name}.lock")))
            except Locked:
                raise RedactionError(f"another server writes to the audit log {path}") from None
            _, self.last = check_audit_log(path) if path.exists() else (0, _FIRST)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            self._file = os.open(path, flags, 0o600)
            stack.callback(os.close, self._file)
            self._stack = stack.pop_all()
        self._lock = Lock()
        self._works = True

    def write(self, **entry: Any) -> None:
        """Append a line with its time, or nothing.

        RAISES (OSError): If it cannot be written.
        """
        with self._lock:
            self._works = False
            time = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
            entry = {"time": time, **entry}
            last = _digest(self.last, entry)
            self._append(json.dumps({**entry, "hash": last}).encode("ascii") + b"\n")
            self.last = last
            self._works = True

    def is_ready(self) -> bool:
        """Whether lines can be written; after one that could not, a line on that is tried."""
        if not self._works:
            with suppress(OSError):
                self.write(event="the log could not be written until now; requests got 503")
        return self._works

    def _append(self, line: bytes) -> None:
        size = os.fstat(self._file).st_size
        try:
            while line:  # a part of it may be written before the system says why not the rest
                line = line[os.write(self._file, line) :]
        except OSError:
            os.ftruncate(self._file, size)  # or the next line would continue this one
            raise

    def close(self) -> None:
        """Close the file, and release the lock."""
        self._stack.close()


def check_audit_log(path: Path) -> tuple[int, str]:
    """Check the chain of an audit log.

    RETURNS (tuple[int, str]): Number of lines, and the hash of the last.
    RAISES (RedactionError): If a line was changed, removed, inserted or cut.
    """
    number, last = 0, _FIRST
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                intact = line.endswith(b"\n") and entry.pop("hash") == _digest(last, entry)
            except (ValueError, AttributeError, TypeError, KeyError):
                intact = False
            if not intact:
                raise RedactionError(
                    f"the audit log {path} is broken at line {number}: that line or the one "
                    "before it was changed, or one between them is missing"
                )
            last = _digest(last, entry)
    return number, last


def _digest(last: str, entry: dict[str, Any]) -> str:
    return sha256(f"{last}{json.dumps(entry, sort_keys=True)}".encode("ascii")).hexdigest()
