"""Errors of requests: one sentence for the client that never quotes what was sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

FHIR_TYPE = "application/fhir+json"

_FHIR_CODES = {
    400: "structure",
    401: "login",
    404: "not-found",
    405: "not-supported",
    408: "timeout",
    413: "too-long",
    415: "not-supported",
    422: "processing",
    503: "transient",
}
"""Codes of FHIR's issue types, by HTTP status."""


class ErrorBody(BaseModel):
    """The body of a refusal."""

    error: str


class RequestError(Exception):
    """Why a request is refused.

    status (int): HTTP status.
    message (str): One sentence that quotes nothing of the request.
    retry_after (int): Seconds after which it may be sent again; 0 if that is no use.
    """

    def __init__(self, status: int, message: str, *, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after

    def response(self, path: str) -> JSONResponse:
        """The answer to the client of a path: on those of FHIR, an OperationOutcome."""
        headers = {"Retry-After": str(self.retry_after)} if self.retry_after else {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if not path.startswith("/fhir/"):
            return JSONResponse({"error": self.message}, self.status, headers)
        code = _FHIR_CODES.get(self.status, "exception")
        outcome = operation_outcome(
            [{"severity": "error", "code": code, "diagnostics": self.message}]
        )
        return JSONResponse(outcome, self.status, headers, media_type=FHIR_TYPE)


def operation_outcome(issues: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """FHIR's resource for what went wrong, and warnings."""
    return {"resourceType": "OperationOutcome", "issue": [*issues]}


def busy(message: str) -> RequestError:
    """The error of a server that has no time now."""
    return RequestError(503, message, retry_after=1)


def describe(errors: Iterable[Mapping[str, Any]], names: Iterable[str]) -> str:
    """What is wrong with a body, without its content.

    errors (Iterable): The errors of pydantic.
    names (Iterable[str]): Names of known fields; others in a place may be a client's text.
    """
    known = frozenset(names)
    error = max(errors, key=_precision)
    *place, last = error["loc"]
    if error["type"] == "json_invalid":
        return f"the body is not JSON, from character {last} on"
    shown = ".".join(str(part) for part in (*place, last) if isinstance(part, int) or part in known)
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{shown or 'the request'}: {message[:1].lower()}{message[1:]}"


def _precision(error: Mapping[str, Any]) -> tuple[int, bool]:
    """How much an error says, as those of a union are about all of its types.

    The deepest one says most, and of several, one that is not only about the type.
    """
    return len(error["loc"]), not error["type"].endswith("_type")


async def _on_request_error(request: Request, error: Any) -> JSONResponse:
    response: JSONResponse = error.response(request.url.path)
    return response


async def _on_http_error(request: Request, error: Any) -> JSONResponse:
    response = RequestError(error.status_code, str(error.detail)).response(request.url.path)
    response.headers.update(error.headers or {})
    return response


async def _on_invalid(request: Request, error: Any) -> JSONResponse:
    """FastAPI's own answer quotes the input."""
    path = request.url.path
    if isinstance(error.body, bytes):  # it was not read as JSON
        message = "the request needs the header Content-Type: application/json"
        return RequestError(422, message).response(path)
    api = request.app.openapi()
    names = {"body", "query"}
    for schema in api["components"]["schemas"].values():
        names.update(schema.get("properties", ()))
    for methods in api["paths"].values():
        for operation in methods.values():
            names.update(each["name"] for each in operation.get("parameters", ()))
    return RequestError(422, describe(error.errors(), names)).response(path)


HANDLERS: dict[Any, Any] = {
    RequestError: _on_request_error,
    RequestValidationError: _on_invalid,
    HTTPException: _on_http_error,
}
"""The error handlers of an application."""
