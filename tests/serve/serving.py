"""Servers in a thread of this process, over real HTTP."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import httpx
import uvicorn

from spacy_deid.redaction import Key
from spacy_deid.serve.app import create_app
from spacy_deid.serve.settings import ServeSettings

KEY = Key(b"0123456789abcdef")


@contextmanager
def serving(nlp, **settings):
    """A client of a server."""
    app = create_app(nlp, ServeSettings(**{"key": KEY, **settings}))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()
