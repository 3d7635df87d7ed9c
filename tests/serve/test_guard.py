"""Who may ask for what: hosts, tokens, limits; and what nobody gets to see."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import pytest

from spacy_deid.http.audit import AuditLog, check_audit_log
from spacy_deid.http.settings import token_digest

TOKEN = "correct-horse-battery"
CANARY = "Zyzzogeton"


def test_a_token_is_needed_where_there_is_one(serve):
    client = serve(tokens={token_digest(TOKEN): "ward"})
    asked = [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}]
    for headers in asked:
        refused = client.get("/anonymizers", headers=headers)
        assert refused.status_code == 401 and refused.headers["www-authenticate"] == "Bearer"
    allowed = client.get("/anonymizers", headers={"Authorization": f"Bearer {TOKEN}"})
    assert allowed.status_code == 200
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8000", 200), ("[::1]:80", 200), ("evil.example", 421), ("", 421), ("deid", 200)],
)
def test_only_known_hosts_are_answered(serve, host, status):
    client = serve(allowed_hosts=("deid",))
    assert client.get("/anonymizers", headers={"Host": host}).status_code == status
    assert client.get("/livez", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://deid.example.org"}, 202),  # a proxy
        ({"Origin": "http://localhost:3000", "Host": "localhost:8000"}, 403),
        ({"Origin": "http://localhost:8000", "Host": "localhost:8000"}, 202),
        ({}, 202),
    ],
)
def test_pages_of_other_sites_cannot_post(serve, tmp_path, headers, status):
    client = serve(jobs=tmp_path)
    headers = {**headers, "Content-Type": "text/plain"}
    answer = client.post("/v1/jobs?format=text", content=b"Maria", headers=headers)
    assert answer.status_code == status
    assert client.get("/anonymizers", headers=headers).status_code == 200  # it cannot be read


def test_large_bodies_and_long_texts_are_refused(serve):
    client = serve(max_body=1000, max_text=100)
    assert client.post("/v1/redact", json={"text": "a" * 100}).status_code == 200
    assert client.post("/v1/redact", json={"text": "a" * 101}).status_code == 413
    assert client.post("/analyze", json={"text": "a" * 101, "language": "en"}).status_code == 413
    assert client.post("/v1/redact", json={"text": "a" * 1001}).status_code == 413
    chunks = (b" " * 500 for _ in range(9))
    assert client.post("/v1/redact", content=chunks).status_code == 413


def test_a_slow_client_is_cut(serve):
    client = serve(timeout=0.2)
    with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
        slow.sendall(b"POST /v1/redact HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        assert b" 408 " in slow.recv(1000)


def test_an_upload_is_cut_when_it_is_slow_and_forgotten_when_it_is_cut(serve, tmp_path):
    client = serve(timeout=0.5, jobs=tmp_path)
    head = b"POST /v1/jobs?format=text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nM"
    with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
        slow.sendall(head)
        assert b" 408 " in slow.recv(1000)
    with socket.create_connection((client.base_url.host, client.base_url.port)) as gone:
        gone.sendall(head)
    while [file.name for file in tmp_path.iterdir()] != [".lock"]:
        pass


def test_a_client_that_leaves_is_forgotten(serve, tmp_path):
    client = serve(max_requests=1)
    for _ in range(3):
        with socket.create_connection((client.base_url.host, client.base_url.port)) as gone:
            gone.sendall(b"POST /v1/find HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
    answers = (client.post("/v1/find", json={"text": "x"}).status_code for _ in range(100))
    assert 200 in answers


@pytest.fixture
def stopped(nlp):
    """Lets the pipeline wait until it is told to go on: `stopped` is the event."""
    event = threading.Event()
    make_doc = nlp.tokenizer

    def wait(text):
        event.wait(30)
        return make_doc(text)

    nlp.tokenizer = wait
    yield event
    event.set()


def test_texts_that_nobody_waits_for_are_not_searched(serve, nlp, stopped):
    searched = []
    wait = nlp.tokenizer
    nlp.tokenizer = lambda text: searched.append(text) or wait(text)
    client = serve(timeout=0.2)
    for texts in (["x"], ["y", "z"]):
        late = client.post("/v1/find", json=[{"text": text} for text in texts])
        assert late.status_code == 503
    stopped.set()
    while client.post("/v1/find", json={"text": "w"}).status_code != 200:
        pass
    assert set(searched) == {"x", "w"}


SLOW = {
    "fhir._chunk": ("/fhir/$de-identify", {"resourceType": "Basic"}),
    "presidio.anonymize": ("/anonymize", {"text": "x", "analyzer_results": []}),
    "annotation._read_document": (
        "/inception/predict",
        {
            "metadata": {"layer": "x", "feature": "y"},
            "document": {"xmi": "<x/>"},
            "typeSystem": "<x/>",
        },
    ),
}


@pytest.mark.parametrize("name", SLOW)
def test_what_takes_long_stops_neither_the_server_nor_the_clock(serve, monkeypatch, name):
    event = threading.Event()
    monkeypatch.setattr(f"spacy_deid.serve.{name}", lambda *_: event.wait(10))
    client = serve(timeout=0.3)
    path, body = SLOW[name]
    with ThreadPoolExecutor(1) as pool:
        post = pool.submit(client.post, path, json=body)
        assert client.get("/livez").elapsed.total_seconds() < 5
        assert post.result().status_code == 503
        event.set()


def test_a_full_server_says_when_to_come_back(serve, stopped):
    client = serve(max_requests=2)
    with ThreadPoolExecutor(3) as pool:
        posts = [pool.submit(client.post, "/v1/find", json={"text": "x"}) for _ in range(3)]
        refused = next(post.result() for post in as_completed(posts, timeout=30))
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
        stopped.set()
        assert sorted(post.result().status_code for post in posts) == [200, 200, 503]


def test_200_clients_at_the_same_time_are_answered(client):
    with ThreadPoolExecutor(200) as pool:
        note = {"text": "See Maria"}
        posts = [pool.submit(client.post, "/v1/find", json=note) for _ in range(200)]
        assert {len(post.result().json()["phi"]) for post in posts} == {1}


def test_a_stuck_model_is_not_ready(serve, stopped):
    client = serve(timeout=0.2)
    late = client.post("/v1/find", json={"text": "x"})
    assert late.status_code == 503 and "retry-after" in late.headers
    while client.get("/readyz").status_code != 503:
        pass
    assert client.get("/livez").status_code == 200
    stopped.set()
    while client.get("/readyz").status_code != 200:
        pass
    assert client.post("/v1/find", json={"text": "x"}).status_code == 200


REFUSED = [
    ("/v1/redact", json.dumps({"text": f"BOOM {CANARY}"})),
    ("/v1/redact", json.dumps({"text": "x", "policy": CANARY})),
    ("/v1/redact", json.dumps({"text": "x", CANARY: CANARY})),
    ("/v1/redact", json.dumps({"text": [CANARY]})),
    ("/v1/redact", json.dumps(CANARY)),
    ("/v1/redact", f'{{"text": "{CANARY}'),
    ("/v1/redact", f'{{"text": "{CANARY} \\ud800"}}'),
    ("/v1/redact", json.dumps({"text": "x", "known_phi": {CANARY: [CANARY]}})),
    ("/v1/redact", "[" * 100_000 + CANARY),
    ("/v1/redact", '{"text": 1' + "0" * 9_999 + "}"),
    ("/analyze", json.dumps({"text": CANARY, "language": CANARY})),
    ("/analyze", json.dumps({"text": CANARY, "language": "en", "entities": [CANARY]})),
    ("/analyze", json.dumps({"text": CANARY, "language": "en", "ad_hoc_recognizers": [CANARY]})),
    ("/anonymize", json.dumps({"text": CANARY, "anonymizers": {"X": {"type": CANARY}}})),
    ("/fhir/$de-identify", json.dumps({"resourceType": "Parameters", CANARY: CANARY})),
    ("/fhir/$de-identify", f'{{"resourceType": "Patient", "{CANARY}'),
    (f"/fhir/$de-identify?policy={CANARY}", json.dumps({"resourceType": CANARY})),
    (f"/fhir/{CANARY}", CANARY),
    (f"/v1/jobs?format={CANARY}", CANARY),
    (f"/v1/jobs/{CANARY}", CANARY),
    (f"/{CANARY}", CANARY),
    (f"/v1/redact?{CANARY}", CANARY),
    (f"/v1/redact/?{CANARY}", CANARY),
    (f"/analyze?types={CANARY}", json.dumps({"text": CANARY, "language": "en"})),
]


def test_what_a_client_sends_is_nowhere_but_in_good_answers(serve, tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    log = tmp_path / "audit.jsonl"
    client = serve(audit_log=log, jobs=tmp_path / "jobs")
    headers = {"Content-Type": "application/json", "X-Canary": CANARY, "User-Agent": CANARY}
    caplog.clear()
    for path, body in REFUSED:
        answer = client.post(path, content=body, headers=headers)
        assert 400 <= answer.status_code < 500, body[:80]
        assert set(answer.json()) in ({"error"}, {"resourceType", "issue"})
        assert CANARY not in answer.text and CANARY not in str(answer.headers)
    good = client.post(
        "/v1/find", json={"text": f"Maria {CANARY}", "known_phi": {"CITY": [CANARY]}}
    )
    assert len(good.json()["phi"]) == 2
    assert CANARY not in client.get("/metrics").text
    ours = [record for record in caplog.records if not record.name.startswith("http")]
    assert CANARY not in " ".join(record.getMessage() for record in ours)
    assert CANARY not in "".join(capfd.readouterr())
    assert CANARY not in log.read_text()
    assert check_audit_log(log).lines == len(REFUSED) + 2


def test_an_unexpected_error_is_told_without_its_message(serve, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError(CANARY)

    client = serve()
    monkeypatch.setattr("spacy_deid.serve.routes._searched", fail)
    answer = client.post("/v1/find", json={"text": CANARY})
    assert answer.status_code == 500
    assert answer.json() == {"error": "the request failed (RuntimeError)"}
    assert "RuntimeError" in caplog.text and CANARY not in caplog.text


def test_the_audit_log_says_who_and_how_much(serve, tmp_path):
    log = tmp_path / "audit.jsonl"
    client = serve(audit_log=log, tokens={token_digest(TOKEN): "ward"})
    client.post("/v1/redact", json={"text": "x"})
    headers = {"Authorization": f"Bearer {TOKEN}"}
    client.post("/v1/redact", json=[{"text": "See Maria"}, {"text": "BOOM"}], headers=headers)
    refused, done = map(json.loads, log.read_text().splitlines())
    assert (refused["who"], refused["status"], refused["notes"]) == ("", 401, 0)
    wanted = {"who": "ward", "path": "/v1/redact", "status": 200, "notes": 2, "withheld": 1}
    assert wanted.items() <= done.items() and done["phi"] == {"PATIENT": 1}
    assert os.stat(log).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("header", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::7"),
        (CANARY, ""),
        (f"fe80::7%{CANARY}", "fe80::7"),
    ],
)
def test_the_audit_log_takes_addresses_only_from_a_proxy(serve, tmp_path, header, client):
    log = tmp_path / "audit.jsonl"
    serve(audit_log=log).get("/anonymizers", headers={"X-Forwarded-For": header})
    assert json.loads(log.read_text())["client"] == client


@pytest.mark.parametrize(
    ("users", "status"), [(["maria"], 200), ([], 403), ([""], 403), (["maria", "john"], 403)]
)
@pytest.mark.parametrize("token", [None, TOKEN])
def test_a_proxy_may_name_the_user(serve, tmp_path, users, status, token):
    log = tmp_path / "audit.jsonl"
    tokens = {token_digest(token): "proxy"} if token else {}
    client = serve(audit_log=log, tokens=tokens, behind_proxy=True, user_header="X-User")
    headers = [("x-user", user) for user in users]
    if token:
        assert client.get("/anonymizers", headers=headers).status_code == 401
        headers.append(("authorization", f"Bearer {token}"))
    assert client.get("/anonymizers", headers=headers).status_code == status
    who = json.loads(log.read_text().splitlines()[-1])["who"]
    assert who == ("maria" if status == 200 else "")
    assert client.get("/readyz").status_code == 200


def test_without_its_line_in_the_audit_log_nothing_leaves(serve, tmp_path, monkeypatch, caplog):
    def full(self, line):
        raise OSError(28, "No space left on device")

    client = serve(audit_log=tmp_path / "audit.jsonl")
    monkeypatch.setattr(AuditLog, "_append", full)
    answer = client.post("/v1/redact", json={"text": "See Maria"})
    assert answer.status_code == 503 and set(answer.json()) == {"error"}
    assert "cannot be written (No space left on device)" in caplog.text
    assert client.get("/readyz").status_code == 503
    monkeypatch.undo()
    assert client.get("/readyz").status_code == 200
