from __future__ import annotations

import pytest
from projects import drawn, edit, finish, project

pytest.importorskip("fastapi")

import httpx
from reviewing import TOKEN, reviewing

from spacy_deid.review.store import ADJUDICATE

CANARY = "Zyzzogeton"


@pytest.fixture
def store(tmp_path):
    with project(tmp_path, drawn(), drawn(2, held=[0, 1])) as store:
        yield store


@pytest.fixture
def client(store):
    with reviewing(store) as url:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            yield client


def test_files_are_open_and_notes_need_the_token(client):
    page = client.get("/", headers={"Authorization": ""})
    assert page.status_code == 200 and "/static/app.js" in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy
    assert page.headers["cache-control"] == "no-store"
    script = client.get("/static/app.js", headers={"Authorization": ""})
    assert script.headers["content-type"].startswith("text/javascript")
    for path in ("/static/none.js", "/static/..%2fstore.py", "/docs", "/openapi.json"):
        assert client.get(path).status_code == 404
    for token in ("", "Bearer wrong"):
        for path in ("/api/project", "/api/notes/1", "/static", "/static/../api/project"):
            assert client.get(path, headers={"Authorization": token}).status_code in (401, 404)
    assert client.get("/api/project", headers={"Host": "evil.example"}).status_code == 421


def test_a_note_is_read(client):
    notes = client.get("/api/project").json()["notes"]
    assert [(n["number"], n["state"]) for n in notes] == [(1, "unread"), (2, "unread")]
    note = client.get("/api/notes/1").json()
    assert note["marks"] == [[0, 5, "PATIENT", False], [10, 14, "DOCTOR", False]]
    assert note["scores"] == [[0, 5, 0.9], [10, 14, 0.9]] and not note["blind"]
    change = {"kind": "edit", "remove": note["marks"], "add": [[0, 5, "DOCTOR", True]]}
    first = client.post("/api/notes/1/events", json={"last": 0, "seconds": 3, **change}).json()
    stale = client.post("/api/notes/1/events", json={"last": 0, **change})
    assert stale.status_code == 409
    done = client.post("/api/notes/1/events", json={"last": first["last"], "kind": "done"}).json()
    assert (done["state"], done["stage"], done["seconds"]) == ("done", "done", 3)


def test_what_is_held_back_is_nowhere_in_the_answers(client, store):
    note = client.get("/api/notes/2").json()
    assert note["blind"] and note["marks"] == note["scores"] == note["readings"] == []
    finish(store, 2, "ben")
    assert client.get("/api/notes/2").json() == note
    assert "ben" not in client.get("/api/project").text
    second = client.post("/api/notes/2/events", json={"last": 0, "kind": "done"}).json()
    assert second["stage"] == "second" and len(second["marks"]) == len(second["scores"]) == 2


def test_an_adjudicator_sees_all_readings(store):
    finish(store, 1, "anna")
    edit(store, remove=[drawn().found[0].mark], reader="ben")
    finish(store, 1, "ben")
    with reviewing(store, "eve", ADJUDICATE) as url:
        get = {"headers": {"Authorization": f"Bearer {TOKEN}"}}
        answer = httpx.get(f"{url}/api/project", **get).json()
        assert answer["adjudicating"] and [n["number"] for n in answer["notes"]] == [1]
        assert answer["agreement"][0]["readers"] == ["anna", "ben"]
        note = httpx.get(f"{url}/api/notes/1", **get).json()
        assert note["marks"] == [[0, 5, "PATIENT", False], [10, 14, "DOCTOR", True]]
        assert [len(reading["marks"]) for reading in note["readings"]] == [2, 1]


REFUSED = [
    ("/api/notes/9", None, 404),
    (f"/api/notes/{CANARY}", None, 422),
    (f"/api/notes/{10**20}", None, 422),
    ("/api/notes/1/events", {"last": 0, "kind": CANARY}, 422),
    ("/api/notes/1/events", {"last": 0, "kind": "edit", "add": [[0, 1, CANARY, True]]}, 409),
    ("/api/notes/1/events", {"last": 0, "kind": "edit", "add": [[-1, 1, "DATE", True]]}, 422),
    ("/api/notes/1/events", {"last": 0, "kind": "comment", "text": CANARY * 2000}, 422),
    ("/api/notes/1/events", {"last": 0, "kind": "time", "seconds": 1e9}, 422),
]


@pytest.mark.parametrize(("path", "body", "status"), REFUSED)
def test_wrong_requests_are_refused_without_quoting_them(client, path, body, status):
    answer = client.post(path, json=body) if body else client.get(path)
    assert answer.status_code == status and set(answer.json()) == {"error"}
    assert CANARY not in answer.text
