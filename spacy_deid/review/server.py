"""The review server: the page, and the store behind it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from importlib.resources import files
from pathlib import PurePath

from fastapi import FastAPI
from fastapi.responses import Response

from ..serve.errors import HANDLERS, RequestError
from ..serve.guard import Guard
from ..serve.run import run_app
from ..serve.settings import ServeSettings, token_digest
from ..serve.usage import Metrics
from .results import Desk
from .routes import router

_MEDIA = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def create_review_app(desk: Desk, settings: ServeSettings) -> FastAPI:
    """Create the application, an ASGI app, for one reader."""
    app = FastAPI(
        title="spacy-deid review",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        exception_handlers=HANDLERS,
    )
    app.state.desk = desk
    app.include_router(router)
    _add_files(app)
    app.add_middleware(
        Guard,
        settings=settings,
        metrics=Metrics(),
        public=("/", "/static/"),
        content=_CONTENT,
    )
    return app


def _add_files(app: FastAPI) -> None:
    """Serve the files of the page, which are few and small, from memory."""
    static = files("spacy_deid.review") / "static"
    contents = {file.name: file.read_bytes() for file in static.iterdir()}

    @app.get("/")
    async def page() -> Response:
        return Response(contents["index.html"], media_type=_MEDIA[".html"])

    @app.get("/static/{name}")
    async def file(name: str) -> Response:
        if name not in contents:
            raise RequestError(404, "there is no such file")
        return Response(contents[name], media_type=_MEDIA[PurePath(name).suffix])


def run_review(desk: Desk, port: int, on_start: Callable[[str], None]) -> None:
    """Serve the page to a reader on this machine, until Ctrl-C.

    port (int): Port to listen on; 0 for any that is free.
    on_start (Callable[[str], None]): Called with the address, which holds the token.
    RAISES (RedactionError): If the server cannot start.
    """
    token = secrets.token_urlsafe(24)
    settings = ServeSettings(port=port, tokens={token_digest(token): desk.reader})
    app = create_review_app(desk, settings)
    # What follows "#" is never sent, so that no log and no other server gets the token.
    run_app(app, settings, lambda url: on_start(f"{url}/#{token}"))
