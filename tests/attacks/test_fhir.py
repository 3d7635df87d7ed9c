"""FHIR with text where the standard has none, and texts that make one note."""

from __future__ import annotations

import base64
import json

import pytest
from attack_files import redact_file, withheld

from spacy_deid.records import Fields

LONG = "Maria came back on 3/4/67, as she felt no better."
DIV = '<div xmlns="http://www.w3.org/1999/xhtml"><p>-</p></div>'


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def redact_resource(nlp, tmp_path, **elements):
    """What becomes of a resource, and why its texts were withheld."""
    resource = {"resourceType": "Observation", **elements}
    result, summary = redact_file(nlp, tmp_path, "a.json", json.dumps(resource))
    result = json.loads(result)
    assert result.pop("resourceType") == "Observation"
    return result, withheld(summary)


@pytest.mark.parametrize(
    "elements",
    [
        {"patientInstruction": LONG},
        {"extension": [{"url": "http://h/x", "valueMarkdown": LONG}]},
        {"dosageInstruction": [{"text": LONG}]},
        {"unknown": [[{"deep": [LONG, "short", LONG]}]]},
        {"comment": [LONG]},
        {"code": {"text": LONG, "coding": [{"code": "1", "display": "x"}]}},
        {"subject": {"display": LONG}},
        {"text": LONG},
        {"content": LONG},
    ],
)
def test_long_text_is_searched_wherever_it_stands(nlp, tmp_path, elements):
    result, errors = redact_resource(nlp, tmp_path, **elements)
    changed = json.dumps(elements).replace("Maria", "[PATIENT]").replace("3/4/67", "[DATE]")
    assert (result, errors) == (json.loads(changed), {})


@pytest.mark.parametrize(
    "elements",
    [
        {"code": {"coding": [{"code": "1", "display": "Disease of Lopez" + " and others" * 9}]}},
        {"name": [{"family": "Lopez", "given": ["Maria"]}]},
        {"url": "https://host/" + "A1b2C3d4E5f6G7h8/" * 9},
        {"checksum": "0123456789abcdef" * 8},
        {"valueSampledData": {"dimensions": 1, "data": "1.5 -2 3e5 E U L"}},
    ],
)
def test_codes_names_and_numbers_stay(nlp, tmp_path, elements):
    assert redact_resource(nlp, tmp_path, **elements) == (elements, {})


@pytest.mark.parametrize(
    "elements, row",
    [
        (
            {"extension": [{"valueBase64Binary": encoded("Maria")}]},
            "extension[0].valueBase64Binary",
        ),
        ({"signature": {"data": encoded("Maria")}}, "signature.data"),
        ({"a": {"contentType": ["text/plain"], "data": [encoded("Maria")]}}, "a.data[0]"),
        ({"a": {"dimensions": 1, "data": encoded("Maria")}}, "a.data"),
        ({"unknown": encoded(LONG)}, "unknown"),
        ({"unknown": "see " + encoded(LONG) + " there"}, "unknown"),
        ({"attachment": {"url": "data:text/plain;base64," + encoded("Maria")}}, "attachment.url"),
    ],
)
def test_base64_that_is_no_text_attachment_is_emptied(nlp, tmp_path, elements, row):
    result, errors = redact_resource(nlp, tmp_path, **elements)
    assert list(errors) == [row]
    assert encoded("Maria")[:6] not in json.dumps(result)


@pytest.mark.parametrize("data", ["TWFyaWE\u00e9", "not base64", "TWFyaW"])
def test_data_that_are_not_base64_are_emptied_and_the_rest_is_read(nlp, tmp_path, data):
    content = [{"attachment": {"contentType": "text/plain", "data": data}}]
    result, errors = redact_resource(nlp, tmp_path, content=content, note=[{"text": LONG}])
    assert result["content"][0]["attachment"]["data"] == ""
    assert list(errors) == ["content[0].attachment.data"]
    assert "Maria" not in json.dumps(result)


def test_binaries_of_older_versions_are_read(nlp, tmp_path):
    binary = {"resourceType": "Binary", "contentType": "text/plain", "content": encoded("Maria.")}
    result, summary = redact_file(nlp, tmp_path, "a.json", json.dumps(binary))
    assert json.loads(result)["content"] == encoded("[PATIENT].")
    assert summary.failures == []


def test_two_data_of_one_attachment_are_both_changed(nlp, tmp_path):
    first, second = encoded("Maria"), encoded("Lopez")
    old = (
        '{"resourceType": "Binary", "contentType": "text/plain", '
        f'"data": "{first}", "size": 5, "data": "{second}"}}'
    )
    result, _ = redact_file(nlp, tmp_path, "a.json", old)
    assert result.decode().count(encoded("[PATIENT]")) == 2
    assert json.loads(result)["size"] == len("[PATIENT]")


def test_a_div_is_emptied_wherever_it_stands(nlp, tmp_path):
    elements = {"text": [{"div": "<div>Maria</div>"}], "section": {"div": "<div>Lopez</div>"}}
    result, errors = redact_resource(nlp, tmp_path, **elements)
    assert (result, errors) == ({"text": [{"div": DIV}], "section": {"div": DIV}}, {})


def note(comment, **elements):
    return {
        "resourceType": "Observation",
        "comment": comment,
        "note": [{"text": "Maria Lopez came on 3/4/67."}],
        **elements,
    }


def surrogates(nlp, folder, name, *resources):
    folder.mkdir()
    data = "\n".join(map(json.dumps, resources))
    result, _ = redact_file(nlp, folder, name, data, policy="surrogate")
    return [json.loads(line) for line in result.splitlines()]


def test_texts_of_a_resource_share_surrogates(nlp, tmp_path):
    """One after the other in lines, each in a file, and all in a Bundle."""
    contained = {"resourceType": "Observation", "comment": "Lopez left on 3/4/67."}
    resources = [note("Lopez came on 3/4/67."), note("Lopez left.", contained=[contained])]
    lines = surrogates(nlp, tmp_path / "lines", "a.ndjson", *resources)
    for number, resource in enumerate(resources):
        assert surrogates(nlp, tmp_path / str(number), "a.json", resource) == [lines[number]]
    entries = [{"resource": resource} for resource in resources]
    bundle = {"resourceType": "Bundle", "entry": entries}
    for name in ("a.json", "a.ndjson"):
        (result,) = surrogates(nlp, tmp_path / f"bundle {name}", name, bundle)
        assert [entry["resource"] for entry in result["entry"]] == lines
    day = lines[0]["comment"].split()[-1]
    assert day != "3/4/67." and lines[0]["note"][0]["text"].endswith(day)


def test_patients_contained_in_their_resources_are_not_one_patient(nlp, tmp_path):
    resources = [note(text, subject={"reference": "#p"}) for text in ("one", "two")]
    first, second = surrogates(nlp, tmp_path / "lines", "a.ndjson", *resources)
    assert first["note"] != second["note"]


def test_fields_of_a_row_share_surrogates(nlp, tmp_path):
    row = {"a": "Lopez came on 3/4/67.", "b": "Lopez left on 3/4/67."}
    data = json.dumps(row)
    fields = Fields(("a", "b"))
    result, _ = redact_file(nlp, tmp_path, "a.jsonl", data, policy="surrogate", fields=fields)
    new = json.loads(result)
    assert new["a"].split()[-1] == new["b"].split()[-1] != "3/4/67."
