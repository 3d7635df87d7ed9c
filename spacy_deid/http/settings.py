"""The settings of a server; unsafe ones are refused."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from typer import Option

from ..errors import RedactionError

TOKEN_VARIABLE = "SPACY_DEID_TOKEN"
"""Environment variable with the token that clients must send."""

_SHORTEST_TOKEN = 16
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]").fullmatch


@dataclass(frozen=True)
class Protection:
    """What keeps others out: settings that are options of `spacy-deid serve`, too."""

    certificate: Annotated[Path | None, Option(help="TLS certificate chain (PEM).")] = None
    private_key: Annotated[Path | None, Option(help="Private key of the certificate (PEM).")] = None
    behind_proxy: Annotated[
        bool, Option("--behind-proxy", help="A proxy does TLS and authentication.")
    ] = False
    user_header: Annotated[
        str | None,
        Option(help="Header in which the proxy names the user, such as X-Forwarded-User."),
    ] = None


@dataclass(frozen=True)
class Limits:
    """What requests may take and leave: settings that are options of `spacy-deid serve`, too."""

    max_body: Annotated[int, Option(min=1, help="Largest body of a request, in bytes.")] = (
        10_000_000
    )
    max_text: Annotated[int, Option(min=1, help="Longest text, in characters.")] = 1_000_000
    max_upload: Annotated[int, Option(min=1, help="Largest file of a job, in bytes.")] = (
        1_000_000_000
    )
    max_requests: Annotated[
        int, Option(min=1, help="Requests at the same time; more are told to try again.")
    ] = 256
    timeout: Annotated[float, Option(min=0.001, help="Seconds that a request may take.")] = 60.0
    audit_log: Annotated[
        Path | None, Option(help="File to append to, for each request, who, when, and counts.")
    ] = None
    jobs: Annotated[
        Path | None,
        Option(help="Folder for the files of jobs (/v1/jobs); without it there are none."),
    ] = None


@dataclass(frozen=True)
class HttpSettings(Protection, Limits):
    """How a server listens, and what it lets in.

    host (str): Address to listen on.
    port (int): Port to listen on.
    tokens (Mapping[bytes, str]): Names of the clients, by the SHA-256 of their tokens; if empty,
        no token is asked for.
    allowed_hosts (tuple[str, ...]): Further host names that clients may call the server by.
    RAISES (RedactionError): If the server would be reachable by others without protection, or a
        setting cannot work.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    tokens: Mapping[bytes, str] = field(default_factory=dict)
    allowed_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.private_key is None):
            raise RedactionError("TLS needs both a certificate and its private key")
        for path in (self.certificate, self.private_key):
            if path is not None and not path.is_file():
                raise RedactionError(f"the TLS file {path} does not exist")
        if self.user_header and not self.behind_proxy:
            raise RedactionError("a header can name the user only behind a proxy")
        for name in self.allowed_hosts:
            if not _HOST(name):
                raise RedactionError(
                    f"the host name '{name}' matches no request: write it as deid.example.org or "
                    "[::1], without scheme, port and *"
                )
        if is_loopback(self.host):
            return
        if not self.behind_proxy and not (self.tokens and self.certificate):
            raise RedactionError(
                f"{self.host} can be reached from other machines: give a token "
                f"({TOKEN_VARIABLE} or a token file) and TLS files, or say that the server is "
                "behind a proxy that does both"
            )
        if not self.allowed_hosts:
            raise RedactionError(
                f"{self.host} can be reached from other machines: name the hosts that clients "
                "call the server by"
            )

    @property
    def hosts(self) -> frozenset[str]:
        """All names that clients may call the server by, in lower case, without port."""
        own = (*_LOOPBACK_NAMES, self.host) if is_loopback(self.host) else ()
        return frozenset(name.lower() for name in (*own, *self.allowed_hosts))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_digest(token: str) -> bytes:
    """The form in which tokens are kept and compared."""
    return sha256(token.encode("utf-8")).digest()


def find_tokens(token_file: Path | None = None) -> dict[bytes, str]:
    """The clients' tokens: from a file, or else from the environment variable `SPACY_DEID_TOKEN`.

    token_file (Path | None): A file with a token a line, or a client's name, a blank and its token.
    RETURNS (dict[bytes, str]): The clients' names, by the digests of their tokens; one without a
        name has one from its digest, which stays the same wherever the token stands.
    RAISES (RedactionError): If the file cannot be read, or a token cannot be used.
    """
    if token_file is None:
        source, lines = f"the variable {TOKEN_VARIABLE}", [os.environ.get(TOKEN_VARIABLE, "")]
    else:
        source, lines = f"the token file {token_file}", _lines(token_file)
    tokens: dict[bytes, str] = {}
    places: dict[bytes, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        *name, token = line.split(maxsplit=1)
        if len(token) < _SHORTEST_TOKEN or len(token.split()) > 1 or not token.isascii():
            raise RedactionError(
                f"{source}, line {number}: a token needs {_SHORTEST_TOKEN} characters or more, "
                "all of them ASCII, without spaces"
            )
        digest = token_digest(token)
        if digest in tokens:
            raise RedactionError(f"{source} has one token on lines {places[digest]} and {number}")
        places[digest] = number
        tokens[digest] = name[0] if name else f"token {digest.hex()[:8]}"
    if token_file is not None and not tokens:
        raise RedactionError(f"{source} is empty")
    return tokens


def _lines(token_file: Path) -> list[str]:
    try:
        return token_file.read_text("utf-8-sig").splitlines()
    except OSError as error:
        reason = error.strerror
        raise RedactionError(f"the token file {token_file} cannot be read: {reason}") from error
    except UnicodeDecodeError as error:
        raise RedactionError(f"the token file {token_file} is not UTF-8") from error
