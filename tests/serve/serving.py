"""Servers in a thread of this process, over real HTTP."""

from __future__ import annotations

from contextlib import contextmanager

import httpx
from running import running

from spacy_deid.redaction import Key
from spacy_deid.serve.app import create_app
from spacy_deid.serve.settings import ServeSettings

KEY = Key(b"0123456789abcdef")


@contextmanager
def serving(nlp, **settings):
    """A client of a server."""
    app = create_app(nlp, ServeSettings(**{"key": KEY, **settings}))
    # Without limits, each thread has a connection of its own. A pool that is full closes one that a
    # thread is about to use (encode/httpcore, issue 1110).
    limits = httpx.Limits()
    with (
        running(app) as address,
        httpx.Client(base_url=address, timeout=60, limits=limits) as client,
    ):
        yield client
