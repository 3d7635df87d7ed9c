"""The manifest: what a run was and what became of each note, without any PHI.

`manifest.jsonl` in the output folder begins with a line about the run, ends with one about its end,
and has a line for each note between them, and one for each finished file behind those of its notes.
Names and ids of notes, and hashes of their texts, are keyed, so that no guess at them can be
confirmed without the key; a run without a key of the user's own has none. The same holds for the
hashes of inputs and of results in which more stands than redacted text.
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

    place (str): Where its result is, in the output folder; "#" and the row follow the file.
    name (str): What tells the note from all others of the inputs; it is hashed.
    outcome (Outcome): What became of it.
    key (Key | None): The user's key.
    RETURNS (dict[str, Any]): The line, to be written as JSON.
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
    """The line of a finished file.

    number (int): Number of the file, from 0.
    task (Task): The file.
    key (Key | None): The user's key.
    written (bool): Whether there is a result.
    RETURNS (dict[str, Any]): The line; its size is None, and its hash empty, if there is no result.
    RAISES (OSError): If the result cannot be read.
    """
    size = task.target.stat().st_size if written else None
    digest = result_hash(task, key) if written else ""
    return {"file": number + 1, "bytes": size, "hash": digest}


def result_hash(task: Task, key: Key | None) -> str:
    """A hash of a result: keyed, or plain if it holds nothing but redacted text; else empty."""
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
    size (int | None): How many bytes to read; by default all, but for half a line at the end.
    YIELDS (dict[str, Any]): The lines.
    RAISES (OSError, ValueError): If it cannot be read, or is none.
    """
    with path.open("rb") as file:
        for line in file:
            if size is not None:
                size -= len(line)
            if not line.endswith(b"\n") or (size is not None and size < 0):
                return
            yield json.loads(line)


def fingerprint(key: Key | None) -> str:
    """What tells keys apart and tells nothing about them; empty for no key."""
    return key.digest("fingerprint").hex()[:16] if key else ""


def hash_of(*values: str) -> str:
    """A plain hash of what is no secret."""
    return hashlib.sha256("\0".join(values).encode("utf-8", "surrogateescape")).hexdigest()
