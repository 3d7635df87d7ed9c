"""The paths of Presidio's analyzer and anonymizer, for clients that were written for them.

Not supported are `ad_hoc_recognizers` and patterns in `allow_list` (a hostile regular expression
stops the server), the operators `encrypt` and `custom`, and MD5; all are refused. `context`,
`correlation_id` and `trace` have no effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from ..annotation.phi import CATEGORY
from ..annotation.presidio import ENTITIES, entity_among, entity_of
from ..engine.work import InputText
from ..http.bodies import JsonRoute
from ..http.errors import RequestError
from ..merger import UNKNOWN_ORIGIN, Origin, mergers_of
from .engine import Engine, Result, Work
from .operators import OPERATORS, AnalyzerResult, AnonymizedItem, Operator, WholeText, anonymize
from .routes import MOST_TEXTS
from .service import checked, service_of
from .settings import Types

router = APIRouter(tags=["Presidio"], route_class=JsonRoute)


class AnalyzeRequest(BaseModel):
    """Texts to analyze."""

    text: str | Annotated[list[str], Field(max_length=MOST_TEXTS)]
    language: str = Field(examples=["en"])
    entities: Annotated[list[str], Field(max_length=1000)] | None = Field(
        default=None, description="Types to report, in either kind of names; by default, all."
    )
    score_threshold: float | None = Field(default=None, ge=0, le=1)
    return_decision_process: bool | None = None
    allow_list: Annotated[list[str], Field(max_length=10_000)] | None = Field(
        default=None, description="Texts that are not PHI."
    )
    allow_list_match: Literal["exact"] | None = None
    ad_hoc_recognizers: list[Any] | None = Field(default=None, description="Refused.")


class AnalysisExplanation(BaseModel):
    """Why a text is PHI."""

    recognizer: str
    pattern_name: str | None = None
    pattern: str | None = None
    original_score: float
    score: float
    textual_explanation: str
    score_context_improvement: float = 0
    supportive_context_word: str = ""
    validation_result: float | None = None


class RecognizerResult(BaseModel):
    """A PHI span."""

    entity_type: str
    start: int
    end: int
    score: float
    analysis_explanation: AnalysisExplanation | None = None
    recognition_metadata: dict[str, str] = Field(
        description="`phi_type` is the type in our names, whatever `entity_type` is."
    )


class AnonymizeRequest(BaseModel):
    """A text, and the PHI in it to replace."""

    text: WholeText
    analyzer_results: Annotated[list[AnalyzerResult], Field(max_length=100_000, fail_fast=True)]
    anonymizers: dict[str, Operator] = Field(
        default={}, description="Operators by type; DEFAULT is that of all other types."
    )


class AnonymizedText(BaseModel):
    """The new text."""

    text: str
    items: list[AnonymizedItem]


@router.post("/analyze")
async def analyze(
    request: Request, body: AnalyzeRequest, types: Types | None = None
) -> list[RecognizerResult] | list[list[RecognizerResult]]:
    """Find the PHI of a text, or of each text of a list."""
    service = service_of(request)
    engine = service.engine
    _check_language(engine, body.language)
    if body.ad_hoc_recognizers:
        raise RequestError(422, "ad_hoc_recognizers are not supported: they could stop the server")
    names = _Names(types or service.settings.types, body.entities)
    threshold = body.score_threshold
    if threshold is not None and threshold >= engine.threshold:
        threshold = None  # only to filter: higher ones find nothing new
    texts = body.text if isinstance(body.text, list) else [body.text]
    works = [Work(InputText(text=text), threshold) for text in texts]
    results = await service.run(request, works)
    answers = [
        _results(text, checked(result), names, body)
        for text, result in zip(texts, results, strict=True)
    ]
    return answers if isinstance(body.text, list) else answers[0]


@router.post("/anonymize")
async def anonymize_text(request: Request, body: AnonymizeRequest) -> AnonymizedText:
    """Replace the PHI that `/analyze` found."""
    settings = service_of(request).settings
    if len(body.text) > settings.max_text:
        raise RequestError(413, "the text is too long")
    text, items = await asyncio.to_thread(
        anonymize,
        body.text,
        body.analyzer_results,
        body.anonymizers,
        settings.secret,
        settings.max_body,
    )
    request.state.usage.add(body.text, (), withheld=False)
    return AnonymizedText(text=text, items=items)


@router.get("/supportedentities")
async def supported_entities(
    request: Request, language: str = "en", types: Types | None = None
) -> list[str]:
    """The types that `/analyze` reports."""
    service = service_of(request)
    _check_language(service.engine, language)
    names = _Names(types or service.settings.types, None)
    return list(dict.fromkeys(filter(None, map(names.of, CATEGORY))))


@router.get("/recognizers")
async def recognizers(request: Request, language: str = "en") -> list[str]:
    """The detectors of the pipeline."""
    engine = service_of(request).engine
    _check_language(engine, language)
    mergers = mergers_of(engine.nlp).values()
    return list(dict.fromkeys(name for merger in mergers for name in merger.detectors))


@router.get("/anonymizers")
async def anonymizers() -> list[str]:
    """The operators of `/anonymize`."""
    return list(OPERATORS)


class _Names:
    """The names of types in an answer.

    types (Types): Whose names. A type without a counterpart in Presidio's keeps ours.
    entities (Sequence[str] | None): The types to report, in either kind of names; None for all.
    RAISES (RequestError): If there is no such type.
    """

    def __init__(self, types: Types, entities: Sequence[str] | None) -> None:
        self.types = types
        self.entities = entities
        for number, name in enumerate(entities or ()):
            if name not in ENTITIES:
                raise RequestError(
                    422,
                    f"entities.{number} is not detected; GET /supportedentities lists the types",
                )

    def of(self, phi_type: str) -> str | None:
        """The name of a PHI type; None if it is not to be reported."""
        if self.entities:
            return entity_among(phi_type, self.entities)
        return entity_of(phi_type) if self.types == "presidio" else phi_type


def _results(
    text: str, result: Result, names: _Names, body: AnalyzeRequest
) -> list[RecognizerResult]:
    allowed = frozenset(body.allow_list or ())
    results = []
    for span in result.found.spans:
        name = names.of(span.type)
        origin = result.found.origins.get(span.start, UNKNOWN_ORIGIN)
        if (
            name is None
            or origin.score < (body.score_threshold or 0)
            or text[span.start : span.end] in allowed
        ):
            continue
        results.append(
            RecognizerResult(
                entity_type=name,
                start=span.start,
                end=span.end,
                score=origin.score,
                analysis_explanation=_explain(origin) if body.return_decision_process else None,
                recognition_metadata={"recognizer_name": origin.rule, "phi_type": span.type},
            )
        )
    return results


def _explain(origin: Origin) -> AnalysisExplanation:
    return AnalysisExplanation(
        recognizer=origin.rule,
        pattern_name=origin.rule,
        original_score=origin.score,
        score=origin.score,
        textual_explanation=origin.explanation,
    )


def _check_language(engine: Engine, language: str) -> None:
    if language != engine.nlp.lang:
        raise RequestError(422, f"the language is not supported; there is '{engine.nlp.lang}'")
