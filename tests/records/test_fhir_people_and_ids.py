"""The elements of FHIR that hold people, ids, addresses and dates beside the resources of people."""

from __future__ import annotations

import json

import pytest
from records_helpers import run

from spacy_deid.batch import redact_files
from spacy_deid.records import Fields

KEY = "a key of sixteen bytes"


def fields_of(resource):
    """The structured fields of a resource, and the resource with them in angle brackets."""
    data = json.dumps(resource).encode()
    records, out = run("fhir", data, Fields(structured=True), lambda text: f"<{text}>")
    return [(each.text, each.type) for each in records if each.type], json.loads(out)


NPI = "Practitioner?identifier=http://hl7.org/fhir/sid/us-npi|9999967690"


@pytest.mark.parametrize(
    ("reference", "element", "phi_type"),
    [
        (NPI, "basedOn", "DOCTOR"),
        (f"https://host/fhir/{NPI}", "basedOn", "DOCTOR"),
        ("Practitioner/lp1/_history/2", "basedOn", "DOCTOR"),
        ("https://host/fhir/Patient/7/_history/2", "basedOn", "PATIENT"),
        ("ServiceRequest?code=urn:x|7", "subject", ""),
        ("ServiceRequest/7/_history/2", "subject", ""),
        ("urn:uuid:0a/_history/2", "performer", "DOCTOR"),
        ("#p1", "performer", "DOCTOR"),
    ],
)
def test_references_tell_the_type_of_their_target(reference, element, phi_type):
    named = {"reference": reference, "display": "Dr. Lopez"}
    found, _ = fields_of({"resourceType": "Observation", element: named})
    types = [each for text, each in found if text == "Dr. Lopez"]
    assert types == [phi_type] * bool(phi_type)
