"""Elements of FHIR that hold people, ids, addresses and dates, in resources of any type."""

from __future__ import annotations

import json
from urllib.parse import quote, unquote

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


STAFF = "staff and places"
V2 = "http://terminology.hl7.org/CodeSystem/v2-0203"
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


@pytest.mark.parametrize(
    ("element", "kind", "phi_type"),
    [
        ("basedOn", "Patient", "PATIENT"),
        ("performer", "Location", "HOSPITAL"),
        ("location", "PractitionerRole", "DOCTOR"),
        ("performer", "CareTeam", "DOCTOR"),
        ("performer", "Device", ""),
        ("performer", None, "DOCTOR"),
        ("basedOn", "CareTeam", ""),
    ],
)
def test_the_target_of_a_reference_may_be_in_the_bundle_or_contained(element, kind, phi_type):
    entry = {"fullUrl": "urn:uuid:1", "resource": {"resourceType": kind}}
    task = {"resourceType": "Task", element: {"reference": "urn:uuid:1", "display": "Quist"}}
    found, _ = fields_of({"resourceType": "Bundle", "entry": [{"resource": task}, entry]})
    assert found == [("Quist", phi_type)] * bool(phi_type)
    tasks = [
        {
            "resourceType": "Task",
            "contained": [{"resourceType": each, "id": "1"}],
            element: {"reference": "#1", "display": "Quist"},
        }
        for each in ("Endpoint", kind, "Endpoint")
    ]
    entries = [{"resource": each} for each in tasks]
    of_each = [fields_of(each)[0] for each in tasks]
    assert of_each[1] == found
    assert fields_of({"resourceType": "Bundle", "entry": entries})[0] == sum(of_each, [])


@pytest.mark.parametrize(
    ("kind", "element", "phi_type"),
    [
        ("Task", {"for": {}}, "PATIENT"),
        ("Person", {"link": [{"target": {}}]}, "PATIENT"),
        ("Provenance", {"target": {}}, ""),
        ("Consent", {"grantor": [{}]}, "PATIENT"),
        ("Consent", {"manager": [{}]}, "DOCTOR"),
        ("Consent", {"verification": [{"verifiedBy": {}}]}, "DOCTOR"),
        ("Consent", {"provision": {"actor": [{"reference": {}}]}}, "DOCTOR"),
        ("Consent", {"provision": {"data": [{"reference": {}}]}}, ""),
        ("MedicationRequest", {"requester": {"agent": {}}}, "DOCTOR"),
        ("Provenance", {"agent": [{"whoReference": {}}]}, "DOCTOR"),
        ("AuditEvent", {"agent": [{"reference": {}}]}, "DOCTOR"),
        ("ServiceRequest", {"location": [{"reference": {}}]}, "HOSPITAL"),
        ("MedicationRequest", {"medication": {"reference": {}}}, ""),
        ("SupplyRequest", {"deliverTo": {}}, "PATIENT"),
        ("SupplyDelivery", {"supplier": {}}, "HOSPITAL"),
        ("Immunization", {"manufacturer": {}}, ""),
        ("DocumentReference", {"context": {"sourcePatientInfo": {}}}, "PATIENT"),
        ("NutritionOrder", {"orderer": {}}, "DOCTOR"),
        ("AuditEvent", {"source": {"observer": {}}}, "DOCTOR"),
        ("Claim", {"facility": {}}, "HOSPITAL"),
        ("ServiceRequest", {"locationReference": [{}]}, "HOSPITAL"),
        ("Coverage", {"payor": [{}]}, "HOSPITAL"),
        ("Coverage", {"insurer": {}}, "HOSPITAL"),
    ],
)
def test_elements_tell_what_other_references_name(kind, element, phi_type):
    named = json.loads(json.dumps(element).replace("{}", '{"display": "Quist"}'))
    found, _ = fields_of({"resourceType": kind, **named})
    assert found == [("Quist", phi_type)] * bool(phi_type)


@pytest.mark.parametrize(
    ("element", "parts"),
    [
        ({"reference": NPI}, {"9999967690": "IDNUM"}),
        ({"reference": "Patient?identifier=ab-9"}, {"ab-9": "IDNUM"}),
        ({"request": {"url": "Patient?identifier=urn%3Amrn%7Cab-9"}}, {"ab-9": "IDNUM"}),
        ({"request": {"ifNoneExist": "identifier=urn:mrn|ab-9&active=x"}}, {"ab-9": "IDNUM"}),
        ({"request": {"ifNoneExist": "identifier=urn:a|1,urn:b|2"}}, {"1": "IDNUM", "2": "IDNUM"}),
        (
            {"reference": "Patient?identifier=urn:a%7C14%2Curn:b%7C25"},
            {"14": "IDNUM", "25": "IDNUM"},
        ),
        ({"reference": "Patient?identifier:of-type=http://t|MR|4711"}, {"4711": "IDNUM"}),
        ({"reference": "Patient?identifier%3Aof-type=http://t|MR|4711"}, {"4711": "IDNUM"}),
        ({"reference": "Patient?identifier=urn:a|47|11"}, {"47|11": "IDNUM"}),
        ({"reference": "Patient?given=Jane%20Ann"}, {"Jane%20Ann": "PATIENT"}),
        ({"reference": "Patient?phonetic=Kwist"}, {"Kwist": "PATIENT"}),
        ({"reference": "Patient?phone=%2B1%20555%200134"}, {"%2B1%20555%200134": "PHONE"}),
        ({"reference": "Patient?address=12%20Elm,Bell"}, {"12%20Elm": "STREET", "Bell": "STREET"}),
        (
            {"reference": "Location?address-city=Bell&address-state=PA&address-use=home"},
            {"Bell": "CITY", "PA": "STATE"},
        ),
        (
            {"reference": "Patient?address-postalcode=48104&address-country=US"},
            {"48104": "ZIP", "US": "COUNTRY"},
        ),
        (
            {"reference": "Encounter?date=ge2067-01-03T10%3A00%3A00Z"},
            {"2067-01-03T10%3A00%3A00Z": "DATE"},
        ),
        (
            {"request": {"ifNoneExist": "identifier=u|7&identifier=v|8&birthdate=1956-03-04"}},
            {"7": "IDNUM", "8": "IDNUM", "1956-03-04": "DATE"},
        ),
        (
            {"link": [{"url": "http://h/Patient?family:exact=Zorg&birthdate=ge1956-03-04"}]},
            {"Zorg": "PATIENT", "1956-03-04": "DATE"},
        ),
        ({"link": [{"url": "Observation?patient.identifier=u|7"}]}, {"7": "IDNUM"}),
        ({"link": [{"url": "Observation?patient:Patient.name=Zorg"}]}, {"Zorg": "PATIENT"}),
        ({"link": [{"url": "Observation?subject:identifier=u|7"}]}, {"7": "IDNUM"}),
        ({"reference": "Practitioner?identifier=http://dl|"}, {}),
        ({"reference": "Practitioner?identifier=http%3A%2F%2Fdl%7C"}, {}),
        ({"reference": "Patient?identifier=urn:a|,urn:b|25"}, {"25": "IDNUM"}),
        ({"reference": "Patient?identifier:of-type=http://t|MR|"}, {}),
        ({"reference": "Observation?code=http://loinc.org|8867-4"}, {}),
        ({"reference": "Patient/identifier"}, {}),
    ],
)
def test_what_searches_look_for_is_redacted(element, parts):
    found, changed = fields_of({"resourceType": "Observation", "basedOn": element})
    assert found == [(unquote(part), phi_type) for part, phi_type in parts.items()]
    expected = json.dumps(element)
    for part in parts:
        expected = expected.replace(part, quote(f"<{unquote(part)}>", "/:@[]"))
    assert changed["basedOn"] == json.loads(expected)
    data = json.dumps({"resourceType": "Observation", "basedOn": element}).encode()
    assert run("fhir", data, Fields(structured=True), str)[1] == data


@pytest.mark.parametrize(
    ("search", "text"),
    [
        ("name=Rivertown+General+Hospital", "Rivertown General Hospital"),
        ("name=Tom%2BJerry", "Tom+Jerry"),
        ("phone=+1+555+0134", "+1 555 0134"),
        ("phone=phone|+15550134", "+15550134"),
        ("address=12+Elm+48104", "12 Elm 48104"),
        ("date=2067-01-03T10:00:00+05:00", "2067-01-03T10:00:00+05:00"),
    ],
)
def test_plus_stands_for_a_blank_in_searches(search, text):
    resource = {"resourceType": "Basic", "author": {"reference": f"Organization?{search}"}}
    data = json.dumps(resource).encode()
    (record,), out = run("fhir", data, Fields(structured=True), str)
    assert (record.text, out) == (text, data)
    _, changed = fields_of(resource)
    new = changed["author"]["reference"]
    assert new.endswith(quote(f"<{text}>", "/:@[]"))


@pytest.mark.parametrize("bundled", [False, True])
def test_searches_have_the_surrogates_of_their_patient(nlp, tmp_path, bundled):
    mrn = {"type": {"coding": [{"code": "MR"}]}, "system": "urn:mrn", "value": "00418820"}
    patient = {
        "resourceType": "Patient",
        "id": "7",
        "identifier": [mrn],
        "birthDate": "1956-03-04",
        "link": [{"other": {"reference": "Patient?identifier=urn:mrn|00418820"}}],
    }
    if not bundled:
        result = surrogates(nlp, tmp_path, patient)
        search = result["link"][0]["other"]["reference"].partition("?")[2]
    else:
        request = {"ifNoneExist": "identifier=urn:mrn|00418820&birthdate=1956-03-04"}
        entry = {"fullUrl": "urn:uuid:1", "resource": patient, "request": request}
        bundle = surrogates(nlp, tmp_path, {"resourceType": "Bundle", "entry": [entry]})
        result = bundle["entry"][0]["resource"]
        search, _, birth = bundle["entry"][0]["request"]["ifNoneExist"].partition("&")
        assert birth == f"birthdate={result['birthDate']}" != "birthdate=1956-03-04"
    number = result["identifier"][0]["value"]
    assert search == f"identifier=urn:mrn|{number}" != "identifier=urn:mrn|00418820"


@pytest.mark.parametrize("kind", ["Practitioner", "Organization"])
def test_staff_and_places_have_one_identifier_for_all_patients(nlp, tmp_path, kind):
    own = {"resourceType": kind, "identifier": [{"system": "urn:npi", "value": "9999012345"}]}
    search = "identifier=urn:npi|9999012345"
    request = {"url": kind, "ifNoneExist": search}
    target = {"reference": f"{kind}?{search}"}
    visits = [
        {"resourceType": "Encounter", "subject": {"reference": f"Patient/{each}"}, "who": target}
        for each in (7, 8)
    ]
    entries = [{"resource": own, "request": request}, *({"resource": each} for each in visits)]
    bundle = {"resourceType": "Bundle", "entry": entries}
    first, *others = surrogates(nlp, tmp_path, bundle)["entry"]
    number = first["resource"]["identifier"][0]["value"]
    assert number != "9999012345"
    search = f"identifier=urn:npi|{number}"
    assert first["request"]["ifNoneExist"] == search
    assert {each["resource"]["who"]["reference"] for each in others} == {f"{kind}?{search}"}
    for alone in (own, visits[0]):
        assert number in json.dumps(surrogates(nlp, tmp_path / alone["resourceType"], alone))


@pytest.mark.parametrize(
    ("element", "reference", "target", "shared"),
    [
        ("performer", {}, "", True),
        ("performer", {"reference": "Organization/7"}, "", True),
        ("performer", {"reference": "urn:uuid:1"}, "Practitioner", True),
        ("performer", {"reference": "urn:uuid:1"}, "Patient", False),
        ("performer", {"type": "Patient"}, "", False),
        ("performer", {"type": "Device"}, "", False),
        ("basedOn", {"type": "PractitionerRole"}, "", True),
        ("basedOn", {"type": "http://hl7.org/fhir/StructureDefinition/Organization"}, "", True),
        ("basedOn", {}, "", False),
        ("subject", {}, "", False),
    ],
)
def test_references_tell_whose_identifiers_are_shared(element, reference, target, shared):
    named = {**reference, "identifier": {"system": "urn:npi", "value": "9999012345"}}
    visit = {"resourceType": "Encounter", "subject": {"reference": "Patient/7"}, element: [named]}
    entry = {"fullUrl": "urn:uuid:1", "resource": {"resourceType": target}}
    bundle = {"resourceType": "Bundle", "entry": [{"resource": visit}, entry]}
    records, _ = run("fhir", json.dumps(bundle).encode(), Fields(structured=True))
    (patient,) = [each.patient_id for each in records if each.text == "9999012345"]
    assert (patient == STAFF) == shared


@pytest.mark.parametrize(
    ("search", "phi_type"),
    [
        ("Patient?name=Quist", "PATIENT"),
        ("Practitioner?name=Quist", "DOCTOR"),
        ("Practitioner?given:exact=Quist", "DOCTOR"),
        ("Organization?name=Quist", "HOSPITAL"),
        ("Account?name=Quist", "PATIENT"),
        ("Encounter?practitioner.name=Quist", "DOCTOR"),
        ("Encounter?subject:Patient.name=Quist", "PATIENT"),
        ("Encounter?unknown.name=Quist", "PATIENT"),
        ("name=Quist", "PATIENT"),
        ("ValueSet?name=Quist", ""),
        ("ValueSet?family=Quist", "PATIENT"),
        ("https://pacs.example.org/Viewer?name=Quist", "PATIENT"),
        ("CareTeam?name=Quist", "PATIENT"),
        ("Observation?subject:Device.name=Quist", ""),
    ],
)
def test_names_in_searches_are_those_of_what_is_searched(search, phi_type):
    condition = {"request": {"ifNoneExist": search}}
    found, _ = fields_of({"resourceType": "Bundle", "entry": [condition]})
    assert found == [("Quist", phi_type)] * bool(phi_type)


@pytest.mark.parametrize(
    ("search", "shared"),
    [
        ("Practitioner?identifier:of-type=http://t|MD|4711", True),
        ("PractitionerRole?practitioner.identifier=urn:npi|4711", True),
        ("Encounter?service-provider.identifier=urn:npi|4711", True),
        ("Patient?general-practitioner:identifier=urn:npi|4711", True),
        ("Observation?performer:Patient.identifier=urn:mrn|4711", False),
        ("Observation?performer:Organization.identifier=urn:npi|4711", True),
        ("PractitionerRole?unknown.identifier=urn:npi|4711", False),
        ("Observation?patient.identifier=urn:mrn|4711", False),
        ("Observation?identifier=urn:mrn|4711", False),
        ("Practitioner?phone=4711", False),
    ],
)
def test_searches_tell_whose_identifiers_are_shared(search, shared):
    visit = {"resourceType": "Encounter", "subject": {"reference": "Patient/7"}}
    data = json.dumps({**visit, "who": {"reference": search}}).encode()
    (record,), _ = run("fhir", data, Fields(structured=True))
    assert (record.text, record.patient_id == STAFF) == ("4711", shared)


P7, P8 = {"reference": "Patient/7"}, {"reference": "http://h/Patient/8/_history/1"}
DR = {"reference": "Practitioner/7"}
OF_TYPE = {"type": "Patient", "identifier": {"value": "1"}}
INSIDE = {"resourceType": "Patient", "id": "8"}


@pytest.mark.parametrize(
    ("kind", "element", "patient"),
    [
        ("Coverage", {"beneficiary": P7, "subscriber": P8}, "7"),
        ("Account", {"subject": [P7]}, "7"),
        ("Account", {"subject": [P8, {"reference": "Organization/7"}]}, "8"),
        ("Account", {"subject": [P7, P8], "guarantor": [{"party": P7}]}, ""),
        ("Account", {"subject": [{"display": "x"}], "guarantor": [{"party": P7}]}, ""),
        ("Task", {"for": P7, "requester": P8}, "7"),
        ("EnrollmentRequest", {"candidate": P8}, "8"),
        ("ResearchSubject", {"individual": P7}, "7"),
        ("Appointment", {"participant": [{"actor": P7}, {"actor": DR}]}, "7"),
        ("Appointment", {"participant": [{"actor": P7}, {"actor": P8}]}, ""),
        ("Appointment", {"participant": [{"actor": P7}, {"actor": OF_TYPE}]}, ""),
        ("Appointment", {"participant": [{"actor": {"reference": "urn:uuid:7"}}]}, "7"),
        ("Appointment", {"participant": [{"actor": {"reference": "urn:uuid:9"}}]}, ""),
        ("Provenance", {"target": [P7, {"reference": "Encounter/9"}, P7]}, "7"),
        ("AuditEvent", {"entity": [{"what": P8}]}, "8"),
        ("Person", {"link": [{"target": P7}, {"target": DR}]}, "7"),
        ("Person", {"link": [{"target": P7}, {"target": P8}]}, ""),
        ("RelatedPerson", {"patient": P7}, "7"),
        ("Group", {"member": [{"entity": P7}]}, "7"),
        ("Group", {"member": [{"entity": P7}, {"entity": P8}]}, ""),
        ("Patient", {"link": [{"other": P7}]}, "1"),
        ("Practitioner", {"extension": [{"valueReference": P7}]}, ""),
        ("Parameters", {"parameter": [{"resource": {"subject": P7, "resourceType": "x"}}]}, ""),
        ("Encounter", {"contained": [INSIDE], "subject": P7}, "7"),
        ("Encounter", {"contained": [INSIDE], "subject": {"reference": "#8"}, "x": P7}, ""),
        ("Appointment", {"contained": [INSIDE], "actor": {"reference": "#8"}, "x": P7}, ""),
        ("Appointment", {"contained": [INSIDE], "actor": {"reference": "#8"}}, ""),
        ("Provenance", {"contained": [{"resourceType": "Coverage", "beneficiary": P7}]}, "7"),
    ],
)
def test_a_resource_is_of_the_only_patient_to_whom_it_refers(kind, element, patient):
    known = {"fullUrl": "urn:uuid:7", "resource": {"resourceType": "Patient", "id": "7"}}
    note = {"resourceType": kind, "id": "1", "note": [{"text": "x"}], **element}
    outcome = {"resourceType": "OperationOutcome", "note": [{"text": "x"}]}
    entries = [{"resource": note, "response": {"outcome": outcome}}, known]
    bundle = {"resourceType": "Bundle", "entry": entries, "signature": {"who": P8}}
    records, _ = run("fhir", json.dumps(bundle).encode())
    assert [each.patient_id for each in records] == [patient] * 2


def test_contained_patients_are_of_the_patient_around_them():
    visit = {"resourceType": "Encounter", "contained": [{**INSIDE, "birthDate": "1956-03-04"}]}
    for more, patient in (({}, ""), ({"subject": P7}, "7")):
        data = json.dumps({**visit, **more}).encode()
        (record,), _ = run("fhir", data, Fields(structured=True))
        assert (record.text, record.patient_id) == ("1956-03-04", patient)


def surrogates(nlp, tmp_path, resource):
    tmp_path.mkdir(exist_ok=True)
    source, out = tmp_path / "a.json", tmp_path / "out"
    source.write_text(json.dumps(resource))
    redact_files([source], out, nlp, fields=Fields(structured=True), key=KEY, policy="surrogate")
    return json.loads((out / "a.json").read_text())


@pytest.mark.parametrize(
    "value",
    [
        *("2067-01-03", "2067-01-03T04:05:06.789-05:00", "2067-01-03 04:05"),
        *("2067-01-03T04:05:06.789+0000", "2067-01-03T04:05:06-0500"),
    ],
)
@pytest.mark.parametrize(
    "element",
    [
        {"lastOccurrence": "{}"},
        {"detected": "{}"},
        {"dateWritten": "{}"},
        {"answer": [{"valueString": "{}"}]},
        {"code": {"text": "{}"}},
        {"unknown": ["{}"]},
    ],
)
def test_dates_with_a_day_are_dates_in_any_element(element, value):
    resource = json.dumps({"resourceType": "Basic", **element})
    found, changed = fields_of(json.loads(resource.replace("{}", value)))
    assert found == [(value, "DATE")]
    assert changed == json.loads(resource.replace("{}", f"<{value}>"))


@pytest.mark.parametrize(
    "name",
    ["code", "valueCode", "id", "linkId", "version", "versionId", "fhirVersion", "system"],
)
def test_codes_versions_and_ids_are_no_dates(name):
    assert fields_of({"resourceType": "Basic", "code": {name: "2067-01-03"}})[0] == []


@pytest.mark.parametrize(
    ("element", "is_date"),
    [
        ({"birthDate": "03/04/1956"}, True),
        ({"birthDate": "19560304"}, True),
        ({"birthDate": "1956-3-4"}, True),
        ({"birthDate": "04-MAR-1956"}, True),
        ({"birthDate": "1956-13"}, True),
        ({"period": {"start": "20670304101500+0000"}}, True),
        ({"birthDate": "unknown"}, False),
        ({"issued": "told to Dr. Kwint by phone on 03/12/2067 at 10:00"}, False),
        ({"repeat": {"when": ["ACM"]}}, False),
        ({"valueTime": "10:15:00"}, False),
        ({"availableTime": [{"availableStartTime": "8:00"}]}, False),
        ({"variant": [{"start": 20670304}]}, False),
    ],
)
def test_elements_of_dates_hold_other_forms_too(element, is_date):
    found, _ = fields_of({"resourceType": "Basic", **element})
    assert [phi_type for _, phi_type in found] == ["DATE"] * is_date


@pytest.mark.parametrize("value", ["2067", "2067-01", "2067-13-01", "2067-01-03 to 2067-01-04"])
def test_other_strings_are_no_dates(value):
    assert fields_of({"resourceType": "Basic", "lastOccurrence": value})[0] == []


@pytest.mark.parametrize(
    ("kind", "element", "phi_type"),
    [
        ("Device", {"udiCarrier": [{"carrierHRF": "ab-9", "deviceIdentifier": "x"}]}, "DEVICE"),
        ("Device", {"udiCarrier": [{"carrierAIDC": "ab-9"}]}, "DEVICE"),
        ("Device", {"distinctIdentifier": "ab-9"}, "DEVICE"),
        ("ImagingStudy", {"uid": "ab-9"}, "IDNUM"),
        ("ImagingStudy", {"series": [{"uid": "ab-9"}]}, "IDNUM"),
        ("ImagingStudy", {"series": [{"instance": [{"uid": "ab-9"}]}]}, "IDNUM"),
        ("ImagingStudy", {"series": [{"instance": [{"sopClass": {"code": "x"}}]}]}, ""),
        ("FamilyMemberHistory", {"name": "ab-9"}, "PATIENT"),
        ("AuditEvent", {"agent": [{"name": "ab-9", "type": {"text": "x"}}]}, "DOCTOR"),
        ("AuditEvent", {"agent": [{"altId": "ab-9"}]}, "USERNAME"),
        ("AuditEvent", {"agent": [{"network": {"address": "ab-9", "type": "2"}}]}, "IPADDR"),
        ("AuditEvent", {"agent": [{"networkString": "ab-9"}]}, "IPADDR"),
        ("AuditEvent", {"agent": [{"networkUri": "ab-9"}]}, "URL"),
        ("AuditEvent", {"entity": [{"name": "ab-9"}]}, "PATIENT"),
        ("Claim", {"accident": {"locationAddress": {"line": ["ab-9"], "use": "x"}}}, "STREET"),
        ("Encounter", {"extension": [{"valueAddress": {"city": "ab-9"}}]}, "CITY"),
        ("Encounter", {"extension": [{"valueHumanName": {"family": "ab-9"}}]}, "PATIENT"),
        ("Encounter", {"extension": [{"valueContactDetail": {"name": "ab-9"}}]}, "PATIENT"),
        ("Parameters", {"parameter": [{"valueHumanName": {"text": "ab-9"}}]}, "PATIENT"),
        ("InsurancePlan", {"contact": [{"name": {"family": "ab-9"}}]}, "PATIENT"),
        ("Coverage", {"class": [{"name": "Gold", "value": "ab-9"}]}, "HEALTHPLAN"),
        ("Coverage", {"subscriberId": [{"value": "ab-9"}]}, "HEALTHPLAN"),
        ("Coverage", {"class": [{"name": "Gold", "value": {"value": "ab-9"}}]}, "HEALTHPLAN"),
        ("Claim", {"item": [{"traceNumber": [{"value": "ab-9"}]}]}, "IDNUM"),
        ("Claim", {"related": [{"reference": {"value": "ab-9"}}]}, "IDNUM"),
        ("ImagingStudy", {"accession": {"value": "ab-9"}}, "IDNUM"),
        ("AuditEvent", {"agent": [{"userId": {"value": "ab-9"}}]}, "IDNUM"),
        ("ImagingSelection", {"studyUid": "ab-9"}, "IDNUM"),
        ("ImagingSelection", {"instance": [{"uid": "ab-9"}]}, "IDNUM"),
        ("Basic", {"x": {"value": "ab-9", "system": "urn:oid:1.2", "use": "official"}}, "IDNUM"),
        ("Basic", {"x": {"value": "ab-9", "assigner": {"reference": "Organization/1"}}}, "IDNUM"),
        (
            "Basic",
            {"x": [{"value": "ab-9", "type": {"coding": [{"code": "MR", "system": V2}]}}]},
            "MEDICALRECORD",
        ),
        ("Basic", {"x": {"value": 9, "system": "http://unitsofmeasure.org"}}, ""),
        ("Basic", {"x": {"value": "9", "system": "http://unitsofmeasure.org", "code": "mg"}}, ""),
        ("Basic", {"x": {"value": "9", "unit": "mg", "system": "http://unitsofmeasure.org"}}, ""),
        ("Basic", {"x": {"value": 9, "currency": "USD"}}, ""),
        ("Basic", {"x": [{"value": "x"}]}, ""),
        ("Basic", {"x": [{"system": "http://loinc.org", "code": "1-8", "display": "x"}]}, ""),
        ("Device", {"version": [{"type": {"text": "firmware"}, "value": "1.0"}]}, ""),
        ("CodeSystem", {"designation": [{"use": {"code": "x"}, "value": "x"}]}, ""),
        ("ConceptMap", {"dependsOn": [{"property": "x", "system": "urn:x", "value": "x"}]}, ""),
        ("NamingSystem", {"uniqueId": [{"type": "oid", "value": "2.16"}]}, ""),
        ("Endpoint", {"contact": [{"system": "email", "value": "ab-9"}]}, "EMAIL"),
        ("Endpoint", {"contact": [{"value": "ab-9"}]}, "PHONE"),
        ("Basic", {"x": [{"system": "phone", "use": "home", "value": "ab-9"}]}, "PHONE"),
        ("HealthcareService", {"name": "ab-9"}, "HOSPITAL"),
        ("Account", {"name": "ab-9"}, "PATIENT"),
        ("Questionnaire", {"name": "x"}, ""),
        ("Questionnaire", {"contact": [{"name": "x", "telecom": [{"value": "ab-9"}]}]}, "PHONE"),
        ("HealthcareService", {"telecom": [{"system": "email", "value": "ab-9"}]}, "EMAIL"),
        ("Basic", {"extension": [{"valueContactPoint": {"value": "ab-9"}}]}, "PHONE"),
        ("Patient", {"identifier": [{"assigner": {"display": "ab-9"}}]}, "HOSPITAL"),
        ("Encounter", {"hospitalization": {"origin": {"display": "ab-9"}}}, "HOSPITAL"),
        ("Encounter", {"hospitalization": {"destination": {"display": "ab-9"}}}, "HOSPITAL"),
        ("Location", {"partOf": {"display": "ab-9"}}, "HOSPITAL"),
        ("Organization", {"partOf": {"reference": "urn:uuid:1", "display": "ab-9"}}, "HOSPITAL"),
        ("Procedure", {"partOf": {"reference": "urn:uuid:1", "display": "x"}}, ""),
        ("Basic", {"author": {"reference": "HealthcareService/1", "display": "ab-9"}}, "HOSPITAL"),
    ],
)
def test_people_places_and_ids_in_other_resources(kind, element, phi_type):
    found, changed = fields_of({"resourceType": kind, **element})
    assert found == [("ab-9", phi_type)] * bool(phi_type)
    assert changed == {
        "resourceType": kind,
        **json.loads(json.dumps(element).replace("ab-9", "<ab-9>")),
    }


NUMBERS = {
    "identifier": [{"value": 4711}, {"value": 418820.0}],
    "address": [{"postalCode": 48104}],
    "serialNumber": 77,
    "valueQuantity": {"value": 4711},
    "variant": [{"start": 2067, "end": 2068}],
    "active": True,
}


def test_ids_and_zip_codes_may_be_numbers():
    found, changed = fields_of({"resourceType": "Basic", **NUMBERS})
    expected = [("4711", "IDNUM"), ("418820", "IDNUM"), ("48104", "ZIP"), ("77", "DEVICE")]
    assert found == expected
    assert changed["identifier"] == [{"value": "<4711>"}, {"value": "<418820>"}]
    kept = ("valueQuantity", "variant", "active")
    assert {name: changed[name] for name in kept} == {name: NUMBERS[name] for name in kept}
    data = json.dumps({"resourceType": "Basic", **NUMBERS}).encode()
    assert run("fhir", data, Fields(structured=True), str)[1] == data
    assert run("fhir", data) == ([], data)


def test_coordinates_of_addresses_are_masked_in_any_resource():
    place = {"url": "http://h/geolocation", "extension": [{"url": "latitude", "valueDecimal": 4.1}]}
    extension = {"url": "http://h/home", "valueAddress": {"extension": [place]}}
    _, changed = fields_of({"resourceType": "Encounter", "extension": [extension]})
    assert "4.1" not in json.dumps(changed)


ADDRESS = {
    "line": ["14 Oak St", "Apt 2"],
    "city": "Bell",
    "state": "PA",
    "postalCode": "15213",
    "country": "US",
}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("14 Oak St, Apt 2, Bell, PA 15213", []),
        ("c/o Kwint, 14 Oak St, Bell PA 15213-0142 US", ["c/o Kwint", "0142"]),
        ("PATTON 15213", ["PATTON"]),
        ("14 Elm", ["14 Elm"]),
        ("-", []),
    ],
)
def test_the_text_of_an_address_is_its_parts_and_streets(text, rest):
    resource = {"resourceType": "Patient", "address": [{**ADDRESS, "text": text}]}
    found, changed = fields_of(resource)
    types = {
        **{"14 Oak St": "STREET", "Apt 2": "STREET", "Bell": "CITY", "PA": "STATE"},
        **{"15213": "ZIP", "US": "COUNTRY"},
    }
    parts = found[6:]
    assert {part for part in parts if part[0] not in types} == {(each, "STREET") for each in rest}
    assert all(types.get(part, "STREET") == phi_type for part, phi_type in parts)
    for part, _ in parts:
        text = text.replace(part, f"<{part}>")
    assert changed["address"][0]["text"] == text


def test_an_address_has_the_surrogates_of_its_parts(nlp, tmp_path):
    address = {**ADDRESS, "text": "14 Oak St, Apt 2, Bell, PA 15213"}
    patient = {"resourceType": "Patient", "address": [address, {"text": "9 Elm St"}]}
    new, alone = surrogates(nlp, tmp_path, patient)["address"]
    street, flat = new["line"]
    city, state, code = (new[name] for name in ("city", "state", "postalCode"))
    assert new["text"] == f"{street}, {flat}, {city}, {state} {code}"
    assert not {"Bell", "15213"} & {*new["text"].replace(",", "").split()}
    assert alone["text"] != "9 Elm St"


def text_in(value, url):
    extension = {"url": url, "extension": [{"url": "text", "valueString": value}]}
    return {"resourceType": "Patient", "extension": [extension]}


def result(value, **more):
    return {"resourceType": "Observation", "valueString": value, **more}


LONG = "seen by Pia Quarles for what his mother says"
RACE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"
RANGE = {"referenceRange": [{"text": "Clear"}]}
ABNORMAL = {"interpretation": [{"coding": [{"code": "A"}]}]}


@pytest.mark.parametrize(
    "resource",
    [
        text_in("White", RACE),
        text_in("Not Hispanic or Latino", RACE.replace("race", "ethnicity")),
        result("Cloudy", **RANGE),
        result("Light yellow", **ABNORMAL),
        result("5-10 /HPF", **RANGE),
        result(">=1.030", **RANGE),
        result("2+", **RANGE),
        {"resourceType": "Observation", "component": [result("Trace", **RANGE)]},
    ],
)
@pytest.mark.parametrize("structured", [False, True])
def test_races_and_results_are_no_texts(resource, structured):
    data = json.dumps(resource).encode()
    assert run("fhir", data, Fields(structured=structured)) == ([], data)


@pytest.mark.parametrize(
    "resource",
    [
        text_in(LONG, RACE),
        text_in("seen by Pia", "http://h/StructureDefinition/remark"),
        result("Cloudy"),
        result(LONG, **RANGE),
        result("Cloudy (Pia Quarles)", **RANGE),
        result("Pia Quarles", **RANGE),
        result("called Pia", **ABNORMAL),
        result("3 May", **RANGE),
        result("555-0142", **RANGE),
        result("3/4/67", **RANGE),
        result("00418820", **RANGE),
        {"resourceType": "Basic", "valueString": "Cloudy", **RANGE},
        {"resourceType": "CareTeam", "name": "Team of Pia Quarles", "category": [{"text": "x"}]},
    ],
)
def test_other_strings_are_texts(resource):
    records, _ = run("fhir", json.dumps(resource).encode())
    assert [each.type for each in records] == [""]
