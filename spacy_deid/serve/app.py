"""The application: routes, probes, and the guard before them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from spacy.language import Language

from .. import __version__
from ..http.audit import AuditLog
from ..http.errors import HANDLERS, ErrorBody
from ..http.guard import Guard
from ..http.run import run_app
from ..http.usage import Metrics
from ..pages import render_page
from . import annotation, fhir, job_routes, presidio, routes
from .engine import Engine
from .jobs import Jobs
from .service import Service, service_of
from .settings import ServeSettings

_own = APIRouter(tags=["Server"])


def create_app(nlp: Language, settings: ServeSettings) -> FastAPI:
    """Create the application, an ASGI app, which runs `nlp` while it is up.

    nlp (Language): A pipeline with `phi_merger`; nothing else may use it.
    settings (ServeSettings): The settings.
    RAISES (RedactionError): If the pipeline cannot de-identify, the audit log is broken, or the
        folder of jobs is in use.
    """
    metrics = Metrics()
    audit = AuditLog(settings.audit_log) if settings.audit_log else None
    jobs = Jobs(nlp, settings, metrics, audit) if settings.jobs else None
    service = Service(Engine(nlp), settings, metrics, jobs, audit)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.engine.start()
        if jobs:
            jobs.start()
        yield
        if jobs:
            jobs.close()
        service.engine.close(settings.timeout)
        if audit:
            audit.close()

    app = FastAPI(
        title="spacy-deid",
        description="Finds and removes protected health information (PHI) in clinical notes.",
        version=__version__,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # a redirection quotes the query
        lifespan=lifespan,
        exception_handlers=HANDLERS,
        responses={
            "4XX": {"model": ErrorBody, "description": "The request is refused."},
            "5XX": {"model": ErrorBody, "description": "The server is busy, or failed."},
        },
    )
    app.state.service = service
    for router in (
        routes.router,
        job_routes.router,
        fhir.router,
        presidio.router,
        annotation.router,
        _own,
    ):
        app.include_router(router)
    app.add_middleware(Guard, settings=settings, metrics=metrics, audit=audit)
    return app


def run_server(nlp: Language, settings: ServeSettings, on_start: Callable[[str], None]) -> None:
    """Serve a pipeline until SIGTERM or SIGINT; requests that were accepted are answered first.

    on_start (Callable[[str], None]): Called with a message when the server listens.
    RAISES (RedactionError): If it cannot start.
    """
    app = create_app(nlp, settings)
    run_app(app, settings, lambda url: on_start(f"Serving on {url}, until Ctrl-C"))


@_own.get("/livez", response_class=PlainTextResponse)
async def live() -> str:
    """Whether the process answers."""
    return "ok"


@_own.get("/readyz", response_class=PlainTextResponse)
async def ready(request: Request) -> Response:
    """Whether work is done.

    503 while the model is stuck on a text or the audit log cannot be written, and when jobs stand
    still.
    """
    service = service_of(request)
    is_ready = (
        service.engine.is_ready(service.settings.timeout)
        and (service.jobs is None or service.jobs.is_ready())
        and (service.audit is None or service.audit.is_ready())
    )
    return PlainTextResponse("ok" if is_ready else "not ready", 200 if is_ready else 503)


@_own.get("/health", response_class=PlainTextResponse)
async def health() -> str:
    """The probe of Presidio's clients."""
    return "spacy-deid service is up"


@_own.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Counts and latencies for Prometheus."""
    return Response(service_of(request).metrics.render(), media_type=CONTENT_TYPE_LATEST)


@_own.get("/docs", response_class=HTMLResponse, include_in_schema=False)
async def docs(request: Request) -> str:
    """The API on a page that needs no network."""
    return render_page("api", title="spacy-deid serve", api=request.app.openapi())
