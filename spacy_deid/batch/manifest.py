"""The manifest: the settings of a run and the outcome of each note, without any PHI.

`manifest.jsonl` in the output folder has a line about the run, a line for each note, one for each
finished file after those of its notes, and a line about the end of the run. Names and ids of notes,
and hashes of their texts, are keyed, so that no guess can be confirmed without the key; without a
user's key they are left out. So are hashes of inputs, and of results that hold more than redacted
text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import open_regular
from ..redaction import Key
from .work import Outcome

if TYPE_CHECKING:
    from .plan import Task

MANIFEST = "manifest.jsonl"
"""Name of the manifest in the output folder."""


def note_line(place: str, name: str, outcome: Outcome, key: Key | None) -> dict[str, Any]:
    """The line of a note.

    place (str): Path of its result in the output folder; "#" and the row follow the file.
    name (str): Unique name of the note, which is hashed.
    outcome (Outcome): The outcome.
    key (Key | None): The user's key.
    """
    return {
        "output": place,
        "note": key.digest("note", name).hex() if key else "",
        "phi": dict(sorted(outcome.phi.items())),
        "sources": dict(sorted(outcome.sources.items())),
        "characters": len(outcome.text or ""),
        "input_hmac": outcome.input_hmac if key else "",
        "output_sha256": outcome.output_sha256,
        "error": outcome.error,
    }


def file_line(number: int, task: Task, key: Key | None, *, written: bool) -> dict[str, Any]:
    """The line of a finished file; its size is None, and its hash empty, if nothing was written.

    RAISES (OSError): If the result cannot be read.
    """
    size = task.target.stat().st_size if written else None
    digest = result_hash(task, key) if written else ""
    return {"file": number + 1, "bytes": size, "hash": digest}


def result_hash(task: Task, key: Key | None) -> str:
    """A hash of a result: keyed, or plain if it has only redacted text; else empty."""
    if key is None and not task.format.single:
        return ""
    digest = hashlib.sha256()
    with open_regular(task.target) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return key.digest("result", digest.hexdigest()).hex() if key else digest.hexdigest()


def dump(line: Mapping[str, Any]) -> bytes:
    """A line as JSON."""
    return json.dumps(line).encode("ascii") + b"\n"


def read_manifest(path: Path, size: int | None = None) -> Iterator[dict[str, Any]]:
    """The lines of a manifest.

    path (Path): The manifest.
    size (int | None): How many bytes to read; by default all but an incomplete last line.
    RAISES (OSError, ValueError): If it cannot be read, or is not a manifest.
    """
    with path.open("rb") as file:
        for line in file:
            if size is not None:
                size -= len(line)
            if not line.endswith(b"\n") or (size is not None and size < 0):
                return
            yield json.loads(line)


def fingerprint(key: Key | None) -> str:
    """A fingerprint that tells keys apart and reveals nothing; empty without a key."""
    return key.digest("fingerprint").hex()[:16] if key else ""


def hash_of(*values: str) -> str:
    """A plain hash of values that are not secret."""
    return hashlib.sha256("\0".join(values).encode("utf-8", "surrogateescape")).hexdigest()
