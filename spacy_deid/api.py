"""De-identification of texts in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, overload

from spacy.language import Language

from .annotation.candidates import UntrainedDetector
from .custom.pipe import AnyTerms, custom_detector
from .engine.batches import batches
from .engine.loading import ONE_AT_A_TIME, load_once
from .engine.work import InputText, TextRedactor
from .ids import id_text
from .known.data import KnownData, check_known
from .known.pipe import PhiKnown
from .merger import require_mergers, using_detectors
from .redaction import AnyKey, Policy, Redacted, RedactionError, Redactor, Withheld
from .redaction.redacted import process_key


@overload
def deidentify(  # type: ignore[overload-overlap]  # a str is an iterable of str
    texts: str,
    policy: str | Policy = ...,
    *,
    model: str | Path | Language = ...,
    key: AnyKey | None = ...,
    known: KnownData | None = ...,
    patient_id: str = ...,
    terms: AnyTerms | None = ...,
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
    terms: AnyTerms | None = ...,
) -> list[Redacted | Withheld]: ...


def deidentify(
    texts: str | Iterable[str],
    policy: str | Policy = "tag",
    *,
    model: str | Path | Language = "en_deid",
    key: AnyKey | None = None,
    known: KnownData | Iterable[KnownData] | None = None,
    patient_id: str | Iterable[str] = "",
    terms: AnyTerms | None = None,
) -> Redacted | list[Redacted | Withheld]:
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
    terms (AnyTerms | None): The user's terms, always or never PHI: a CSV file, or what
        `spacy_deid.custom.read_terms` returns; by default, those of the pipeline.
    RETURNS (Redacted | list[Redacted | Withheld]): The redacted text and its replacements. In a
        list, a text that fails stops no other: its `text` is None, and its `error` says why.
    RAISES (RedactionError): If the only text fails, there is no such model or policy, or the key is
        too short.
    RAISES (ValueError): If known data name no PHI type, a date is not year-month-day, or the
        terms cannot be read.
    """
    inputs = _inputs(texts, known or {}, patient_id)
    redactor = Redactor(policy, process_key() if key is None else key)
    with ONE_AT_A_TIME:
        nlp = model if isinstance(model, Language) else load_once(str(model))
        require_mergers(nlp, "de-identification")
        detectors = _more_detectors(nlp, inputs, terms)
    worker = TextRedactor(nlp, redactor, keep=True, exclusive=not isinstance(model, Language))
    results: list[Redacted | Withheld] = []
    for batch in batches(inputs, lambda each: len(each.text)):
        with ONE_AT_A_TIME, using_detectors(detectors):
            outcomes = worker.redact(batch)
        results += (outcome.redacted or Withheld(outcome.error) for outcome in outcomes)
    if not isinstance(texts, str):
        return results
    (result,) = results
    if isinstance(result, Withheld):
        raise RedactionError(f"the text cannot be de-identified: {result.error}")
    return result


def _more_detectors(
    nlp: Language, inputs: Iterable[InputText], terms: AnyTerms | None
) -> list[UntrainedDetector]:
    """What a call needs beside its pipeline, which other threads may use."""
    detectors: list[UntrainedDetector] = [] if terms is None else [custom_detector(nlp, terms)]
    knows = any(isinstance(pipe, PhiKnown) for _, pipe in nlp.pipeline)
    if not knows and any(each.known for each in inputs):
        detectors.append(PhiKnown())
    return detectors


def _inputs(
    texts: str | Iterable[str],
    known: KnownData | Iterable[KnownData],
    patient_id: str | Iterable[str],
) -> list[InputText]:
    """The texts, each with its patient and known data."""
    is_table = hasattr(texts, "columns")  # iterating a data frame gives the names of its columns
    if not isinstance(texts, Iterable) or isinstance(texts, (bytes, Mapping)) or is_table:
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
        check_known(each)
    return [
        InputText(text=text, patient_id=id_text(owner), known=data)
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
