"""Requests as Presidio documents them, and what it answers."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.redaction import random_key
from spacy_deid.serve.presidio import _Names

JANE = "hello world, my name is Jane Doe. My number is: 034453334"
RESULTS = [
    {"start": 24, "end": 32, "score": 0.8, "entity_type": "PERSON"},
    {"start": 48, "end": 57, "score": 0.95, "entity_type": "PHONE_NUMBER"},
]


def analyze(client, text="See Maria on 1/2/2067", types=None, **body):
    params = {"types": types} if types else {}
    return client.post("/analyze", json={"text": text, "language": "en", **body}, params=params)


def kinds(answer):
    assert answer.status_code == 200, answer.text
    return [each["entity_type"] for each in answer.json()]


def test_analyze_answers_in_presidios_types_and_in_ours(client):
    assert kinds(analyze(client)) == ["PERSON", "DATE_TIME"]
    assert kinds(analyze(client, types="phi")) == ["PATIENT", "DATE"]
    result = analyze(client).json()[0]
    assert (result["start"], result["end"], result["score"]) == (4, 9, 0.9)
    assert result["analysis_explanation"] is None
    assert result["recognition_metadata"]["phi_type"] == "PATIENT"


def test_a_list_of_texts_has_a_list_of_answers(client):
    first, empty, last = analyze(client, ["Maria", "", "Lopez Maria"]).json()
    assert (len(first), empty, len(last)) == (1, [], 2)
    assert analyze(client, "").json() == [] and analyze(client, []).json() == []


def test_a_list_with_a_bad_text_is_not_passed_off_as_free_of_phi(client):
    answer = analyze(client, ["Maria", "BOOM"])
    assert answer.status_code == 422 and "withheld" in answer.json()["error"]


def test_entities_may_be_named_in_either_way(client):
    assert kinds(analyze(client, entities=["PERSON"])) == ["PERSON"]
    assert kinds(analyze(client, entities=["PATIENT"])) == ["PATIENT"]
    assert kinds(analyze(client, entities=["PHONE_NUMBER", "DATE"])) == ["DATE"]
    assert kinds(analyze(client, entities=[])) == ["PERSON", "DATE_TIME"]


@pytest.mark.parametrize("name", ["CRYPTO", "NRP", "UK_NHS", "person"])
def test_entities_that_nothing_detects_are_refused(client, name):
    answer = analyze(client, entities=["PERSON", name])
    assert answer.status_code == 422 and answer.json()["error"].startswith("entities.1 ")


def test_no_type_is_lost():
    names = _Names("presidio", None)
    for phi_type in CATEGORY:
        name = names.of(phi_type)
        assert name and _Names("presidio", [name]).of(phi_type) == name


def test_other_fields_of_a_request(client):
    assert kinds(analyze(client, score_threshold=0.95)) == []
    assert len(kinds(analyze(client, score_threshold=0))) == 2
    assert kinds(analyze(client, allow_list=["Maria"])) == ["DATE_TIME"]
    assert len(kinds(analyze(client, correlation_id="1", trace=True, context=["see"]))) == 2
    explained = analyze(client, return_decision_process=True).json()[0]["analysis_explanation"]
    assert explained["score"] == 0.9 and "toy_detector" in explained["textual_explanation"]


@pytest.mark.parametrize(
    "change",
    [
        {"language": "xx"},
        {"language": ""},
        {"ad_hoc_recognizers": [{"name": "zip", "patterns": [{"regex": "(a+)+$"}]}]},
        {"allow_list": ["(a+)+$"], "allow_list_match": "regex"},
        {"score_threshold": 2},
    ],
)
def test_what_is_not_supported_is_refused(client, change):
    answer = analyze(client, **change)
    assert answer.status_code == 422 and set(answer.json()) == {"error"}


def anonymize(client, anonymizers=None, text=JANE, results=RESULTS):
    body = {"text": text, "analyzer_results": results}
    answer = client.post("/anonymize", json={**body, "anonymizers": anonymizers or {}})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_documented_examples_of_the_anonymizer(client):
    number = {"type": "replace", "new_value": "ANONYMIZED"}
    redact = {"type": "redact"}
    assert anonymize(client, {"PERSON": redact, "PHONE_NUMBER": number}) == {
        "text": "hello world, my name is . My number is: ANONYMIZED",
        "items": [
            {"operator": "replace", "entity_type": "PHONE_NUMBER", "start": 40, "end": 50,
             "text": "ANONYMIZED"},
            {"operator": "redact", "entity_type": "PERSON", "start": 24, "end": 24, "text": ""},
        ],
    }  # fmt: skip
    both = anonymize(client, {"DEFAULT": number})
    assert both["text"] == "hello world, my name is ANONYMIZED. My number is: ANONYMIZED"
    assert (
        anonymize(client)["text"]
        == "hello world, my name is <PERSON>. My number is: <PHONE_NUMBER>"
    )


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ({"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": True}, "Jane****"),
        ({"type": "mask", "masking_char": "#", "chars_to_mask": 99}, "########"),
        ({"type": "mask", "masking_char": "#", "chars_to_mask": -1}, "Jane Doe"),
        ({"type": "keep"}, "Jane Doe"),
        ({"type": "replace", "new_value": ""}, ""),
    ],
)
def test_operators(client, operator, name):
    assert anonymize(client, {"PERSON": operator})["text"].startswith(
        f"hello world, my name is {name}."
    )


def test_a_hash_is_repeatable_and_needs_the_key_to_be_guessed(serve):
    operator = {"PERSON": {"type": "hash"}}
    client = serve()
    first = anonymize(client, operator)["text"]
    assert first == anonymize(client, operator)["text"]
    assert sha256(b"Jane Doe").hexdigest() not in first
    assert anonymize(serve(key=random_key()), operator)["text"] != first
    salted = anonymize(client, {"PERSON": {"type": "hash", "salt": "x" * 16}})["text"]
    assert sha256(b"x" * 16 + b"Jane Doe").hexdigest() in salted


@pytest.mark.parametrize(
    ("spans", "text"),
    [
        ([(4, 21, "PERSON"), (11, 33, "LOCATION")], "I'm <PERSON><LOCATION>."),
        ([(4, 21, "PERSON"), (4, 33, "LOCATION")], "I'm <LOCATION>."),
        ([(4, 10, "PERSON"), (11, 21, "PERSON")], "I'm <PERSON> Square Park."),
        ([(4, 21, "PERSON"), (4, 21, "ID")], "I'm <PERSON> Square Park."),
    ],
)
def test_overlaps_are_resolved_as_presidio_does(client, spans, text):
    results = [
        {"start": start, "end": end, "entity_type": name, "score": 0.9 - 0.1 * number}
        for number, (start, end, name) in enumerate(spans)
    ]
    whole = "I'm George Washington Square Park."
    assert anonymize(client, text=whole, results=results)["text"] == text


@pytest.mark.parametrize(
    "change",
    [
        {"analyzer_results": [{"start": 0, "end": 99, "score": 1, "entity_type": "X"}]},
        {"analyzer_results": [{"start": 3, "end": 2, "score": 1, "entity_type": "X"}]},
        {"analyzer_results": [{"start": -3, "end": 2, "score": 1, "entity_type": "X"}]},
        {"anonymizers": {"DEFAULT": {"type": "encrypt", "key": "WmZq4t7w!z%C&F)J"}}},
        {"anonymizers": {"DEFAULT": {"type": "hash", "hash_type": "md5"}}},
    ],
)
def test_bad_requests_of_the_anonymizer(client, change):
    answer = client.post("/anonymize", json={"text": JANE, "analyzer_results": [], **change})
    assert answer.status_code == 422 and set(answer.json()) == {"error"}


def test_a_long_replacement_of_many_results_does_not_fill_the_memory(serve):
    client = serve(max_body=100_000)
    results = [{"start": i, "end": i + 1, "entity_type": "X"} for i in range(0, 1000, 2)]
    operator = {"type": "replace", "new_value": "x" * 1000}
    body = {"text": "ab" * 500, "analyzer_results": results, "anonymizers": {"DEFAULT": operator}}
    answer = client.post("/anonymize", json=body)
    assert answer.status_code == 413 and "100,000 characters" in answer.json()["error"]


def test_what_the_analyzer_answers_is_what_the_anonymizer_takes(client):
    text = "See Maria on 1/2/2067"
    results = analyze(client, text, return_decision_process=True).json()
    assert anonymize(client, text=text, results=results)["text"] == "See <PERSON> on <DATE_TIME>"


@pytest.mark.parametrize(
    "body",
    [
        {"text": "John Smith drivers license is AC432223", "language": "en"},
        {
            "text": "John Smith drivers license is AC432223",
            "language": "en",
            "correlation_id": "123e4567-e89b-12d3-a456-426614174000",
            "score_threshold": 0.4,
            "entities": ["US_DRIVER_LICENSE", "PERSON"],
            "return_decision_process": False,
            "ad_hoc_recognizers": [],
            "context": ["license"],
            "allow_list": ["AC432223"],
            "allow_list_match": "exact",
        },
        {"text": ["hi", "my name is David"], "language": "en", "trace": "0"},
    ],
)
def test_documented_requests_of_the_analyzer_are_taken(client, body):
    assert client.post("/analyze", json=body).status_code == 200


@pytest.mark.parametrize("body", [{}, {"text": "x"}, {"language": "en"}, {"text": None}, [], "x"])
def test_requests_without_what_is_needed_are_refused(client, body):
    for path in ("/analyze", "/anonymize"):
        assert client.post(path, json=body).status_code == 422


def test_the_lists(client):
    assert "PERSON" in client.get("/supportedentities?language=en").json()
    assert "PATIENT" in client.get("/supportedentities", params={"types": "phi"}).json()
    assert client.get("/recognizers?language=en").json() == ["phi_known", "toy_detector"]
    assert {"replace", "redact", "mask", "hash", "keep"} == set(client.get("/anonymizers").json())
    assert client.get("/recognizers?language=xx").status_code == 422
    assert anonymize(client, text="", results=[]) == {"text": "", "items": []}


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("body.text", {"text": "\ud83d Maria"}),
        ("body.anonymizers", {"text": "a", "anonymizers": {"DEFAULT": {"new_value": "\ud83d"}}}),
    ],
)
def test_half_a_surrogate_pair_is_refused(client, place, body):
    content = json.dumps({"analyzer_results": [], **body})
    kind = {"Content-Type": "application/json"}
    answer = client.post("/anonymize", content=content, headers=kind)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(place)
    assert answer.json()["error"].endswith("it holds half a surrogate pair")
