"""Review servers in a thread of this process, over real HTTP."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import uvicorn

from spacy_deid.review.desk import Desk
from spacy_deid.review.server import create_review_app
from spacy_deid.review.store import READ
from spacy_deid.serve.settings import ServeSettings, token_digest

TOKEN = "correct-horse-battery"


def reviewing(store, reader="anna", role=READ):
    """A server for a reader; gives its address."""
    settings = ServeSettings(tokens={token_digest(TOKEN): reader})
    return running(create_review_app(Desk(store, reader, role), settings))


@contextmanager
def running(app):
    """A server of an application; gives its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
