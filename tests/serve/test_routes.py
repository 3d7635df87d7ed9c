"""`/v1/redact`, `/v1/find` and the paths of the server itself."""

from __future__ import annotations

import re

import pytest

NOTE = "Seen Maria on 1/2/2067."


def test_redact_answers_with_text_replacements_and_counts(client):
    answer = client.post("/v1/redact", json={"text": NOTE}).json()
    assert answer["text"] == "Seen [PATIENT] on [DATE]."
    assert answer["counts"] == {"PATIENT": 1, "DATE": 1}
    for each in answer["replacements"]:
        assert answer["text"][slice(*each["new"])] == each["text"]
        assert NOTE[slice(*each["old"])] in ("Maria", "1/2/2067")


def test_one_bad_note_of_a_list_is_withheld_and_the_others_are_not(client):
    notes = [{"text": NOTE}, {"text": "BOOM Maria"}, {"text": "", "policy": "mask"}]
    good, bad, empty = client.post("/v1/redact", json=notes).json()
    assert good["text"] == "Seen [PATIENT] on [DATE]."
    assert bad["text"] is None and "toy_detector" in bad["error"]
    assert empty["text"] == "" and empty["error"] is None
    good, bad, empty = client.post(
        "/v1/find", json=[{"text": note["text"]} for note in notes]
    ).json()
    assert len(good["phi"]) == 2 and bad["phi"] is None and empty["phi"] == []


@pytest.mark.parametrize("path", ["/v1/redact", "/v1/find"])
def test_one_bad_note_is_an_error_of_its_request(client, path):
    answer = client.post(path, json={"text": "BOOM Maria"})
    assert answer.status_code == 422 and "Maria" not in answer.text


def test_surrogates_are_those_of_the_patient_and_the_key(client):
    notes = [{"text": NOTE, "policy": "surrogate", "patient_id": "7"}] * 2
    one, other = (each["text"] for each in client.post("/v1/redact", json=notes).json())
    assert one == other and "Maria" not in one
    assert client.post("/v1/redact", json=notes[0]).json()["text"] == one


def test_known_data_are_found(client):
    note = {"text": "Orville came.", "known_phi": {"PATIENT": ["Orville Whitacre"]}}
    assert client.post("/v1/redact", json=note).json()["text"] == "[PATIENT] came."
    assert client.post("/v1/redact", json={"text": note["text"]}).json()["text"] == note["text"]


def test_a_threshold_is_that_of_its_note_only(client):
    notes = [{"text": NOTE, "threshold": 0.95}, {"text": NOTE}, {"text": NOTE, "threshold": 0.2}]
    counts = [len(each["phi"]) for each in client.post("/v1/find", json=notes).json()]
    assert counts == [0, 2, 2]


def test_find_tells_where_and_how_sure(client):
    (found,) = client.post("/v1/find", json={"text": "See Maria"}).json()["phi"]
    assert found == {
        "start": 4, "end": 9, "type": "PATIENT", "score": 0.9, "sources": ["toy_detector"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"text": 3}, "body.text"),
        ({"polcy": "tag"}, "body"),
        ({"policy": "/etc/hostname"}, "body.policy"),
        ({"threshold": 1}, "body.threshold"),
        ({"known_phi": {"CANARY": ["x"]}}, "body.known_phi"),
        ({"known_phi": {"DATE": ["CANARY"]}}, "body.known_phi"),
    ],
)
def test_bad_input_is_one_sentence_that_names_the_place(client, change, place):
    for body in ({"text": NOTE, **change}, [{"text": NOTE}, {"text": NOTE, **change}]):
        answer = client.post("/v1/redact", json=body)
        where = place if isinstance(body, dict) else place.replace("body", "body.1")
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(f"{where}: ")
        assert "CANARY" not in answer.text and "\n" not in answer.text


def test_the_api_page_needs_no_other_server(client):
    page = client.get("/docs")
    assert page.status_code == 200 and "NoteToRedact" in page.text
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page.text)
    assert client.get("/openapi.json").json()["info"]["title"] == "spacy-deid"


def test_probes_answer(client):
    assert [client.get(path).text for path in ("/livez", "/readyz")] == ["ok", "ok"]
    assert client.get("/health").text == "spacy-deid service is up"


def test_metrics_count_and_hold_no_text(client):
    client.post("/v1/redact", json=[{"text": NOTE}, {"text": "BOOM"}])
    client.get("/Maria?text=Maria")
    metrics = client.get("/metrics").text
    assert 'deid_phi_total{type="PATIENT"} 1.0' in metrics
    assert "deid_notes_total 1.0" in metrics and "deid_withheld_total 1.0" in metrics
    assert 'deid_requests_total{path="other",status="404"} 1.0' in metrics
    assert "Maria" not in metrics


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (
            b'{"text": "Maria"}',
            "application/x-www-form-urlencoded",
            "Content-Type: application/json",
        ),
        (b'{"text": "Maria"}', "text/plain", "Content-Type: application/json"),
        (b'{"text": "Maria', "application/json", "the body is not JSON, from character 9 on"),
        (b"[" + b'{"text": ""},' * 10_000 + b'{"text": ""}]', "application/json", "10000"),
        (b'[{"text": ""}, {"text": 7}]', "application/json", "body.1.text: "),
        (
            b"{%s}" % b",".join(b'"Maria%d": 7' % i for i in range(1001)),
            "application/json",
            "1,000",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong_with_the_body(client, content, kind, message):
    answer = client.post("/v1/redact", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 422 and message in answer.json()["error"]
    assert "Maria" not in answer.text


@pytest.mark.parametrize(
    ("content", "headers", "status", "message"),
    [
        (b'{"text": "Maria \xff"}', {}, 400, "not valid UTF-8"),
        (b"[" * 100_000, {}, 400, "nested too deeply"),
        (b"\x1f\x8b", {"Content-Encoding": "gzip"}, 415, "Content-Encoding is not supported"),
    ],
)
def test_a_body_that_cannot_be_read_is_told_why(client, content, headers, status, message):
    headers = {"Content-Type": "application/json", **headers}
    answer = client.post("/v1/redact", content=content, headers=headers)
    assert answer.status_code == status and message in answer.json()["error"]


@pytest.mark.parametrize("encoding", ["", "identity", "Identity"])
def test_a_body_as_it_is_may_say_so(client, encoding):
    headers = {"Content-Encoding": encoding}
    assert client.post("/v1/redact", json={"text": "x"}, headers=headers).status_code == 200


def test_the_limit_of_texts_is_named(client):
    answer = client.post("/analyze", json={"text": [""] * 10_001, "language": "en"})
    assert answer.status_code == 422 and "10000" in answer.json()["error"]
