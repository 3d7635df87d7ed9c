"""Our own paths: `/v1/redact` and `/v1/find`, each for a note or a list of notes."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from ..engine.work import InputText
from ..http.bodies import JsonRoute
from ..known.data import check_known
from ..redaction import PRESETS, STYLES, Redactor
from .engine import Result, Work
from .service import checked, service_of

MOST_TEXTS = 10_000
"""Texts in one request."""

router = APIRouter(prefix="/v1", tags=["Notes"], route_class=JsonRoute)

POLICIES = (*STYLES, *PRESETS)
"""What a request may name."""


def _check_policy(policy: str | None) -> str | None:
    if policy is not None and policy not in POLICIES:  # never a file of the server
        raise ValueError(f"unknown policy; choose one of {', '.join(POLICIES)}")
    return policy


PolicyName = Annotated[
    str | None,
    AfterValidator(_check_policy),
    Field(json_schema_extra={"enum": [*POLICIES, None]}),
]
"""The policy of a request; None for that of the server."""

_FEW = Field(max_length=MOST_TEXTS, fail_fast=True)  # one error is told: more are not looked for
_Value = Annotated[str, Field(min_length=1, max_length=200)]


class NoteToSearch(BaseModel):
    """A note to search."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="The note.")
    known_phi: dict[str, Annotated[list[_Value], Field(max_length=100, fail_fast=True)]] = Field(
        default={},
        max_length=50,
        description="Known patient data: PHI types, each with its values. Dates: 1956-03-04.",
        examples=[{"PATIENT": ["Orville T. Whitacre"], "DATE": ["1985-02-03"]}],
    )
    threshold: float | None = Field(
        default=None, ge=0, lt=1, description="Minimum confidence; lower finds more."
    )

    @field_validator("known_phi")
    @classmethod
    def _check_known(cls, known: dict[str, list[str]]) -> dict[str, list[str]]:
        check_known(known)
        return known


class NoteToRedact(NoteToSearch):
    """A note to redact."""

    patient_id: str = Field(
        default="",
        max_length=200,
        description="The patient: surrogates are the same in all notes of a patient.",
    )
    policy: PolicyName = Field(
        default=None, description="A style or a policy; by default, that of the server."
    )


class ReplacementOut(BaseModel):
    """One replacement."""

    old: tuple[int, int] = Field(description="Start and end (exclusive) in the note.")
    new: tuple[int, int] = Field(description="The same in the redacted text.")
    type: str = Field(description="PHI type.")
    text: str = Field(description="The replacement.")


class RedactedNote(BaseModel):
    """A redacted note."""

    text: str | None = Field(description="The redacted text; null if the note is withheld.")
    replacements: list[ReplacementOut] = []
    counts: dict[str, int] = Field(default={}, description="Number of PHI replaced, by type.")
    error: str | None = Field(default=None, description="Why the note is withheld.")


class FoundSpan(BaseModel):
    """A PHI span."""

    start: int = Field(description="First character.")
    end: int = Field(description="One past the last character.")
    type: str = Field(description="PHI type.")
    score: float | None = Field(description="Confidence, from 0 to 1.")
    sources: list[str] = Field(description="The detectors that agree.")


class SearchedNote(BaseModel):
    """The PHI of a note."""

    phi: list[FoundSpan] | None = Field(description="The PHI; null if the note is withheld.")
    error: str | None = Field(default=None, description="Why the note is withheld.")


@router.post("/redact")
async def redact_notes(
    request: Request,
    body: NoteToRedact | Annotated[list[NoteToRedact], _FEW],
) -> RedactedNote | list[RedactedNote]:
    """Replace the PHI of a note, or of a list of notes.

    Of a list, notes that fail are withheld, each with its error; one note that fails is a 422.
    """
    service = service_of(request)
    settings = service.settings
    redactors: dict[str | None, Redactor] = {}
    works = []
    for note in body if isinstance(body, list) else [body]:
        if note.policy not in redactors:
            redactors[note.policy] = Redactor(note.policy or settings.policy, settings.secret)
        text = InputText(text=note.text, patient_id=note.patient_id, known=note.known_phi)
        works.append(Work(text, note.threshold, redactors[note.policy]))
    results = await service.run(request, works)
    return [*map(_redacted, results)] if isinstance(body, list) else _redacted(checked(results[0]))


@router.post("/find")
async def find_phi(
    request: Request,
    body: NoteToSearch | Annotated[list[NoteToSearch], _FEW],
) -> SearchedNote | list[SearchedNote]:
    """Find the PHI of a note, or of a list of notes; failures are as in `/v1/redact`."""
    notes = body if isinstance(body, list) else [body]
    works = [
        Work(InputText(text=note.text, known=note.known_phi), note.threshold) for note in notes
    ]
    results = await service_of(request).run(request, works)
    return [*map(_searched, results)] if isinstance(body, list) else _searched(checked(results[0]))


def _redacted(result: Result) -> RedactedNote:
    if result.redacted is None:
        return RedactedNote(text=None, error=result.error)
    replacements = result.redacted.replacements
    return RedactedNote(
        text=result.redacted.text,
        replacements=[ReplacementOut(**each._asdict()) for each in replacements],
        counts=Counter(each.type for each in replacements),
    )


def _searched(result: Result) -> SearchedNote:
    if result.error:
        return SearchedNote(phi=None, error=result.error)
    origins = result.found.origins
    phi = [
        FoundSpan(
            start=span.start,
            end=span.end,
            type=span.type,
            score=origin.score if (origin := origins.get(span.start)) else None,
            sources=list(origin.sources) if origin else [],
        )
        for span in result.found.spans
    ]
    return SearchedNote(phi=phi)
