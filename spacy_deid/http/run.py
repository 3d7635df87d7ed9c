"""The process of a server."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from ..redaction import RedactionError
from .settings import HttpSettings

_KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than proxies use it, mostly 60."""


def run_app(app: ASGIApp, settings: HttpSettings, on_start: Callable[[str], None]) -> None:
    """Serve an application until SIGTERM or SIGINT; requests that were accepted are answered first.

    on_start (Callable[[str], None]): Called with the address when the server listens.
    RAISES (RedactionError): If it cannot start.
    """
    with _listen(settings.host, settings.port) as listener:
        config = uvicorn.Config(
            app,
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.private_key,
            access_log=False,  # query strings may hold text
            log_level="warning",
            server_header=False,
            proxy_headers=settings.behind_proxy,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=round(settings.timeout) + 1,
        )
        try:
            config.load()
        except ssl.SSLError as error:
            raise RedactionError(
                "the TLS files are not a certificate and its key in PEM"
            ) from error
        scheme = "https" if settings.certificate else "http"
        on_start(f"{scheme}://{settings.host}:{listener.getsockname()[1]}")
        uvicorn.Server(config).run([listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
        # asyncio does this for its own sockets only; connections inherit it. Without it, the body
        # of an answer waits 40 ms for the client to acknowledge the headers.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise RedactionError(f"cannot listen on {host}, port {port}: {error.strerror}") from error
