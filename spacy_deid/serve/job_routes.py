"""`/v1/jobs`: files in the formats of `spacy-deid redact`, for which there is no waiting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Receive, Scope, Send

from ..http.errors import RequestError
from ..http.guard import PATH_SEND, UPLOADS
from ..records import RECORD_FORMATS
from ..redaction import find_policy
from .jobs import Job, Jobs
from .routes import PolicyName
from .service import service_of

router = APIRouter(prefix=UPLOADS, tags=["Jobs"])

_FILE: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_UPLOAD = {"requestBody": {"required": True, "content": {"application/octet-stream": _FILE}}}
_DOWNLOAD: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": _FILE}}}
_Name = Annotated[str, Field(max_length=200)]
_JobId = Annotated[str, PathParameter(pattern="^[0-9a-f]{32}$", alias="job")]


class JobRequest(BaseModel):
    """How to redact a file."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[tuple(RECORD_FORMATS)] = Field(description="Format of the file.")  # type: ignore[valid-type]
    policy: PolicyName = Field(
        default=None, description="A style or a policy; by default, that of the server."
    )
    text_column: Annotated[list[_Name], Field(min_length=1, max_length=100)] = Field(
        default=["text"], description="Columns or keys of the texts."
    )
    id_column: _Name = Field(default="id", description="Column or key of the note's id.")
    patient_column: _Name = Field(default="", description="Column or key of the patient's id.")


class WithheldNote(BaseModel):
    """A note that is withheld."""

    row: str = Field(description="Where it is in the file.")
    error: str = Field(description="Why it is withheld.")


class JobState(BaseModel):
    """What became of a job."""

    id: str
    state: Literal["waiting", "running", "done", "failed"]
    error: str = Field(description="Why it failed; empty if it did not.")
    created: str = Field(description="When it was accepted.")
    format: str
    notes: int = Field(description="Notes that were redacted.")
    withheld: int = Field(description="Notes that are withheld.")
    phi: dict[str, int] = Field(description="PHI replaced, by type.")
    failures: list[WithheldNote] = Field(description="The first of those that are withheld.")
    kept: list[str] = Field(description="Columns and elements that stayed; they may hold PHI.")


@router.post("", status_code=202, response_model=JobState, openapi_extra=_UPLOAD)
async def add_job(
    request: Request, response: Response, asked: Annotated[JobRequest, Query()]
) -> Job:
    """Redact a file, the body; the answer comes as soon as it is stored.

    The job continues after a restart of the server.
    """
    settings = service_of(request).settings
    jobs = _jobs(request)
    policy = find_policy(asked.policy or settings.policy)
    if policy.draws and settings.key is None:
        raise RequestError(
            422, "jobs with surrogates need a key of the server, to continue after a restart"
        )
    about = {**asked.model_dump(), "policy": asked.policy or ""}
    about["text_column"] = tuple(asked.text_column)
    job = Job(**about, owner=request.state.who)
    request.state.usage.job = job.id
    await jobs.add(job, request.stream(), lambda: request.state.record(202))
    response.headers["Location"] = f"{UPLOADS}/{job.id}"
    return job


@router.get("/{job}", response_model=JobState)
async def get_job(request: Request, job: _JobId) -> Job:
    """The state of a job."""
    return _find(request, job)


@router.get("/{job}/result", response_class=Response, responses=_DOWNLOAD)
async def get_result(request: Request, job: _JobId) -> Response:
    """The redacted file of a job that is done."""
    done = _find_done(request, job)
    path = _jobs(request).result(done)
    if not path.exists():
        raise RequestError(422, f"the note is withheld: {done.failures[0]['error']}")
    return _FileResponse(path)


@router.get("/{job}/manifest", response_class=Response, responses=_DOWNLOAD)
async def get_manifest(request: Request, job: _JobId) -> Response:
    """The manifest of a job that is done: the outcome of each note, without PHI."""
    return _FileResponse(_jobs(request).manifest(_find_done(request, job)))


@router.delete("/{job}", status_code=204, response_class=Response)
async def delete_job(request: Request, job: _JobId) -> Response:
    """Delete a job and its files; it is stopped if it is not done."""
    found = _find(request, job)
    request.state.record(204)
    _jobs(request).remove(found.id)
    return Response(status_code=204)


def _jobs(request: Request) -> Jobs:
    jobs = service_of(request).jobs
    if jobs is None:
        raise RequestError(404, "the server has no jobs; start it with --jobs FOLDER")
    return jobs


def _find(request: Request, job_id: str) -> Job:
    """A job of the client."""
    request.state.usage.job = job_id
    job = _jobs(request).get(job_id)
    if job is None or job.owner != request.state.who:
        raise RequestError(404, "there is no such job")
    return job


def _find_done(request: Request, job_id: str) -> Job:
    job = _find(request, job_id)
    if job.state != "done":
        raise RequestError(409, f"the job is not done, but {job.state}")
    return job


class _FileResponse(Response):
    """A file of any size, which the guard sends when the request is in the audit log."""

    def __init__(self, path: Path) -> None:
        super().__init__(media_type="application/octet-stream")
        self.path = path
        self.headers["Content-Length"] = str(path.stat().st_size)
        self.headers["Content-Disposition"] = f'attachment; filename="{path.name}"'

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await send({"type": PATH_SEND, "path": str(self.path)})
