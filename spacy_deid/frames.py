"""Redaction of pandas data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from spacy.language import Language

from .annotation.phi import CATEGORY
from .engine.batches import batches
from .engine.pool import Pool
from .engine.work import InputText, Outcome
from .ids import patient_of
from .merger import require_mergers
from .records.columns import missing_column
from .redaction import AnyKey, Policy, RedactionError, Redactor, find_key, random_key

_MISSING = "it is missing"


def redact_frame(
    frame: pd.DataFrame,
    nlp: Language,
    *,
    text: str = "text",
    id: str | None = None,
    patient: str | None = None,
    policy: str | Policy = "tag",
    key: AnyKey | None = None,
    n_process: int = 1,
    counts: bool = False,
) -> pd.DataFrame:
    """Redact a column of notes. All other columns are left unchanged, with any PHI they contain.

    frame (pd.DataFrame): One row per note.
    nlp (Language): A pipeline with `phi_merger`.
    text (str): The column of notes. A missing note stays missing.
    id (str | None): The column used to report notes that fail; by default, the index.
    patient (str | None): The column of patient ids; notes of one patient share surrogates.
    policy (str | Policy): A style, a preset or a file; see `find_policy`.
    key (AnyKey | None): The secret key for surrogates; by default the user's, or else a new one.
    n_process (int): Number of processes.
    counts (bool): Whether to add a column "phi_DATE", … with the count in each note for each PHI
        type found.
    RETURNS (pd.DataFrame): A new frame. A note that fails becomes a missing value and is listed in
        `attrs["withheld"]` as a pair of its id, as text if it is no int, and the reason.
    RAISES (RedactionError): If a column is missing or ambiguous, a column of counts is there
        already, the pipeline has no `phi_merger`, or the policy does not exist.
    """
    settings = {patient: "`patient=`", id: "`id=`", text: "`text=`"}
    asked = [name for name in settings if name is not None]
    if problem := missing_column(list(frame.columns), asked, settings.get):
        raise RedactionError(f"the frame {problem}")
    taken = [f"phi_{phi_type}" for phi_type in CATEGORY if f"phi_{phi_type}" in frame.columns]
    if counts and taken:
        raise RedactionError(
            f"the frame has a column '{taken[0]}' already: is it redacted? If not, rename it"
        )
    require_mergers(nlp, "de-identification")
    redactor = Redactor(policy, (find_key() or random_key()) if key is None else key)
    with Pool(nlp, redactor, n_process) as pool:
        inputs = batches(_texts(frame, text, patient), lambda each: len(each.text))
        outcomes = [outcome for batch in pool.redact(inputs) for outcome in batch]
    result = frame.copy()
    result[text] = _column(frame[text], outcomes)
    if counts:
        for phi_type in CATEGORY:
            if any(phi_type in outcome.phi for outcome in outcomes):
                found = [pd.NA if each.error else each.phi.get(phi_type, 0) for each in outcomes]
                result[f"phi_{phi_type}"] = pd.Series(found, frame.index, dtype="Int64")
    names = frame.index if id is None else frame[id]
    result.attrs["withheld"] = [
        (name if isinstance(name, (str, int)) else str(name), outcome.error)
        for name, outcome in zip(names, outcomes, strict=True)
        if outcome.error not in ("", _MISSING)
    ]
    return result


def _texts(frame: pd.DataFrame, text: str, patient: str | None) -> list[InputText]:
    patients = frame[patient] if patient is not None else [""] * len(frame)
    return [_input(value, owner) for value, owner in zip(frame[text], patients, strict=True)]


def _input(value: Any, owner: Any) -> InputText:
    if not isinstance(value, str):
        return InputText(text="", error=_MISSING if pd.isna(value) is True else "it is not text")
    patient, error = patient_of(owner)
    return InputText(text="" if error else value, patient_id=patient, error=error)


def _column(before: pd.Series[Any], outcomes: Sequence[Outcome]) -> pd.Series[Any]:
    """The redacted texts, with the string dtype of the original column if it has one."""
    dtype = before.dtype if isinstance(before.dtype, pd.StringDtype) else object
    return pd.Series([outcome.text for outcome in outcomes], before.index, dtype=dtype)
