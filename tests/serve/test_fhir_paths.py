"""FHIR's `$de-identify`, as HL7's guide DARTS (1.0.0-ballot) describes it."""

from __future__ import annotations

import base64
import json

import pytest

CANARY = "Zyzzogeton"
BUNDLE = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [
        {
            "resource": {
                "resourceType": "Observation",
                "status": "final",
                "valueQuantity": {"value": 1.50},
                "subject": {"reference": "Patient/7"},
                "text": {"status": "generated", "div": "<div>Maria</div>"},
                "note": [{"text": "Seen Maria on 1/2/2067."}],
            }
        },
        {
            "resource": {
                "resourceType": "DocumentReference",
                "content": [
                    {
                        "attachment": {
                            "contentType": "text/plain",
                            "data": base64.b64encode(b"Maria again").decode(),
                        }
                    },
                    {"attachment": {"contentType": "application/pdf", "data": "TWFyaWE="}},
                ],
            }
        },
    ],
}


def post(client, resource, **params):
    headers = {"Content-Type": "application/fhir+json"}
    content = resource if isinstance(resource, (str, bytes)) else json.dumps(resource)
    return client.post("/fhir/$de-identify", content=content, headers=headers, params=params)


def wrapped(**parameters):
    return {
        "resourceType": "Parameters",
        "parameter": [{"name": name, **value} for name, value in parameters.items()],
    }


def check(bundle, name="[PATIENT]"):
    observation, document = (entry["resource"] for entry in bundle["entry"])
    assert observation["note"][0]["text"].startswith(f"Seen {name} on ")
    assert "Maria" not in observation["text"]["div"]
    plain, pdf = (content["attachment"]["data"] for content in document["content"])
    assert base64.b64decode(plain).decode() == f"{name} again" and pdf == ""


def test_a_bundle_in_and_a_bundle_out(client):
    answer = post(client, BUNDLE)
    assert answer.status_code == 200 and answer.headers["x-withheld"] == "1"
    assert answer.headers["content-type"] == "application/fhir+json"
    check(answer.json())
    assert '"value": 1.5' in answer.text


def test_a_resource_alone_and_a_policy(client):
    resource = {"resourceType": "Observation", "valueString": "Maria"}
    assert post(client, resource, policy="mask").json()["valueString"] == "*****"
    assert post(client, {"resourceType": "Patient", "id": "7"}).json()["id"] == "7"


def test_parameters_are_answered_with_parameters(client):
    data = {"resource": BUNDLE}
    answer = post(client, wrapped(identifiableData=data, policy={"valueString": "mask"})).json()
    result, outcome = answer["parameter"]
    assert answer["resourceType"] == "Parameters" and result["name"] == "de-identifiedData"
    check(result["resource"], "*****")
    emptied, stayed = outcome["resource"]["issue"]
    assert emptied["severity"] == "warning" and "content[1].attachment.data" in str(emptied)
    assert "Observation" in stayed["diagnostics"]


def test_texts_that_fail_are_emptied_and_listed(client):
    bundle = {"resourceType": "Observation", "note": [{"text": "BOOM"}, {"text": "Maria"}]}
    result, outcome = post(client, wrapped(identifiableData={"resource": bundle})).json()[
        "parameter"
    ]
    assert [note["text"] for note in result["resource"]["note"]] == ["", "[PATIENT]"]
    assert "toy_detector" in outcome["resource"]["issue"][0]["diagnostics"]


def test_texts_of_a_patient_share_surrogates(client):
    note = {"resourceType": "Observation", "subject": {"reference": "Patient/7"}}
    entries = [{"resource": {**note, "valueString": "Maria"}}] * 2
    answer = post(client, {"resourceType": "Bundle", "entry": entries}, policy="surrogate").json()
    one, other = (entry["resource"]["valueString"] for entry in answer["entry"])
    assert one == other != "Maria"


SAFE_HARBOR = {"valueString": "HHS_SAFE_HARBOR_DETERMINISTIC_METHOD"}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("", 400, "structure"),
        (f"<Bundle>{CANARY}", 400, "structure"),
        (b"\xff", 400, "structure"),
        ("[" * 100_000, 400, "structure"),
        ({"text": CANARY}, 400, "structure"),
        ([], 400, "structure"),
        (wrapped(), 422, "processing"),
        (wrapped(policy={"valueString": "tag"}), 422, "processing"),
        (wrapped(identifiableData={"resource": BUNDLE}, policy=SAFE_HARBOR), 422, "processing"),
        (wrapped(identifiableData={"resource": BUNDLE}, policy={}), 422, "processing"),
        (wrapped(identifiableData={"valueString": CANARY}), 422, "processing"),
        (wrapped(identifiableDataFileUrls={"resource": {}}), 422, "processing"),
        (wrapped(**{CANARY: {}}), 422, "processing"),
        ({"resourceType": "Parameters", "parameter": CANARY}, 422, "processing"),
        ({"resourceType": "Parameters", "parameter": [CANARY]}, 422, "processing"),
    ],
)
def test_errors_are_operation_outcomes_without_the_input(client, body, status, code):
    answer = post(client, body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/fhir+json"
    assert answer.json()["resourceType"] == "OperationOutcome"
    assert answer.json()["issue"][0]["code"] == code
    assert CANARY not in answer.text


def test_the_guard_speaks_fhir_too(serve):
    client = serve(max_body=1000, tokens={b"0" * 32: "ward"})
    answer = post(client, BUNDLE)
    assert answer.status_code == 401 and answer.json()["issue"][0]["code"] == "login"
