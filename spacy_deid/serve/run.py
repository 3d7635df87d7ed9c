"""The server process."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn
from spacy.language import Language

from .app import create_app
from .settings import ServeSettings


def run_server(nlp: Language, settings: ServeSettings, on_start: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; requests that were accepted are answered first.

    on_start (Callable[[str], None]): Called with the address when the server listens.
    RAISES (RedactionError): If it cannot start.
    """
    config = uvicorn.Config(
        create_app(nlp, settings),
        host=settings.host,
        port=settings.port,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.private_key,
        access_log=False,  # query strings may hold text
        log_level="warning",
        server_header=False,
        proxy_headers=settings.behind_proxy,
        timeout_graceful_shutdown=round(settings.timeout) + 1,
    )
    server = uvicorn.Server(config)
    scheme = "https" if settings.certificate else "http"
    on_start(f"Serving on {scheme}://{settings.host}:{settings.port}, until Ctrl-C")
    server.run()
