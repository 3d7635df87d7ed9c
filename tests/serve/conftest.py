"""Servers with the toy pipeline; without FastAPI, which needs Python 3.11, there are no tests."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.util import find_spec

import pytest

if find_spec("fastapi") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def serve(nlp):
    """Starts servers: `serve(setting=value, ...)` returns a client."""
    from serving import serving

    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(serving(nlp, **settings))


@pytest.fixture
def client(serve):
    """A client of a server with the default settings."""
    return serve()
