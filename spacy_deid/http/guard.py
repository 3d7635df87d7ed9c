"""What stands before the routes: host, token, limits, the audit log, and errors without text."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial
from ipaddress import ip_address
from traceback import extract_tb

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .audit import AuditLog
from .errors import RequestError, busy
from .settings import HttpSettings, token_digest
from .usage import Metrics, Usage

PROBES = ("/livez", "/readyz", "/health")
"""Paths that say nothing about notes, and so need neither a token nor a known host."""

UPLOADS = "/v1/jobs"
"""Path whose bodies are files of any size: they go to the routes as they come."""

PATH_SEND = "http.response.pathsend"
"""The ASGI message that stands for the content of a file."""

_BLOCK = 1 << 18  # bytes of a file that are sent at a time

_LOG = logging.getLogger("spacy_deid.serve")
_SECURITY = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
_CONTENT = "default-src 'none'; style-src 'unsafe-inline'"


class Guard:
    """Middleware: lets requests in, counts them, and sends each answer as a whole.

    audit (AuditLog | None): Where each request is written to before its answer leaves.
    public (tuple[str, ...]): Paths of files without PHI, which need no token; * is any text.
    content (str): Content security policy of all answers.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: HttpSettings,
        metrics: Metrics,
        audit: AuditLog | None = None,
        *,
        public: tuple[str, ...] = (),
        content: str = _CONTENT,
    ) -> None:
        self.app = app
        self.settings = settings
        self.metrics = metrics
        self.audit = audit
        self.public = public
        self.security = [*_SECURITY, (b"content-security-policy", content.encode("ascii"))]
        self.in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] in PROBES:
            await self.app(scope, receive, send)
            return
        start, usage = time.perf_counter(), Usage()
        state = scope.setdefault("state", {})
        record = partial(self._record, scope, start)
        state.update(usage=usage, who="", recorded=None, record=record)
        answer = _Answer(self.security)
        try:
            state["who"] = self._admit(scope)
            with self._slot():
                await self._respond(scope, receive, answer)
        except _Gone:
            return
        except RequestError as error:
            await answer.replace(error.response(scope["path"]), scope)
        except Exception as error:  # its message and its traceback may hold text
            frame = extract_tb(error.__traceback__)[-1]
            kind = type(error).__name__
            _LOG.error("a request failed (%s, %s:%s)", kind, frame.filename, frame.lineno)
            await answer.replace(
                RequestError(500, f"the request failed ({kind})").response(scope["path"]), scope
            )
        try:
            record(answer.status)
        except RequestError as error:
            await answer.replace(error.response(scope["path"]), scope)
        self.metrics.add(_path(scope), answer.status, time.perf_counter() - start, usage)
        await answer.send(send)

    def _admit(self, scope: Scope) -> str:
        """The name of the client.

        RAISES (RequestError): If it may not come in.
        """
        headers, path = Headers(scope=scope), scope["path"]
        if _host(headers.get("host", "")) not in self.settings.hosts:
            raise RequestError(421, "the server does not answer to this host name")
        if scope["method"] not in ("GET", "HEAD") and self._is_of_other_site(headers):
            raise RequestError(403, "the server does not answer to the pages of other sites")
        if any(fnmatchcase(path, public) for public in self.public):
            return ""
        who = self._client_of_token(headers) if self.settings.tokens else ""
        if self.settings.user_header:
            who = _user(headers.getlist(self.settings.user_header))
        return who

    def _client_of_token(self, headers: Headers) -> str:
        token = _token(headers.get("authorization", ""))
        digest = token_digest(token)
        tokens = self.settings.tokens.items()
        names = [name for known, name in tokens if hmac.compare_digest(known, digest)]
        if not token or not names:
            raise RequestError(401, "a valid token is needed (Authorization: Bearer …)")
        return names[0]

    def _is_of_other_site(self, headers: Headers) -> bool:
        """Whether a browser sends a request for a page that this server did not send."""
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site not in ("none", "same-origin")
        origin = headers.get("origin")  # of browsers that do not tell the site
        return origin is not None and origin.rpartition("/")[2] != headers.get("host")

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """A place among the requests that are answered."""
        if self.in_flight >= self.settings.max_requests:
            raise busy("too many requests wait")
        self.in_flight += 1
        self.metrics.in_flight.set(self.in_flight)
        try:
            yield
        finally:
            self.in_flight -= 1
            self.metrics.in_flight.set(self.in_flight)

    async def _respond(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        """Let the routes answer, within the time limit."""
        end = time.monotonic() + self.settings.timeout
        if Headers(scope=scope).get("content-encoding", "").lower() not in ("", "identity"):
            raise RequestError(415, "Content-Encoding is not supported: send the body as it is")
        if (scope["method"], scope["path"]) == ("POST", UPLOADS):
            parts = self._limited(scope, receive, self.settings.max_upload)
            await self.app(scope, parts, answer.collect)
            return
        body = await _read(self._limited(scope, receive, self.settings.max_body))

        async def replay() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        try:
            await asyncio.wait_for(self.app(scope, replay, answer.collect), end - time.monotonic())
        except (TimeoutError, asyncio.TimeoutError):
            raise busy("the answer took too long; try again, or send less text at a time") from None

    def _limited(self, scope: Scope, receive: Receive, limit: int) -> Receive:
        """The parts of a body, within a number of bytes and the time limit.

        A body that may be larger than others has that time for each of their size.
        """
        too_large = RequestError(413, f"the body is larger than {limit:,} bytes")
        length = Headers(scope=scope).get("content-length", "0")
        start, size = time.monotonic(), 0

        async def receive_part() -> Message:
            nonlocal size
            if length.isdecimal() and int(length[:20]) > limit:
                raise too_large
            allowed = self.settings.timeout * (1 + size // self.settings.max_body)
            try:
                message = await asyncio.wait_for(receive(), start + allowed - time.monotonic())
            except (TimeoutError, asyncio.TimeoutError):
                raise RequestError(408, "the body came too slowly") from None
            if message["type"] == "http.disconnect":
                raise _Gone
            size += len(message.get("body", b""))
            if size > limit:
                raise too_large
            return message

        return receive_part

    def _record(self, scope: Scope, start: float, status: int) -> None:
        """Write a request to the audit log, unless it is there with this status.

        A route that changes something calls it before (`request.state.record(status)`).

        RAISES (RequestError): If it cannot be written.
        """
        state = scope["state"]
        if self.audit is None or state["recorded"] == status:
            return
        try:
            self.audit.write(
                who=state["who"],
                client=_address(scope),
                path=_path(scope),
                status=status,
                seconds=round(time.perf_counter() - start, 3),
                **state["usage"].entry(),
            )
        except OSError:
            raise busy("the audit log cannot be written") from None
        state["recorded"] = status


async def _read(receive: Receive) -> bytes:
    """The whole body."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


class _Gone(Exception):
    """The client left before its request was complete."""


class _Answer:
    """An answer that is held back until the request is in the audit log."""

    def __init__(self, security: list[tuple[bytes, bytes]]) -> None:
        self.security = security
        self.messages: list[Message] = []

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"]) if self.messages else 500

    async def collect(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *self.security]}
        self.messages.append(message)

    async def replace(self, response: Response, scope: Scope) -> None:
        self.messages.clear()

        async def nothing() -> Message:
            return {"type": "http.disconnect"}

        await response(scope, nothing, self.collect)

    async def send(self, send: Send) -> None:
        for message in self.messages:
            if message["type"] == PATH_SEND:
                await _send_file(message["path"], send)
            else:
                await send(message)


async def _send_file(path: str, send: Send) -> None:
    with open(path, "rb") as file:
        while block := await asyncio.to_thread(file.read, _BLOCK):
            await send({"type": "http.response.body", "body": block, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _host(name: str) -> str:
    """A host in small letters, without its port."""
    return (name if name.endswith("]") else name.rpartition(":")[0] or name).lower()


def _user(names: list[str]) -> str:
    """The user that the proxy names; of two names, one may be the client's."""
    if len(names) != 1 or not names[0]:
        raise RequestError(403, "the proxy does not name the user")
    return names[0]


def _address(scope: Scope) -> str:
    """The address of the client; empty if a proxy calls it anything else."""
    host = scope["client"][0] if scope.get("client") else ""
    try:
        return str(ip_address(host.partition("%")[0]))  # what follows may be any text
    except ValueError:
        return ""


def _token(authorization: str) -> str:
    """The token in a header; the password, if a client like Label Studio has no bearer tokens."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        with suppress(ValueError):
            return b64decode(value).decode("utf-8").partition(":")[2]
    return ""


def _path(scope: Scope) -> str:
    """The path of the route, as the path of a request may hold anything."""
    return str(getattr(scope.get("route"), "path", "other"))
