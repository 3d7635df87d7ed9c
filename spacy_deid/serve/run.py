"""The server process."""

from __future__ import annotations

from collections.abc import Callable

from spacy.language import Language

from ..http.run import run_app
from .app import create_app
from .settings import ServeSettings


def run_server(nlp: Language, settings: ServeSettings, on_start: Callable[[str], None]) -> None:
    """Serve a pipeline until SIGTERM or SIGINT; requests that were accepted are answered first.

    on_start (Callable[[str], None]): Called with a message when the server listens.
    RAISES (RedactionError): If it cannot start.
    """
    app = create_app(nlp, settings)
    run_app(app, settings, lambda url: on_start(f"Serving on {url}, until Ctrl-C"))
