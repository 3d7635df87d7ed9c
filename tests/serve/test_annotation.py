"""The paths of Label Studio and INCEpTION."""

from __future__ import annotations

import pytest

from spacy_deid.corpora.xmi import NAMED_ENTITY
from spacy_deid.http.settings import token_digest

TEXT = "\U0001f600 Seen Maria\r\non 1/2/2067."
INTERFACE = """<View><Labels name="ner" toName="note"><Label value="Patient"/>
<Label value="DATE"/></Labels><Text name="note" value="$body"/></View>"""


def predict(client, *texts, **changes):
    tasks = [{"id": number, "data": {"body": text}} for number, text in enumerate(texts)]
    body = {
        "tasks": tasks, "label_config": INTERFACE, "project": "1.2", "params": {"context": None},
        **changes,
    }  # fmt: skip
    return client.post("/label-studio/predict", json=body)


def test_label_studio_connects(client):
    assert client.get("/label-studio/health").json()["status"] == "UP"
    project = {"project": "1.2", "schema": INTERFACE, "hostname": "", "access_token": "x"}
    answer = client.post("/label-studio/setup", json=project)
    assert answer.json()["model_version"].startswith("spacy-deid ")


def test_label_studio_gets_regions_by_the_names_of_its_interface(client):
    answer = predict(client, TEXT, "BOOM Maria", "")
    found, withheld, empty = answer.json()["results"]
    person, date = found["result"]
    assert person == {
        "id": "phi1", "type": "labels", "from_name": "ner", "to_name": "note", "score": 0.9,
        "value": {"start": 7, "end": 12, "text": "Maria", "labels": ["Patient"]},
    }  # fmt: skip
    assert TEXT[date["value"]["start"] : date["value"]["end"]] == "1/2/2067"
    assert date["value"]["labels"] == ["DATE"] and found["score"] == 0.9
    assert withheld["result"] == [] and "toy_detector" in withheld["model_version"]
    assert "Maria" not in str(withheld)
    assert (empty["result"], empty["score"]) == ([], 1.0)


def test_label_studio_without_an_interface_gets_the_names_that_we_write(client):
    body = {"tasks": [{"data": {"text": TEXT}}]}
    (found,) = client.post("/label-studio/predict", json=body).json()["results"]
    assert found["result"][0]["from_name"] == "label"
    assert found["result"][0]["value"]["labels"] == ["PATIENT"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tasks": [{"data": {"other": "Maria"}}]}, "body.tasks.0.data: it has no text"),
        ({"label_config": "<View>Maria"}, "is not valid XML"),
        ({"label_config": f"<View>{'<a/>' * 25_000}</View>"}, "at most 100000 characters"),
        ({"label_config": "<!DOCTYPE a [<!ENTITY b 'Maria'>]><View/>"}, "is not valid XML"),
        ({"label_config": "<View><Text name='Maria' value='$a'/></View>"}, "no Labels for a Text"),
        (
            {"label_config": INTERFACE.replace("<Text ", '<Text valueType="url" ')},
            "the server fetches no URLs",
        ),
    ],
)
def test_label_studio_is_told_what_is_wrong(client, changes, reason):
    answer = predict(client, TEXT, **changes)
    assert answer.status_code == 422 and reason in answer.json()["error"]
    assert "Maria" not in answer.text


def test_a_token_may_be_the_password_of_a_client(serve):
    client = serve(tokens={token_digest("correct-horse-battery"): "label studio"})
    path = "/label-studio/health"
    assert client.get(path).status_code == 401
    assert client.get(path, auth=("any", "correct-horse-battery")).status_code == 200
    for wrong in [("any", "wrong"), ("correct-horse-battery", "")]:
        assert client.get(path, auth=wrong).status_code == 401
    for header in ["Basic", "Basic \xff", "Basic ====", "correct-horse-battery"]:
        assert client.get(path, headers={"Authorization": header.encode("latin-1")}).is_error


@pytest.fixture
def document():
    """A request of INCEpTION, as its server sends it."""
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    layer = types.create_type(NAMED_ENTITY, "uima.tcas.Annotation")
    for feature, kind in {
        "value": "String", "value_score": "Double", "inception_internal_predicted": "Boolean",
    }.items():  # fmt: skip
        types.create_feature(layer, feature, f"uima.cas.{kind}")
    cas = cassis.Cas(types)
    cas.sofa_string = TEXT
    cas.sofa_mime = "text/plain"
    metadata = {
        "layer": NAMED_ENTITY, "feature": "value", "projectId": 1, "anchoringMode": "tokens",
        "crossSentence": False,
    }  # fmt: skip
    return {
        "metadata": metadata,
        "document": {"xmi": cas.to_xmi(), "documentId": 42, "userId": "ann"},
        "typeSystem": types.to_xml(),
    }


@pytest.mark.parametrize("name", ["metadata", "config"])
def test_inception_gets_its_document_with_predictions(client, document, name):
    from cassis import load_cas_from_xmi, load_typesystem

    document[name] = document.pop("metadata")
    answer = client.post("/inception/predict", json=document)
    cas = load_cas_from_xmi(answer.json()["document"], load_typesystem(document["typeSystem"]))
    found = cas.select(NAMED_ENTITY)
    assert [(each.get_covered_text(), each.value) for each in found] == [
        ("Maria", "PATIENT"),
        ("1/2/2067", "DATE"),
    ]
    assert all(each.inception_internal_predicted and each.value_score == 0.9 for each in found)
    assert cas.sofa_string == TEXT and 'begin="8"' in answer.json()["document"]  # UTF-16


def test_inception_is_told_what_is_wrong(client, document):
    for change, status in [
        ({"metadata": {"layer": "custom.Maria", "feature": "value"}}, 422),
        ({"metadata": {"layer": NAMED_ENTITY, "feature": "Maria"}}, 422),
        ({"document": {"xmi": "<Maria"}}, 422),
        ({"typeSystem": "<!DOCTYPE a [<!ENTITY b 'Maria'>]><a/>"}, 422),
        ({"typeSystem": "<Maria/>"}, 422),
    ]:
        answer = client.post("/inception/predict", json={**document, **change})
        assert answer.status_code == status and "Maria" not in answer.text
    document["document"]["xmi"] = document["document"]["xmi"].replace("Seen", "BOOM")
    answer = client.post("/inception/predict", json=document)
    assert answer.status_code == 422 and "withheld" in answer.json()["error"]
