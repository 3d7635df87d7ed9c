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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

from .. import __version__
from ..custom.pipe import terms_of
from ..engine.work import Outcome
from ..files import open_regular
from ..merger import mergers_of
from ..redaction import Key, RedactionError
from ..redaction.reidentify import salt_of
from ..redaction.surrogates import SCHEME
from ..tagger.buckets import uses_gpu
from ..tagger.pipe import PhiTagger
from .reader import Task
from .settings import RunSettings

_TIME = "started"
_KEYED = ("known", "terms", "inputs")


def run_line(
    nlp: Language, settings: RunSettings, tasks: Sequence[Task], inputs: str, originals: Path | None
) -> dict[str, Any]:
    """What the first line says: everything that the result of a run depends on.

    inputs (str): The digest of the inputs; see `input_digest`.
    originals (Path | None): The re-identification file, if there is one.
    """
    policy, fields, key = settings.loaded_policy, settings.fields, settings.user_key
    scheme = {"version": SCHEME, "date_shift": asdict(policy.date_shift)}
    return {
        _TIME: datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "spacy_deid": __version__,
        "spacy": spacy.__version__,
        "model": _describe_model(nlp),
        "policy": {
            "name": policy.name,
            "default": policy.default,
            "types": dict(sorted(policy.types.items())),
        },
        "surrogate_scheme": scheme if policy.draws else None,
        "key": key.digest("fingerprint").hex()[:16] if key else "",
        "fields": {**asdict(fields), "text": list(fields.text), "types": dict(fields.types)},
        "patients": settings.patients.patient_from,
        "known": settings.patients.fingerprint(key),
        "terms": _describe_terms(nlp, key),
        "sample": None if settings.sample is None else [settings.sample, settings.seed],
        "limit": settings.limit,
        "inputs": {"files": len(tasks), "hmac": inputs if key else ""},
        "originals": salt_of(originals) if originals else None,
    }


def _describe_model(nlp: Language) -> dict[str, Any]:
    taggers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, PhiTagger)]
    return {
        "name": f"{nlp.meta['lang']}_{nlp.meta['name']}",
        "version": nlp.meta["version"],
        "config_sha256": _plain_hash(nlp.config.to_str()),
        "thresholds": [
            {"all": merger.threshold, **dict(sorted(merger.type_thresholds.items()))}
            for merger in mergers_of(nlp).values()
        ],
        "bfloat16": any(tagger.uses_bfloat16 for tagger in taggers),
        "gpu": any(uses_gpu(tagger.model) for tagger in taggers),
    }


def _describe_terms(nlp: Language, key: Key | None) -> str:
    """A keyed fingerprint of the terms that the pipeline was given; without a key, their number."""
    terms = [term for each in terms_of(nlp) for term in each]
    if key is None or not terms:
        return str(len(terms)) if terms else ""
    return key.digest("terms", json.dumps([astuple(term) for term in terms])).hex()[:16]


def input_digest(tasks: Sequence[Task], key: Key | None) -> str:
    """A keyed digest of the names, sizes and times of the files of a run.

    Without a key it would confirm a guess at a name, so it goes only to the checkpoint of a run
    under way, never to the manifest.
    """
    lines = []
    for task in tasks:
        try:
            status = task.source.stat()
            state = f"{status.st_size} {status.st_mtime_ns}"
        except OSError:
            state = "unreadable"
        lines.append(f"{task.place} {task.format.name} {state}")
    return key.digest("inputs", *lines).hex() if key else _plain_hash(*lines)


def _plain_hash(*values: str) -> str:
    return hashlib.sha256("\0".join(values).encode("utf-8", "surrogateescape")).hexdigest()


def check_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Check that a run may go on where another one ended, by their lines.

    RAISES (RedactionError): If they differ in anything but their time.
    """
    names = [name for name in now if name != _TIME and before.get(name) != now[name]]
    if "key" in names:  # then what is keyed differs in any case
        names = [name for name in names if name not in _KEYED]
    if names:
        raise not_the_same(*names)


def not_the_same(*names: str) -> RedactionError:
    """The error of a run that is resumed with other settings, model or inputs."""
    return RedactionError(
        "the run cannot be resumed, as it differs from the one before in its "
        f"{' and '.join(names)}; start over with `force=True`, or in another folder"
    )


def note_line(
    place: str, name: str, outcome: Outcome, key: Key | None, *, field: str = ""
) -> dict[str, Any]:
    """The line of a note, or of a structured field.

    place (str): Path of its result in the output folder; "#" and the row follow the file.
    name (str): Unique name of the note, which is hashed with the user's key.
    field (str): PHI type of a structured field.
    """
    return {
        **({"field": field} if field else {}),
        "output": place,
        "note": key.digest("note", name).hex() if key else "",
        "phi": dict(sorted(outcome.phi.items())),
        "sources": dict(sorted(outcome.sources.items())),
        "terms": dict(sorted(outcome.terms.items())),
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


def read_manifest(path: str | Path, size: int | None = None) -> Iterator[dict[str, Any]]:
    """The lines of a manifest.

    size (int | None): How many bytes to read; by default all but an incomplete last line.
    RAISES (OSError, ValueError): If it cannot be read, or is not a manifest.
    """
    with open(path, "rb") as file:
        for line in file:
            if size is not None:
                size -= len(line)
            if not line.endswith(b"\n") or (size is not None and size < 0):
                return
            yield json.loads(line)
