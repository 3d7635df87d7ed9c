"""The output of `redact` as a system: its tags, aligned with the texts of the gold notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import CATEGORY
from ..batch import MANIFEST, read_manifest
from ..batch.texts import read_texts
from ..corpora.io import raise_problem
from ..records import Fields

_TAG = re.compile(rf"\[({'|'.join(CATEGORY)})\]")


def is_redacted(folder: Path) -> bool:
    """Whether a path is an output folder of `redact`."""
    return (folder / MANIFEST).is_file()


def read_redacted(folder: Path, gold: Iterable[Note]) -> list[Note]:
    """The gold notes with the PHI that a run of `redact` replaced by tags.

    folder (Path): The output folder of the run.
    RAISES (ValueError): If another policy was used, or a note is not a redacted gold note.
    """
    run = _read_run(folder)
    fields = Fields(tuple(run["fields"]["text"]), run["fields"]["id"])
    texts = {note.id: note.text for note in gold}
    notes = []
    for note, _ in read_texts(folder, fields=fields, on_problem=raise_problem):
        if note.id in texts:
            spans = align_tags(texts[note.id], note.text)
            if spans is None:
                raise ValueError(f"note '{note.id}' in {folder} is no redaction of the gold note")
            notes.append(Note(note.id, texts[note.id], spans))
    return notes


def align_tags(text: str, redacted: str) -> tuple[PhiSpan, ...] | None:
    """The spans of a text that stand as "[TYPE]" in its redaction; None if it is not one.

    Tags that only blanks or marks separate may share their tokens in another way than the system.
    """
    first, *parts = _TAG.split(redacted)
    if not text.startswith(first):
        return None
    spans = []
    at = len(first)
    for number, (phi_type, between) in enumerate(zip(parts[::2], parts[1::2], strict=True), 1):
        last = 2 * number == len(parts)
        end = len(text) - len(between) if last else text.find(between, at + 1)
        if end <= at or not text.startswith(between, end):
            return None
        spans.append(PhiSpan(at, end, phi_type))
        at = end + len(between)
    return tuple(spans) if at == len(text) else None


def _read_run(folder: Path) -> Mapping[str, Any]:
    """The first line of a manifest, if it says that tags were written."""
    try:
        (line,) = islice(read_manifest(folder / MANIFEST), 1)
        run: Mapping[str, Any] = line["run"]
        policy = run["policy"]
        styles = {policy["default"], *policy["types"].values()}
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{folder / MANIFEST} is not a manifest of spacy-deid") from None
    if not styles <= {"tag", "keep"}:
        raise ValueError(
            f"{folder} was redacted with the policy '{policy['name']}'; only tags can be scored: "
            "redact the notes with policy='tag'"
        )
    return run
