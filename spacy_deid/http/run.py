"""The process of a server."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import RedactionError
from .settings import HttpSettings

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

_KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than proxies use it, mostly 60."""

_HEAD = 20
"""Seconds in which the head of a request has to come."""

_CONNECTIONS = 4
"""Open connections for each request that may be answered at the same time."""

_LEAST_CONNECTIONS = 256
"""Open connections however few that are: idle ones of clients, and those of probes."""

_OTHER_KEY = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")
"""What OpenSSL says of a key that is not that of the certificate."""


def run_app(app: ASGIApp, settings: HttpSettings, on_start: Callable[[str], None]) -> None:
    """Serve an application until SIGTERM or SIGINT; requests that were accepted are answered first.

    on_start (Callable[[str], None]): Called with the address when the server listens.
    RAISES (RedactionError): If it cannot start.
    """
    if settings.certificate and settings.private_key:
        _check_tls(settings.certificate, settings.private_key)
    with _listen(settings) as listener:
        config = uvicorn.Config(
            app,
            loop="asyncio",  # uvloop never calls `_Listener.accept`
            http=_Connection,
            ws="none",
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.private_key,
            access_log=False,  # query strings may hold text
            log_level="warning",
            server_header=False,
            proxy_headers=settings.behind_proxy,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=round(settings.timeout) + 1,
        )
        scheme = "https" if settings.certificate else "http"
        on_start(f"{scheme}://{settings.host}:{listener.getsockname()[1]}")
        uvicorn.Server(config).run([listener])


def _check_tls(certificate: Path, key: Path) -> None:
    """Say which file is wrong, before OpenSSL asks the terminal for a passphrase."""

    def refuse() -> str:
        raise RedactionError(
            f"the private key {key} has a passphrase, which is not supported: remove it, as with "
            f"openssl pkey -in {key} -out NEW"
        )

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    wrong = f"the TLS file {certificate} is not a certificate in PEM"
    try:
        context.load_verify_locations(certificate)
        wrong = f"the TLS file {key} is not a private key in PEM"
        context.load_cert_chain(certificate, key, refuse)
    except ssl.SSLError as error:
        if error.reason in _OTHER_KEY:
            wrong = f"the private key {key} is not that of the certificate {certificate}"
        elif error.library == "SSL" and error.reason not in (None, "PEM_LIB"):  # as it is weak
            wrong = f"the certificate {certificate} cannot be used: {error.reason}"
        raise RedactionError(wrong) from error
    except OSError as error:
        raise RedactionError(f"a TLS file cannot be read: {error.strerror}") from error


class _Connection(H11Protocol):
    """A connection that is closed if the head of a request does not come in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(_HEAD, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Listener(socket.socket):
    """A socket that closes connections beyond a number as soon as they come."""

    most: int
    accepted: list[socket.socket]

    def accept(self) -> tuple[socket.socket, Any]:
        connection, address = super().accept()
        if len(self.accepted) >= self.most:
            self.accepted = [each for each in self.accepted if each.fileno() >= 0]
        if len(self.accepted) >= self.most:
            connection.close()
            raise ConnectionAbortedError  # asyncio takes it for a client that has left
        self.accepted.append(connection)
        return connection, address


def _listen(settings: HttpSettings) -> _Listener:
    host, port = settings.host, settings.port
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        created = socket.create_server(address[:2], family=family, backlog=2048)
        listener = _Listener(fileno=created.detach())
        wanted = max(_CONNECTIONS * settings.max_requests, _LEAST_CONNECTIONS)
        listener.most = min(wanted, _most_files() // 2)
        listener.accepted = []
        # asyncio does this for its own sockets only; connections inherit it. Without it, the body
        # of an answer waits 40 ms for the client to acknowledge the headers.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise RedactionError(f"cannot listen on {host}, port {port}: {error.strerror}") from error


def _most_files() -> int:
    """How many files, connections among them, this process may have open."""
    if resource is None:
        return 1024
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if most == resource.RLIM_INFINITY else most
