"""The first line of a manifest: everything the result of a run depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

import spacy
from spacy.language import Language

from ..about import __version__
from ..merger import mergers_of
from ..redaction import Key, Policy, RedactionError
from ..redaction.surrogates import SCHEME
from ..tagger.pipe import PhiTagger
from .manifest import fingerprint, hash_of
from .plan import Task
from .settings import Run

_TIME = "started"
_KEYED = ("known", "inputs")


def describe_run(run: Run, inputs: str) -> dict[str, Any]:
    """What the manifest says of a run, without PHI; `inputs` is from `describe_inputs`."""
    settings, policy, fields = run.settings, run.settings.loaded_policy, run.settings.fields
    return {
        _TIME: datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "spacy_deid": __version__,
        "spacy": spacy.__version__,
        "model": _describe_model(run.nlp),
        "policy": {
            "name": policy.name,
            "default": policy.default,
            "types": dict(sorted(policy.types.items())),
        },
        "surrogate_scheme": _describe_scheme(policy) if policy.draws else None,
        "key": fingerprint(run.key),
        "fields": {"text": list(fields.text), "id": fields.id, "patient": fields.patient},
        "patients": settings.patients.patient_from,
        "known": settings.patients.fingerprint(run.key),
        "limit": settings.limit,
        "inputs": {"files": len(run.tasks), "hmac": inputs if run.key else ""},
        "originals": settings.keep_originals is not None,
    }


def describe_inputs(tasks: Sequence[Task], key: Key | None) -> str:
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
    return key.digest("inputs", *lines).hex() if key else hash_of(*lines)


def other_inputs() -> RedactionError:
    """The error of a run that is resumed with other inputs."""
    return _other("inputs")


def check_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Check that a run may go on where another one ended.

    RAISES (RedactionError): If they differ in anything but their time.
    """
    names = [name for name in now if name != _TIME and before.get(name) != now[name]]
    if "key" in names:  # then what is keyed differs in any case
        names = [name for name in names if name not in _KEYED]
    if names:
        raise _other(*names)


def _other(*names: str) -> RedactionError:
    return RedactionError(
        "the run cannot be resumed, as it differs from the one before in its "
        f"{' and '.join(names)}; start over with force=True, or in another folder"
    )


def _describe_model(nlp: Language) -> dict[str, Any]:
    return {
        "name": f"{nlp.meta['lang']}_{nlp.meta['name']}",
        "version": nlp.meta["version"],
        "config_sha256": hash_of(nlp.config.to_str()),
        "thresholds": [
            {"all": merger.threshold, **dict(sorted(merger.type_thresholds.items()))}
            for merger in mergers_of(nlp).values()
        ],
        "bfloat16": any(
            isinstance(pipe, PhiTagger) and pipe.uses_bfloat16 for _, pipe in nlp.pipeline
        ),
    }


def _describe_scheme(policy: Policy) -> dict[str, Any]:
    return {"version": SCHEME, "date_shift": asdict(policy.date_shift)}
