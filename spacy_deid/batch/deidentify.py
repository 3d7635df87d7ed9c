"""De-identification of texts in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, overload

import spacy
from spacy.language import Language
from spacy.util import minibatch

from ..annotation.phi import normalize_type
from ..known.forms import forms_of
from ..merger import mergers_of
from ..redaction import AnyKey, Policy, Redacted, RedactionError, Redactor
from ..redaction.redacted import process_key
from .memory import keep_few_kernels
from .patients import add_known
from .search import KnownData
from .work import InputText, TextRedactor

_BATCH = 64
_ONE_AT_A_TIME = Lock()  # a pipeline frees the words of a batch when it is done


@overload
def deidentify(  # type: ignore[overload-overlap]  # a str is an iterable of str
    texts: str,
    policy: str | Policy = ...,
    *,
    model: str | Path | Language = ...,
    key: AnyKey | None = ...,
    known: KnownData | None = ...,
    patient_id: str = ...,
) -> Redacted: ...


@overload
def deidentify(
    texts: Iterable[str],
    policy: str | Policy = ...,
    *,
    model: str | Path | Language = ...,
    key: AnyKey | None = ...,
    known: KnownData | Iterable[KnownData] | None = ...,
    patient_id: str | Iterable[str] = ...,
) -> list[Redacted]: ...


def deidentify(
    texts: str | Iterable[str],
    policy: str | Policy = "tag",
    *,
    model: str | Path | Language = "en_deid",
    key: AnyKey | None = None,
    known: KnownData | Iterable[KnownData] | None = None,
    patient_id: str | Iterable[str] = "",
) -> Redacted | list[Redacted]:
    """Find and replace the PHI of texts of any length, as the command `redact` does.

    texts (str | Iterable[str]): A text, or several.
    policy (str | Policy): A style ("tag" writes "[PATIENT]"), a preset or a file; see
        `find_policy`.
    model (str | Path | Language): A pipeline with `phi_merger`, or its name or folder, which is
        loaded once.
    key (AnyKey | None): The secret for surrogates, at least 16 bytes; by default that of the
        environment variable `SPACY_DEID_KEY`, or else a random one per process.
    known (KnownData | Iterable[KnownData] | None): Known patient data, as in
        `{"PATIENT": ["Maria Lopez"], "DATE": ["1956-03-04"]}`, or those of each text.
    patient_id (str | Iterable[str]): The patient, or that of each text; surrogates are the same in
        all of a patient's texts. By default, each text has a patient of its own.
    RETURNS (Redacted | list[Redacted]): The redacted text and its replacements, for each text.
    RAISES (RedactionError): If a text cannot be searched, there is no such model or policy, or the
        key is too short.
    RAISES (ValueError): If known data name no PHI type, or a date is not year-month-day.
    """
    inputs = _inputs(texts, known or {}, patient_id)
    redactor = Redactor(policy, process_key() if key is None else key)
    nlp = model if isinstance(model, Language) else _load_once(str(model))
    if any(each.known for each in inputs):
        add_known(nlp)
    if not mergers_of(nlp):
        raise RedactionError("the pipeline cannot de-identify: it has no phi_merger")
    worker = TextRedactor(nlp, redactor, keep=True)
    results: list[Redacted] = []
    for batch in minibatch(inputs, _BATCH):
        with _ONE_AT_A_TIME:
            outcomes = worker.redact(batch)
        for outcome in outcomes:
            if outcome.redacted is None:
                where = "the text" if isinstance(texts, str) else f"text {len(results)}"
                raise RedactionError(f"{where} cannot be de-identified: {outcome.error}")
            results.append(outcome.redacted)
    return results[0] if isinstance(texts, str) else results


def load_pipeline(model: str) -> Language:
    """Load a model by its name or folder.

    RAISES (RedactionError): If there is no such model, or a package that it needs is missing.
    """
    try:
        return spacy.load(model)
    except ModuleNotFoundError as error:
        raise RedactionError(
            f"the model '{model}' needs {error.name}; what models need that were not exported is "
            "in the extra train (pip install 'spacy_deid[train]')"
        ) from error
    except OSError as error:
        raise RedactionError(
            f"the model '{model}' is not installed; install its wheel (pip install "
            f"{Path(model).name}-VERSION-py3-none-any.whl) or name the folder of a model"
        ) from error


@cache
def _load_once(model: str) -> Language:
    keep_few_kernels()
    return load_pipeline(model)


def _inputs(
    texts: str | Iterable[str],
    known: KnownData | Iterable[KnownData],
    patient_id: str | Iterable[str],
) -> list[InputText]:
    """The texts, each with its patient and known data."""
    if not isinstance(texts, Iterable) or isinstance(texts, (bytes, Mapping)):
        raise RedactionError(f"deidentify expects a text, or several, not {type(texts).__name__}")
    every: list[Any] = [texts] if isinstance(texts, str) else list(texts)
    for number, text in enumerate(every):
        if not isinstance(text, str):
            raise RedactionError(
                f"deidentify expects texts, but text {number} is {type(text).__name__}"
            )
    facts = _for_each(known, Mapping, len(every), "known")
    patients = _for_each(patient_id, str, len(every), "patient_id")
    for each in facts:
        _check_known(each)
    return [
        InputText(text, owner, data)
        for text, owner, data in zip(every, patients, facts, strict=True)
    ]


def _for_each(value: Any, single: type, number: int, name: str) -> list[Any]:
    """A value for each text: the same one for all, or those given."""
    values = [value] * number if isinstance(value, single) else value
    values = list(values) if isinstance(values, Iterable) else [values]
    if not all(isinstance(each, single) for each in values):
        kind = single.__name__.lower()
        raise RedactionError(f"{name} is neither a {kind} nor a list with a {kind} for each text")
    if len(values) != number:
        raise RedactionError(f"{name} has {len(values)} values for {number} texts")
    return values


def _check_known(known: KnownData) -> None:
    """Raise a ValueError where `phi_known` would, as a pipeline hides the message."""
    for name, values in known.items():
        phi_type = normalize_type(name)
        for value in [values] if isinstance(values, str) else values:
            forms_of(phi_type, str(value))
