"""The command itself, in a process of its own, with the trained pipeline."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import spacy
from typer.testing import CliRunner

from spacy_deid.cli import app
from spacy_deid.http.audit import check_audit_log

COMMAND = Path(sys.executable).with_name("spacy-deid")
TOKEN = "correct-horse-battery"
CANARY = "Zyzzogeton"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--host", "0.0.0.0"], "can be reached from other machines"),
        (["--host", "0.0.0.0", "--behind-proxy"], "name the hosts"),
        (["--certificate", "none.pem"], "both a certificate and its private key"),
        (["--policy", "none"], "unknown style or policy"),
        (["--types", "none"], "--types is 'none'"),
        (["--model", "none"], "is not installed"),
    ],
)
def test_unsafe_or_wrong_settings_end_the_command(arguments, reason):
    result = CliRunner().invoke(app, ["serve", *arguments])
    assert result.exit_code == 2 and reason in result.stderr


needs_model = pytest.mark.skipif(
    not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel"
)


@contextmanager
def _server(*options):
    """A server process, and a client of it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", str(port), *options],
        env={**os.environ, "SPACY_DEID_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            _wait_until_ready(client, process)
            client.headers["Authorization"] = f"Bearer {TOKEN}"
            yield process, client
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@needs_model
def test_a_server_under_load_ends_without_losing_a_request(tmp_path):
    log = tmp_path / "audit.jsonl"
    with _server("--audit-log", log) as (process, client):
        refused = client.post(
            "/v1/redact", json={"text": CANARY}, headers={"Authorization": "Bearer wrong"}
        )
        assert refused.status_code == 401
        _misbehave(client.base_url.port, client)
        answers = _stop_under_load(client, process)
        output = process.communicate(timeout=60)[0].decode()
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert all(CANARY in answer.text for answer in answers)
    assert CANARY not in output and "Traceback" not in output
    assert CANARY not in log.read_text() and check_audit_log(log).lines >= len(answers)


@pytest.mark.slow
@needs_model
def test_jobs_are_not_lost_when_the_server_is_ended_or_killed(tmp_path):
    note = json.dumps({"text": f"Potassium {CANARY} is normal. " * 20})
    paths, outputs = [], []
    for end in (signal.SIGTERM, signal.SIGKILL):
        with _server("--jobs", tmp_path) as (process, client):
            for _ in range(2):
                params = {"format": "jsonl", "policy": "keep"}
                answer = client.post("/v1/jobs", content=f"{note}\n" * 50, params=params)
                paths.append(answer.headers["location"])
            while client.get(paths[0]).json()["state"] == "waiting":
                time.sleep(0.1)
            process.send_signal(end)
            outputs.append(process.communicate(timeout=60)[0].decode())
    with _server("--jobs", tmp_path) as (process, client):
        for path in paths:
            while (job := client.get(path).json())["state"] in ("waiting", "running"):
                time.sleep(0.1)
            assert (job["state"], job["notes"]) == ("done", 50), job["error"]
            assert client.get(f"{path}/result").text.count(f"{CANARY} is") == 50 * 20
    assert CANARY not in "".join(outputs)
    assert "Traceback" not in outputs[0]  # when it is killed, one of its processes may complain


def _wait_until_ready(client, process):
    while process.poll() is None:
        try:
            client.get("/readyz").raise_for_status()
            return
        except httpx.TransportError:
            time.sleep(0.1)


def _misbehave(port, client):
    """Send what a server must survive: no HTTP, half a request, an oversized and a broken body."""
    head = f"POST /v1/redact HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
    for sent in (CANARY, head, f"{head}Content-Length: 999\r\n\r\n{CANARY}"):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(f"{sent}\r\n\r\n".encode())
    assert client.post("/v1/redact", content=CANARY.encode() * 1_100_000).status_code == 413
    kind = {"Content-Type": "application/json"}
    for body in (b'{"text": "' + CANARY.encode(), b"\xff" + CANARY.encode()):
        assert client.post("/v1/redact", content=body, headers=kind).status_code in (400, 422)


def _stop_under_load(client, process):
    """End the server while it works on 32 requests; their answers."""
    text = f"Potassium {CANARY} is normal. " * 200
    keep = {"text": text, "policy": "keep"}
    with ThreadPoolExecutor(32) as pool:
        posts = [pool.submit(client.post, "/v1/redact", json=keep) for _ in range(32)]
        while "deid_in_flight 33.0" not in client.get("/metrics").text:
            assert not all(post.done() for post in posts)
        process.send_signal(signal.SIGTERM)
        return [post.result() for post in posts]
