"""`spacy-deid serve`: de-identification over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from ..engine.loading import load_pipeline
from ..engine.memory import keep_few_kernels
from ..errors import RedactionError, install
from ..http.settings import Limits, Protection, find_tokens
from ..redaction import find_key, find_policy
from ..serve.settings import ServeSettings
from . import messages, options
from .decorator import command

TokenFile = Annotated[
    Path | None,
    Option(
        help="File with the clients' tokens, one a line, each after the client's name if you like; "
        "by default, one token is read from SPACY_DEID_TOKEN."
    ),
]
AllowHost = Annotated[
    list[str] | None, Option(help="Host name that clients call the server by; repeatable.")
]


@command("serve")
def serve_cli(
    *,
    host: Annotated[str, Option(help="Address to listen on.")] = ServeSettings.host,
    port: Annotated[int, Option(min=1, max=65535, help="Port to listen on.")] = ServeSettings.port,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    model: options.Model = "en_deid",
    terms: options.Terms = None,
    token_file: TokenFile = None,
    protection: Protection,
    allow_host: AllowHost = None,
    types: Annotated[
        str, Option(help="Type names on Presidio's paths: presidio, phi.")
    ] = ServeSettings.types,
    limits: Limits,
) -> None:
    """
    The server answers this machine only, unless it has a token and TLS files, or a proxy before it.

    Examples:

    spacy-deid serve --audit-log audit.jsonl --jobs jobs

    spacy-deid serve --host 0.0.0.0 --allow-host deid.example.org --token-file tokens.txt
    --certificate cert.pem --private-key key.pem
    """
    try:
        from ..serve.app import run_server
    except ModuleNotFoundError as error:
        raise RedactionError(f"the server needs {install('serve')}") from error
    options.check_choice(types, ("presidio", "phi"), "--types")
    key = find_key(key_file)
    settings = ServeSettings(
        host=host,
        port=port,
        tokens=find_tokens(token_file),
        allowed_hosts=tuple(allow_host or ()),
        policy=find_policy(policy),
        key=key,
        types="presidio" if types == "presidio" else "phi",
        **vars(protection),
        **vars(limits),
    )
    keep_few_kernels()
    if key is None:
        messages.tell(
            "No key was given: surrogates and hashes change with each start of the server"
        )
    run_server(load_pipeline(model, terms=terms), settings, on_start=messages.tell)
