"""What keeps a server from starting, in one sentence."""

from __future__ import annotations

import socket

import pytest

from spacy_deid.redaction import RedactionError
from spacy_deid.serve.run import run_server
from spacy_deid.serve.settings import ServeSettings


def test_a_port_in_use(nlp):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServeSettings(port=taken.getsockname()[1])
        with pytest.raises(RedactionError, match="cannot listen on 127.0.0.1, port"):
            run_server(nlp, settings, on_start=pytest.fail)


def test_files_that_are_no_certificate(nlp, tmp_path):
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    for file in files:
        file.write_text("nothing")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = ServeSettings(port=port, certificate=files[0], private_key=files[1])
    with pytest.raises(RedactionError, match="TLS files"):
        run_server(nlp, settings, on_start=pytest.fail)
