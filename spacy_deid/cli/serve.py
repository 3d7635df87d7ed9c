"""`spacy-deid serve`: de-identification over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..batch.deidentify import load_pipeline
from ..batch.memory import keep_few_kernels
from ..redaction import RedactionError, find_key, find_policy
from ..serve.settings import ServeSettings, find_tokens
from . import options

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the clients' tokens, one a line, each after the client's name if you like; "
        "by default, one token is read from SPACY_DEID_TOKEN."
    ),
]
Certificate = Annotated[Path | None, typer.Option(help="TLS certificate chain (PEM).")]
PrivateKey = Annotated[Path | None, typer.Option(help="Private key of the certificate (PEM).")]
BehindProxy = Annotated[
    bool, typer.Option("--behind-proxy", help="A proxy does TLS and authentication.")
]
AllowHost = Annotated[
    list[str] | None, typer.Option(help="Host name that clients call the server by; repeatable.")
]
Types = Annotated[str, typer.Option(help="Type names on Presidio's paths: presidio, phi.")]
MaxBody = Annotated[int, typer.Option(min=1, help="Largest body of a request, in bytes.")]
MaxText = Annotated[int, typer.Option(min=1, help="Longest text, in characters.")]
MaxUpload = Annotated[int, typer.Option(min=1, help="Largest file of a job, in bytes.")]
MaxRequests = Annotated[
    int, typer.Option(min=1, help="Requests at the same time; more are told to try again.")
]
Timeout = Annotated[float, typer.Option(min=0.001, help="Seconds that a request may take.")]
AuditLog = Annotated[
    Path | None, typer.Option(help="File to append to, for each request, who, when, and counts.")
]

Jobs = Annotated[
    Path | None,
    typer.Option(help="Folder for the files of jobs (/v1/jobs); without it there are none."),
]


@options.command("serve")
def serve_cli(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    policy: options.PolicyName = "tag",
    key_file: options.KeyFile = None,
    model: options.Model = "en_deid",
    terms: options.Terms = None,
    token_file: TokenFile = None,
    certificate: Certificate = None,
    private_key: PrivateKey = None,
    behind_proxy: BehindProxy = False,
    allow_host: AllowHost = None,
    types: Types = "presidio",
    max_body: MaxBody = 10_000_000,
    max_text: MaxText = 1_000_000,
    max_upload: MaxUpload = 1_000_000_000,
    max_requests: MaxRequests = 256,
    timeout: Timeout = 60.0,
    audit_log: AuditLog = None,
    jobs: Jobs = None,
) -> None:
    """
    De-identify over HTTP: our own paths, and those of Presidio; /docs describes them.

    The server answers this machine only, unless it has a token and TLS files, or a proxy before it.

    Examples:

    spacy-deid serve --audit-log audit.jsonl --jobs jobs

    spacy-deid serve --host 0.0.0.0 --allow-host deid.example.org --token-file tokens.txt
    --certificate cert.pem --private-key key.pem
    """
    try:
        from ..serve.run import run_server
    except ImportError as error:
        raise RedactionError('the server needs pip install "spacy_deid[serve]"') from error
    options.check_choice(types, ("presidio", "phi"), "--types")
    key = find_key(key_file)
    settings = ServeSettings(
        host=host,
        port=port,
        tokens=find_tokens(token_file),
        certificate=certificate,
        private_key=private_key,
        behind_proxy=behind_proxy,
        allowed_hosts=tuple(allow_host or ()),
        policy=find_policy(policy),
        key=key,
        types="presidio" if types == "presidio" else "phi",
        max_body=max_body,
        max_text=max_text,
        max_upload=max_upload,
        max_requests=max_requests,
        timeout=timeout,
        audit_log=audit_log,
        jobs=jobs,
    )
    keep_few_kernels()
    if key is None:
        options.tell("No key was given: surrogates and hashes change with each start of the server")
    run_server(load_pipeline(model, terms=terms), settings, on_start=options.tell)
