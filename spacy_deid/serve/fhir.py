"""FHIR's operation `$de-identify`: the free text of a resource, or of a Bundle of them, redacted.

It follows HL7's guide DARTS (1.0.0-ballot): `Parameters` with `identifiableData`, a Bundle, and
`policy` are answered by `Parameters` with `de-identifiedData`; `outcome` beside it lists what was
emptied and what stayed. A bare resource is answered by that resource. What is redacted is what
`spacy_deid.records.fhir` says. Not supported are files to fetch (`identifiableDataFileUrls`: a
client could let the server reach any address), and the guide's safe-harbor policy, which covers
structured elements, too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ..engine.search import Detections
from ..engine.work import InputText, whole_notes
from ..files import FormatError
from ..http.errors import FHIR_TYPE, RequestError, operation_outcome
from ..records import Chunk, Fields
from ..records.fhir import FHIR
from ..records.json_nodes import Node, parse
from ..redaction import Redactor
from .engine import Result, Work
from .routes import POLICIES
from .service import Service, service_of

router = APIRouter(prefix="/fhir", tags=["FHIR"])

_MOST_ISSUES = 1000
_MOST_TEXTS = 100_000
_PARAMETERS_DEPTH = 3  # of the resource in them, behind `parameter` and its item
_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {FHIR_TYPE: {"schema": {"type": "object"}}}}
}


class _Input(NamedTuple):
    """What a body holds."""

    resource: str  # as JSON
    policy: str | None
    wrapped: bool  # whether it came in Parameters


class _Asked(NamedTuple):
    """What a request asks for."""

    chunk: Chunk
    works: Sequence[Work]  # of the records without an error
    wrapped: bool


@router.post("/$de-identify", openapi_extra=_BODY, response_class=Response)
async def de_identify(request: Request, policy: str | None = None) -> Response:
    """Redact the free text of a FHIR resource (JSON), perhaps a Bundle; the rest stays as it is.

    The body is the resource, or Parameters with identifiableData and policy. Texts that fail are
    emptied; they are listed in `outcome` of Parameters, and counted in the header `X-Withheld`.
    """
    service = service_of(request)
    asked = await asyncio.to_thread(_prepare, await request.body(), policy, service)
    results = await service.run(request, asked.works)
    return await asyncio.to_thread(_answer, asked, results)


def _prepare(body: bytes, policy: str | None, service: Service) -> _Asked:
    """Find the texts of a body."""
    given = _read(body, policy)
    redactor = _redactor(service, given.policy)
    chunk = _chunk(given.resource)
    if len(chunk.records) > _MOST_TEXTS:
        raise RequestError(413, f"there are more than {_MOST_TEXTS:,} texts")
    return _Asked(chunk, _works(chunk, redactor), given.wrapped)


def _answer(asked: _Asked, results: Sequence[Result]) -> Response:
    chunk = asked.chunk
    found = iter(results)
    results = [
        Result(Detections(), error=record.error) if record.error else next(found)
        for record in chunk.records
    ]
    texts = [result.redacted.text if result.redacted else None for result in results]
    errors = [result.error for result in results]
    try:
        resource = chunk.render(texts).decode("utf-8")
    except UnicodeError:
        raise RequestError(422, "an attachment's charset cannot hold the redacted text") from None
    if asked.wrapped:
        outcome = json.dumps(operation_outcome(_issues(chunk, errors)))
        resource = (
            '{"resourceType": "Parameters", "parameter": ['
            f'{{"name": "de-identifiedData", "resource": {resource}}}, '
            f'{{"name": "outcome", "resource": {outcome}}}]}}'
        )
    withheld = sum(map(bool, errors))
    return Response(resource, media_type=FHIR_TYPE, headers={"X-Withheld": str(withheld)})


def _read(body: bytes, policy: str | None) -> _Input:
    """Find the resource and the policy in a body."""
    try:
        text = body.decode("utf-8-sig")
        if parse(text, depth=1).get("resourceType") != "Parameters":
            return _Input(text, policy, wrapped=False)
        root = parse(text, depth=_PARAMETERS_DEPTH)
    except UnicodeDecodeError:
        raise RequestError(400, "the body is not valid UTF-8") from None
    except ValueError as error:
        raise RequestError(400, f"the body is {error}") from None
    parameters: dict[str, Node] = {}
    for part in root.named("parameter"):
        for parameter in part.items:
            name = parameter.get("name")
            if name not in ("identifiableData", "policy"):
                raise RequestError(422, "only identifiableData and policy are supported")
            if name in parameters:
                raise RequestError(422, f"{name} is there twice")
            parameters[name] = parameter
    wrapper = parameters.get("identifiableData")
    data = wrapper.named("resource") if wrapper else []
    if len(data) != 1:
        raise RequestError(422, "identifiableData with a resource is missing")
    if "policy" in parameters:
        policy = parameters["policy"].get("valueString")
        if not isinstance(policy, str):
            raise RequestError(422, "policy has no valueString")
    return _Input(text[data[0].start : data[0].end], policy, wrapped=True)


def _chunk(resource: str) -> Chunk:
    try:
        (chunk,) = FHIR.read(BytesIO(resource.encode("utf-8")), Fields())
    except FormatError as error:
        raise RequestError(400, f"the resource cannot be read: {error}") from None
    return chunk


def _redactor(service: Service, policy: str | None) -> Redactor:
    if policy is not None and policy not in POLICIES:
        raise RequestError(
            422,
            "the policy is not supported: only free text is redacted, so policies for whole "
            f"resources are refused; choose one of {', '.join(POLICIES)}",
        )
    return Redactor(policy or service.settings.policy, service.settings.secret)


def _works(chunk: Chunk, redactor: Redactor) -> list[Work]:
    records = chunk.records
    return [
        Work(
            InputText(text=record.text, patient_id=record.patient_id, note=note),
            redactor=redactor,
        )
        for record, note in zip(records, whole_notes(records), strict=True)
        if not record.error
    ]


def _issues(chunk: Chunk, errors: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What was emptied and why, and what stayed."""
    withheld = [(row.row, error) for row, error in zip(chunk.records, errors, strict=True) if error]
    for place, error in withheld[:_MOST_ISSUES]:
        text = f"{place} was emptied: {error}"
        yield {"severity": "warning", "code": "suppressed", "diagnostics": text}
    if len(withheld) > _MOST_ISSUES:
        text = f"{len(withheld) - _MOST_ISSUES} more texts were emptied"
        yield {"severity": "warning", "code": "suppressed", "diagnostics": text}
    kept = f"Only free text was redacted; {', '.join(chunk.kept)} stayed and may hold identifiers"
    yield {"severity": "information", "code": "informational", "diagnostics": kept}
