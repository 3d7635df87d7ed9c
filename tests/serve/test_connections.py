"""Connections of clients that send nothing, or not to the end."""

from __future__ import annotations

import queue
import socket
import sys
import threading
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import pytest
import uvicorn

from spacy_deid.http import run
from spacy_deid.http.settings import HttpSettings

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def _app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})


@pytest.fixture
def connect(monkeypatch):
    """Connects to a server that is run with some settings: `connect(max_requests=1)`."""
    servers = []

    class Server(uvicorn.Server):
        def __init__(self, config):
            super().__init__(config)
            servers.append(self)

    monkeypatch.setattr(uvicorn, "Server", Server)
    monkeypatch.setattr(run, "_HEAD", 0.3)

    @contextmanager
    def connecting(**settings):
        urls = queue.Queue()
        arguments = (_app, HttpSettings(port=0, **settings), urls.put)
        thread = threading.Thread(target=run.run_app, args=arguments)
        thread.start()
        port = int(urls.get(timeout=10).rpartition(":")[2])
        try:
            yield lambda: socket.create_connection(("127.0.0.1", port), timeout=10)
        finally:
            servers[0].should_exit = True
            thread.join()

    return connecting


def _is_closed(connection):
    try:
        return connection.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET / HT", REQUEST[:-2]])
def test_a_connection_without_a_request_is_closed(connect, sent):
    with connect() as new, new() as connection:
        connection.sendall(sent)
        assert _is_closed(connection)


def test_a_second_request_has_to_come_in_time_too(connect):
    with connect() as new, new() as connection:
        for _ in range(2):
            connection.sendall(REQUEST)
            assert b" 204 " in connection.recv(1000)
        connection.sendall(REQUEST[:-2])
        assert _is_closed(connection)


def test_connections_beyond_a_number_are_closed_until_others_have_gone(connect, monkeypatch):
    monkeypatch.setattr(run, "_LEAST_CONNECTIONS", 1)
    with connect(max_requests=1) as new:
        idle = [new() for _ in range(20)]
        for connection in idle:
            assert _is_closed(connection)
            connection.close()
        with new() as connection:
            connection.sendall(REQUEST)
            assert b" 204 " in connection.recv(1000)


def test_more_clients_may_stay_connected_than_are_answered_at_a_time(connect):
    with connect(max_requests=1) as new, ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(new())
            connection.sendall(REQUEST)
            assert b" 204 " in connection.recv(1000)


def test_the_number_holds_where_uvloop_is_installed(connect, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", SimpleNamespace(new_event_loop=pytest.fail))
    with connect() as new, new() as connection:
        connection.sendall(REQUEST)
        assert b" 204 " in connection.recv(1000)
