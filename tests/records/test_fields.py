"""Structured fields: redacted as a whole, and known to the texts of their record."""

from __future__ import annotations

import datetime
import json

import pytest
from records_helpers import errors, run
from typer.testing import CliRunner

from spacy_deid.batch import read_manifest, redact_files
from spacy_deid.cli import app
from spacy_deid.records import RECORD_FORMATS, Fields, hl7_fields
from spacy_deid.redaction import RedactionError

KEY = "a key of sixteen bytes"
UUID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
TYPES = (("name", "PATIENT"), ("dob", "DATE"))
MESSAGE = (
    b"MSH|^~\\&|A|B|C|D|2067||ORU|1|P|2.5\r"
    b"PID|1||418820^^^H^MR~586-91-9128^^^U^SS||"
    b'ZORG\\T\\KWINT^ORVILLE^""||19560304|M|||14 OAK&1^^BELL\r'
    b"NK1|1|ZORG^WILMA\r"
    b"PV1|1|I|4W^12||||77^QUARLES^PIA\r"
    b"OBX|1|TX|||Pia saw Wilma, 3/4/56.\r"
)
BUNDLE = {
    "resourceType": "Bundle",
    "entry": [
        {
            "fullUrl": "urn:uuid:1",
            "resource": {
                "resourceType": "Patient",
                "id": "p",
                "name": [{"family": "Zorg", "given": ["Orville", "T"], "use": "official"}],
                "birthDate": "1956-03-04",
                "telecom": [{"system": "email", "value": "o@zorg.org"}],
                "address": [{"line": ["14 Oak"], "postalCode": "15213"}],
                "identifier": [
                    {"type": {"coding": [{"code": "MR"}]}, "value": "418820"},
                    {"system": "http://hl7.org/fhir/sid/us-ssn", "value": "586-91-9128"},
                ],
                "contact": [{"name": {"text": "Wilma Zorg"}}],
            },
        },
        {"resource": {"resourceType": "Patient", "id": "q", "name": [{"family": "Kwint"}]}},
        {"resource": {"resourceType": "Practitioner", "name": [{"family": "Quarles"}]}},
        {
            "resource": {
                "resourceType": "Observation",
                "code": {"coding": [{"code": "1", "display": "Heart rate"}]},
                "subject": {"reference": "urn:uuid:1", "display": "Orville Zorg"},
                "performer": [
                    {"reference": "Practitioner/d", "display": "Pia Quarles"},
                    {"reference": "PractitionerRole/d", "display": "Kit Pell"},
                ],
                "basedOn": [{"reference": "ServiceRequest/d", "display": "A request"}],
                "note": [{"text": "he came"}],
            }
        },
    ],
}


def typed(records):
    return [(record.text, record.type) for record in records if record.type]


@pytest.mark.parametrize(
    ("name", "data", "changed"),
    [
        (
            "csv",
            b'id,name,dob,text\n1," Ann ",1956-03-04,x\n2,,,y\n',
            b'id,name,dob,text\n1,"ANN",1956-03-04,X\n2,,,Y\n',
        ),
        (
            "jsonl",
            b'{"name": "Ann", "dob": 1956, "text": "x", "a": 1}\n',
            b'{"name": "ANN", "dob": "1956", "text": "X", "a": 1}\n',
        ),
    ],
)
def test_columns_are_texts_of_a_type(name, data, changed):
    records, out = run(name, data, Fields(types=TYPES, known=True))
    assert out == changed
    assert {each.type for each in records} == {"", "PATIENT", "DATE"}
    (first, *_) = [each for each in records if not each.type]
    assert first.known["PATIENT"] == ["Ann"]
    assert first.row == "1" and "1/name" in [each.row for each in records]


def test_whole_numbers_are_the_same_however_a_table_holds_them():
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    fields = Fields(types=(("mrn", "MEDICALRECORD"),), patient="mrn", known=True)
    data = {
        "csv": b"mrn,text\n418820.0,a\n",
        "tsv": b'mrn\ttext\n"418820.0"\ta\n',
        "jsonl": b'{"mrn": 418820.0, "text": "a"}\n{"mrn": "418820.0", "text": "a"}\n',
    }
    for mrn in (418820.0, "418820.0"):
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({"mrn": [mrn], "text": "a"}), sink)
        data[f"parquet {type(mrn)}"] = sink.getvalue().to_pybytes()
    for name, table in data.items():
        records, _ = run(name.split()[0], table, fields)
        assert {each.patient_id for each in records} == {"418820"}, name
        assert {*typed(records)} == {("418820", "MEDICALRECORD")}, name
        texts = [each for each in records if not each.type]
        assert all(each.known == {"MEDICALRECORD": ["418820"]} for each in texts), name


def test_columns_of_parquet():
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"name": ["Ann", None], "dob": ["1956-03-04"] * 2, "text": "xy"}), sink)
    records, _ = run("parquet", sink.getvalue().to_pybytes(), Fields(types=TYPES, known=True))
    assert typed(records) == [("Ann", "PATIENT"), *[("1956-03-04", "DATE")] * 2]
    assert [each.known for each in records if not each.type] == [
        {"PATIENT": ["Ann"], "DATE": ["1956-03-04"]},
        {"DATE": ["1956-03-04"]},
    ]


def test_columns_of_parquet_are_read_as_texts_of_any_type(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pd = pytest.importorskip("pandas")
    day = datetime.datetime(1956, 3, 4)
    frame = pd.DataFrame({"text": ["x", "y"], "n": [1, 2], "dob": [day, None], "mrn": [8, 7]})
    frame["day"] = [day.date(), None]
    frame["seen"] = pd.to_datetime(frame["dob"], utc=True)
    frame["ward"] = pd.Categorical([3, 4])
    frame["bed"] = pd.array([1, None], "Int64")
    frame = frame.set_index("mrn")
    names = ("mrn", "dob", "day", "seen", "ward", "bed")
    fields = Fields(types=tuple((name, "DATE") for name in names), known=True)
    source, part, target = (tmp_path / name for name in ("a.parquet", ".part", "b.parquet"))
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=True), source, row_group_size=1)
    records, out = run("parquet", source.read_bytes(), fields)
    assert errors(records) == {}
    values = [record.text for record in records if record.note == "1"]
    midnight = "1956-03-04 00:00:00"
    assert values == ["x", "8", midnight, "1956-03-04", f"{midnight}+00:00", "3", "1"]
    assert records[0].known["DATE"] == ["1956-03-04"] * 3
    part.write_bytes(out)
    RECORD_FORMATS["parquet"].finish(part, target)
    assert {pq.read_schema(target).field(name).type for name in names} == {pa.string()}
    new = pd.read_parquet(target)
    assert list(new.index) == ["8", "7"] and list(new["n"]) == [1, 2]
    assert list(new["day"].fillna("")) == ["1956-03-04", ""] and new["bed"].iloc[0] == "1"


def test_fields_of_hl7():
    records, out = run("hl7", MESSAGE, Fields(structured=True), lambda text: f"<{text}|>")
    assert typed(records) == [
        ("B", "HOSPITAL"),
        ("D", "HOSPITAL"),
        ("1", "IDNUM"),
        ("418820", "MEDICALRECORD"),
        ("H", "HOSPITAL"),
        ("586-91-9128", "SSN"),
        ("U", "HOSPITAL"),
        ("ZORG&KWINT", "PATIENT"),
        ("ORVILLE", "PATIENT"),
        ("19560304", "DATE"),
        ("14 OAK&1", "STREET"),
        ("BELL", "CITY"),
        ("ZORG", "PATIENT"),
        ("WILMA", "PATIENT"),
        ("4W", "DEPARTMENT"),
        ("12", "ROOM"),
        ("77", "IDNUM"),
        ("QUARLES", "DOCTOR"),
        ("PIA", "DOCTOR"),
    ]
    assert [each.row for each in records[:2]] == ["1/MSH[0]-4.1", "1/MSH[0]-6.1"]
    assert [each.row for each in records[3:6:2]] == ["1/PID[1]-3.1", "1/PID[1]-3.1(2)"]
    pid = out.split(b"\r")[1].split(b"|")
    assert pid[3] == b"<418820\\F\\>^^^<H\\F\\>^MR~<586-91-9128\\F\\>^^^<U\\F\\>^SS"
    assert pid[5] == b'<ZORG\\T\\KWINT\\F\\>^<ORVILLE\\F\\>^""'
    _, same = run("hl7", MESSAGE, Fields(structured=True), str)
    assert same == MESSAGE


def message(place, value, before=""):
    """A message with a value in the field at a place such as "OBR-27"."""
    name, _, number = place.partition("-")
    bars = "|" * (int(number) - before.count("|"))
    return f"MSH|^~\\&|A\r{name}{before}{bars}{value}\r"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("EVN-2", "{}"),
        ("OBR-7", "{}"),
        ("OBR-27", "1^^^{}^{}^R"),
        ("OBR-32", "77&QUARLES&PIA^{}^{}"),
        ("OBX-14", "{}"),
        ("SPM-17", "{}^{}"),
        ("TXA-22", "77^QUARLES^PIA^^^^^^^^^^^^{}"),
        ("PID-3", "7^^^H^MR^^{}"),
        ("PID-5", "ZORG^ADA^^^^^^^^{}&{}"),
        ("ZZZ-9", "{}^^|a~{}"),
        ("UB2-8", "70^{}^{}~A&b^{}^{}"),
        ("ZZZ-9", "{}^Appointment^ER^{}^x^L"),
        ("OBX-3", "D^{}^L^E^{}^L"),
    ],
)
@pytest.mark.parametrize(
    "time",
    [
        *("20670304", "2067030415", "20670304150617.123-0500", "20670304-0800", "20670304101500Z"),
        *("2067-03-04", "2067-03-04T10:15:00Z", "2067-03-04 10:15", "03/04/2067", "4-MAR-2067"),
        *("20670304 1015", "20670304 ", "2067/03/04", "4.3.2067", "March 4, 2067", "Mar 4 2067"),
        *("4Mar2067", "20670304-20670305", "20670304 2:30 PM", "03/04/2067 2:30 PM"),
    ],
)
def test_dates_in_any_field_of_hl7(place, value, time):
    # true dates beside shifted ones would tell the shift
    data = message(place, value.replace("{}", time)).encode()
    records, out = run("hl7", data, Fields(structured=True), lambda _: "")
    assert b"2067" not in out
    dates = [each.text for each in records if each.type == "DATE"]
    assert dates == [time] * value.count("{}")
    note = b"NTE|||a\r"
    assert "DATE" not in run("hl7", data + note, Fields(known=True))[0][0].known


@pytest.mark.parametrize("time", ["04-MAR-67", "4 Mar 67", "3/4/67"])
def test_dates_with_a_short_year_in_hl7(time):
    records, _ = run("hl7", message("ZZZ-9", time).encode(), Fields(structured=True))
    assert typed(records) == [(time, "DATE")]


def test_a_field_of_hl7_with_many_dates_is_written_once(monkeypatch):
    # written anew for each of them, it would take a time that grows with their square
    read = []
    decode = hl7_fields.decode
    monkeypatch.setattr(hl7_fields, "decode", lambda cell: read.append(cell) or decode(cell))
    data = message("ZZZ-2", "20670304^a&20670305~" * 90).encode()
    records, out = run("hl7", data, Fields(structured=True), lambda date: date[::-1])
    assert len(records) == 180 and len(read) == 2
    assert out == data.replace(b"20670304", b"40307602").replace(b"20670305", b"50307602")


def test_the_time_of_a_message_is_a_date():
    data = b"FHS|^~\\&|A|B|||20670304||||77\rMSH|^~\\&|A||C||206703041506||ORU\r"
    records, _ = run("hl7", data, Fields(structured=True))
    assert typed(records) == [
        ("B", "HOSPITAL"),
        ("20670304", "DATE"),
        ("77", "IDNUM"),
        ("206703041506", "DATE"),
    ]


@pytest.mark.parametrize(
    ("place", "value", "before"),
    [
        ("OBX-3", "20670304^A^SCT", ""),
        ("OBX-5", "20670304^B^SCT^20670305^C^L", "||CE"),
        ("OBX-5", "20670304", "||NM"),
        ("OBX-5", "20670304", "||ST"),
        ("DG1-3", "206703", ""),
        ("OBX-7", "5-10", ""),
        ("OBX-7", "10-20-30", ""),
        ("ZZZ-9", "1-3-67", ""),
        ("ZZZ-9", "67/01/03", ""),
        ("ZZZ-9", "12MAY34", ""),
        ("SFT-2", "2067.01.03", ""),
        ("SFT-2", "8.3.2012", ""),
        ("SFT-4", "20670304", ""),
        ("DG1-3", "20671304", ""),
    ],
)
def test_values_that_are_no_dates_in_hl7(place, value, before):
    records, _ = run("hl7", message(place, value, before).encode(), Fields(structured=True))
    assert typed(records) == []


@pytest.mark.parametrize(
    ("place", "value", "found"),
    [
        ("ORC-2", "A1^LAB|B2", ["A1", "B2"]),
        ("OBR-16", "7^QUARLES^PIA~8^PELL^KIT", ["7", "QUARLES", "PIA", "8", "PELL", "KIT"]),
        ("OBR-32", "7&QUARLES&PIA", ["7", "QUARLES", "PIA"]),
        ("OBR-32", "7^QUARLES^PIA", ["7", "QUARLES", "PIA"]),
        ("SPM-2", "A1&LAB^B2&LAB", ["A1", "B2"]),
        ("IN1-16", "ZORG^ADA", ["ZORG", "ADA"]),
        ("GT1-3", "ZORG^ADA", ["ZORG", "ADA"]),
        ("MRG-1", "A1^^^H1", ["A1", "H1"]),
        ("GT1-16", "ZORG^ADA", ["ZORG", "ADA"]),
        ("RXA-11", "^^^H1^^^^^14 OAK^^BELL", ["H1", "14 OAK", "BELL"]),
        ("TXA-9", "7^QUARLES^PIA", ["7", "QUARLES", "PIA"]),
        ("OBX-5", "7^QUARLES^PIA", ["7", "QUARLES", "PIA"]),
        ("QPD-3", "418820^^^H&1.2.3&ISO", ["418820", "H"]),
        ("QPD-4", "^^^H&1.2.3&ISO", ["H"]),
        ("QPD-4", "ZORG^ADA^C", ["ZORG", "ADA", "C"]),
        ("QRF-5", "586919128~19560304~ZORG^ADA", ["586919128", "19560304", "ZORG", "ADA"]),
        ("VTQ-5", "@PID.5.1^EQ^ZORG^AND", ["ZORG"]),
        ("RDT-7", "ZORG^ADA", ["ZORG", "ADA"]),
        ("PV1-3", "4W^12^B^H&1.2.3&ISO", ["4W", "12", "B", "H"]),
        (
            "OBR-32",
            "7&QUARLES&PIA^^^4W^12^B^H&1.2.3&ISO",
            ["7", "QUARLES", "PIA", "4W", "12", "B", "H"],
        ),
        ("STF-1", "77^^PLW", ["77"]),
        ("PV1-3", "^^^^^^OAK TOWER^3^BY THE POOL", ["OAK TOWER", "BY THE POOL"]),
        ("PID-13", "^^^^^^^^ASK PIA", ["ASK PIA"]),
        ("ORC-17", "^^^VH^BELL CLINIC^L", ["VH", "BELL CLINIC"]),
        ("PD1-3", "BELL CLINIC^^7^^^U&1.2^^^^8", ["BELL CLINIC", "7", "U", "8"]),
        ("BTX-14", "7^QUARLES^PIA", ["7", "QUARLES", "PIA"]),
        ("RXA-28", "14 OAK^^BELL", ["14 OAK", "BELL"]),
        ("QPD-3", "@PID.5.1^ZORG~@PID.5.2^ADA", ["ZORG", "ADA"]),
        ("PV1-3", "4W^12^B^ZORG & KWINT HOSPITAL", ["4W", "12", "B", "ZORG & KWINT HOSPITAL"]),
        ("PV1-3", "^^^ZORG&KWINT", ["ZORG&KWINT"]),
        ("PV1-3", "^^^ZORG&KWINT&PIKE", ["ZORG&KWINT&PIKE"]),
        ("PV1-3", "^^^ZORG&kwint.org&DNS", ["ZORG", "kwint.org"]),
        ("PV1-3", "^^^ZORG&34D0655059&CLIA~^^^PIKE&1234567893&NPI", ["ZORG", "PIKE"]),
        ("PID-3", "7^^^ZORG&KWINT&L^MR", ["7", "ZORG", "KWINT"]),
        ("PID-3", f"A1^^^&urn:oid:1.2.3&ISO~B2^^^&{{{UUID}}}&UUID", ["A1", "B2"]),
        ("EVN-7", "ZORG^kwint.org^DNS", ["ZORG", "kwint.org"]),
        (
            "PID-11",
            "^^BELL^^^^^^XV^42003^^^^^^^^^c/o PIA^gate 5^^^A7&LAB",
            ["BELL", "XV", "42003", "c/o PIA", "gate 5", "A7"],
        ),
        ("ORC-7", "1^^^^^R^^^^S&A1&LAB&B2&RIS", ["A1", "B2"]),
        (
            "PRT-10",
            "A1^PUMP^0003B1FFFE012345^EUI-64~B2^PUMP^1.2.3^ISO",
            ["A1", "0003B1FFFE012345", "B2"],
        ),
        ("STF-12", "20670304^ZORG&KWINT&L", ["20670304", "ZORG", "KWINT"]),
        ("OBX-16", "7^QUARLES^PIA", ["7", "QUARLES", "PIA"]),
        ("PRA-7", "ADM&&A^M^^^H9", ["H9"]),
        ("QPD-13", "ZORG^1.2.3^ISO", ["ZORG"]),
        *((place, "A1", ["A1"]) for place in ("PCR-12", "PRT-20", "FT1-42")),
        ("QPD-3", "@PID.3^77^^H&1.2.3&ISO", ["77", "H"]),
        ("RDT-7", "77^^^H&1.2.3&ISO", ["77", "H"]),
        ("PV1-3", "^^^ZORG & KWINT&L", ["ZORG & KWINT&L"]),
        ("PV1-3", "^^^ZORG&1.2.3", ["ZORG"]),
        ("PV1-3", "^^^ZORG&&", ["ZORG"]),
        ("PID-3", "7^^^ZORG & KWINT^MR", ["7", "ZORG & KWINT"]),
        ("ORC-8", "A1&LAB^B2&LAB", ["A1", "B2"]),
        ("QPD-4", "4^Glucophage^NDC", []),
        ("QPD-4", "418820^^^H^MR", ["418820", "H"]),
        ("QPD-8", "14 OAK^^BELL^OH^43001", ["14 OAK", "BELL", "OH", "43001"]),
        ("RDT-7", "2345-7^Glucose^LN", []),
        ("MFE-4", "2345-7^Glucose^LN", []),
        ("MFA-5", "ZORG^ADA^LN", ["ZORG", "ADA"]),
        ("QPD-4", "ZORG^ADA^LN", ["ZORG", "ADA", "LN"]),
        ("RDT-7", "ZORG^ADA^LN", ["ZORG", "ADA", "LN"]),
        ("PID-3", "418820^^LN", ["418820"]),
        ("PID-5", "ZORG 2^ADA^LN", ["ZORG 2", "ADA", "LN"]),
        ("PV1-3", "4W^12^LN^H1", ["4W", "12", "LN", "H1"]),
        ("ORC-2", "418820^PL^LN", ["418820"]),
        ("ORC-12", "7^QUARLES^LN", ["7", "QUARLES", "LN"]),
        ("STF-1", "77^QUARLES^SCT", ["77", "QUARLES"]),
        ("QPD-3", "@PID.8^F~@OBX.3^GLU~@PID.11.5^43001", ["43001"]),
        ("VTQ-5", "@PID.8^EQ^F^AND", []),
        ("QPD-3", "@ZPD.2^ZORG", ["ZORG"]),
        ("QPD-3", "@PID.5.7^ZORG~@PID.24^ADA~@OBX.5^KWINT", ["ZORG", "ADA", "KWINT"]),
        ("QPD-3", "@ORC.7^ZORG~@NK1.99^ADA", ["ZORG", "ADA"]),
        ("QPD-3", "@pid.5^ZORG", ["@pid.5", "ZORG"]),
        ("PID-5", "@PID.8^ZORG", ["ZORG"]),
    ],
)
def test_people_and_numbers_in_other_segments_of_hl7(place, value, found):
    before = "||XCN" if place.startswith("OBX") else ""
    data = message(place, value, before)
    records, out = run("hl7", data.encode(), Fields(structured=True), lambda text: f"<{text}>")
    assert [each.text for each in records] == found
    for each in found:
        value = value.replace(each, f"<{each}>")
    assert out.decode() == message(place, value, before)


@pytest.mark.parametrize(
    ("column", "value", "found"),
    [
        ("@PID.3^CX^20", "77^^^M&2.1&ISO^MR", [("77", "MEDICALRECORD"), ("M", "HOSPITAL")]),
        ("PID.3", "77^^^^SS", [("77", "SSN")]),
        ("@PID.5^XPN", "ZORG^ADA^C^Jr", [(each, "PATIENT") for each in ("ZORG", "ADA", "C")]),
        ("@PID.5.2^ST", "ADA", [("ADA", "PATIENT")]),
        ("@PID.5.1^XPN", "ZORG^ADA", [("ZORG", "PATIENT"), ("ADA", "PATIENT")]),
        ("@PID.7^TS", "19560304", [("19560304", "DATE")]),
        ("@PID.11.5^ST", "43001", [("43001", "ZIP")]),
        ("@PID.3.4.1^IS", "M", [("M", "HOSPITAL")]),
        ("@PID.3.5^ID", "MR", [("MR", "MEDICALRECORD")]),
        ("@pid.3^NM", "77", [("77", "MEDICALRECORD")]),
        ("PID-3", "77", [("77", "MEDICALRECORD")]),
        ("@PID.3^CX", "77^1^LN", [("77", "MEDICALRECORD")]),
        ("@PID.8^IS^1", "F", []),
        ("@OBX.3^CE^60", "GLU^Glucose^L", []),
        ("OBX.3", "GLU^Glucose^L", []),
        ("@OBX.5^NM^8", "95", []),
        ("@OBX.5^XCN", "7^QUARLES", [("7", "IDNUM"), ("QUARLES", "DOCTOR")]),
        ("@OBX.5^TX", "seen by Pia", [("seen by Pia", "")]),
        ("OBX.5", "ZORG^ADA^L", [(each, "") for each in ("ZORG", "ADA", "L")]),
        ("@OBX.5^st", "19560304", [("19560304", "DATE")]),
        ("@OBX.5^ED", "^TX^^^eA", [(each, "PATIENT") for each in ("TX", "eA")]),
        ("", "77^^^H", [("77", "PATIENT"), ("H", "HOSPITAL")]),
        ("@PID.8^XPN", "ZORG", [("ZORG", "PATIENT")]),
        ("@RDT.3^ID", "ZORG", [("ZORG", "PATIENT")]),
        ("@PID.99^ID", "ZORG", [("ZORG", "PATIENT")]),
        ("@OBX.6^CE", "mg/dL", []),
        ("@OBX.14^TS", "20670304", [("20670304", "DATE")]),
        ("@ZPD.2^XPN", "ZORG", [("ZORG", "PATIENT")]),
        ("Mother^XPN", "ZORG", [("ZORG", "PATIENT")]),
        ("Number^ST", "77", [("77", "PATIENT")]),
        *(
            (f"{name}^{kind}", "ZORG^ADA", [("ZORG", "PATIENT"), ("ADA", "PATIENT")])
            for name, kind in (
                *(("Name", each) for each in ("st", "CE", "CWE", "FN", "HD", "ID", "varchar")),
                ("@ZPD.5", "NM"),
            )
        ),
        ("Born^DT", "198003", [("198003", "PATIENT")]),
        ("Phone^XTN", "^^^^^412^5550182", [("412", "PHONE"), ("5550182", "PHONE")]),
        ("Drug^CE", "4^Glucophage^NDC", []),
        ("Drug^XCN", "4^ZORG^NDC", [("4", "IDNUM"), ("ZORG", "DOCTOR"), ("NDC", "DOCTOR")]),
        ("", "77", [("77", "PATIENT")]),
    ],
)
def test_the_columns_of_tables_in_hl7_say_what_they_hold(column, value, found):
    data = f"MSH|^~\\&|A\rRDF|2|@PID.8^IS~{column}\rRDT|F|{value}|last\rDSC|1\r".encode()
    records, out = run("hl7", data, Fields(structured=True), str)
    values = [(each.text, each.type) for each in records]
    assert (values, out) == ([*found, ("last", "PATIENT")], data)


@pytest.mark.parametrize(
    ("file", "found"),
    [
        *((name, []) for name in ("OM1^x", "OMA", "CDM", "CMB")),
        *((name, ["GLU", "A"]) for name in ("STF", "CMX^x", "CDMX", "OMX", "")),
    ],
)
def test_keys_of_tests_and_charges_in_hl7_stay(file, found):
    data = f"MSH|^~\\&|A\rMFI|OM1\rMFI|{file}\rMFE|MAD|||GLU^A^L\rMFA|MAD||||GLU^A^L\r"
    records, _ = run("hl7", data.encode(), Fields(structured=True))
    assert [each.text for each in records] == 2 * found


@pytest.mark.parametrize("segment", ["MFE|MAD|||{}|PL", "MFA|MAD||||{}|pl", "LOC|{}"])
def test_keys_of_master_files_in_hl7_are_of_the_type_that_is_named(segment):
    data = f"MSH|^~\\&|A\rMFI|LOC\r{segment}\r".replace("{}", "4W^12^B^ZORG&1.2.3&ISO")
    records, _ = run("hl7", data.encode(), Fields(structured=True))
    assert typed(records) == [
        ("4W", "DEPARTMENT"),
        ("12", "ROOM"),
        ("B", "ROOM"),
        ("ZORG", "HOSPITAL"),
    ]


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        ("OBR-13", "{}", True),
        ("OBR-31", "^{}", True),
        ("DG1-3", "I10^{}^I10", False),
        ("DG1-3", "^{}^I10", True),
        ("DG1-3", "I10^Hypertension^I10^77^{}^L", False),
        ("ZZZ-2", "a~b^{}", True),
        ("PID-11", "^^BELL^^^^^^^^{}", True),
        ("PID-23", "{}", None),  # a birth place
    ],
)
@pytest.mark.parametrize("structured", [False, True])
def test_long_components_of_hl7_are_texts(place, value, text, structured):
    long = "seen by Pia Quarles for what his mother says"
    data = message(place, value.replace("{}", long))
    fields = Fields(structured=structured, known=True)
    records, out = run("hl7", data.encode(), fields, lambda found: found.replace(long, "<>"))
    text = not structured if text is None else text
    assert [each.text for each in records if not each.type] == [long] * text
    assert out.decode() == (data.replace(long, "<>") if text or records else data)


def test_an_ampersand_in_a_long_component_of_hl7_divides_nothing():
    data = message("OBR-13", "seen by Ada Zorg & Pia Quarles \\T\\ told to return")
    (record,), out = run("hl7", data.encode(), new=str)
    assert "Zorg & Pia Quarles \uff06 told" in record.text and out.decode() == data


@pytest.mark.parametrize("place", ["OBR-13", "ACC-3"])
def test_long_components_of_hl7_that_cannot_be_read_are_emptied(place):
    data = message(place, "seen by Pia Quarles for what his moth\xe9r says", "|1")
    (record,), out = run("hl7", data.encode("latin-1"))
    assert record.error and out == message(place, "", "|1").encode()


def test_short_components_of_hl7_that_cannot_be_read_stay():
    data = message("PID-11", "14 Oakm\xe9re Street^^Bellm\xe9re^PA^15213^USA^H").encode("latin-1")
    assert run("hl7", data) == ([], data)


def test_fields_of_hl7_that_cannot_be_read_are_emptied():
    data = MESSAGE.replace(b"ORVILLE", b"\xff")
    records, out = run("hl7", data, Fields(structured=True))
    assert [each.row for each in records if each.error] == ["1/PID[1]-5"]
    assert out.split(b"\r")[1].split(b"|")[5] == b""


def test_two_patients_of_a_message_are_two_notes():
    second = b"PID|2||7007^^^H^MR||KWINT^ADA\rOBX|1|TX|||Ada came.\r"
    records, _ = run("hl7", MESSAGE + second, Fields(structured=True, known=True))
    assert {each.note: each.patient_id for each in records} == {"1": "418820", "1/1": "7007"}
    first, last = (each for each in records if not each.type)
    assert "ADA" not in first.known["PATIENT"] and last.known["PATIENT"] == ["KWINT", "ADA"]


def test_a_merged_patient_of_hl7_keeps_its_surrogates(nlp, tmp_path):
    head, source, out = "MSH|^~\\&|A\r", tmp_path / "a.hl7", tmp_path / "out"
    before = f"{head}PID|||5566^^^H||KWINT^ADA\r"
    merged = f"{head}PID|||7007^^^H||ZORG^ADA\rMRG|5566^^^H||||||KWINT^ADA\r"
    account = f"{head}PID|||7007^^^H||ZORG^ADA\rMRG|||418820||||ZORG^ADA\r"
    source.write_text(before + merged + account, newline="")
    redact_files([source], out, nlp, fields=Fields(structured=True), key=KEY, policy="surrogate")
    rows = [row.split("|") for row in (out / "a.hl7").read_text().splitlines() if row[:3] != "MSH"]
    old, new, prior, same, same_account = rows
    assert (prior[1], prior[7]) == (old[3], old[5])
    assert new == same and same_account[7] == new[5]


@pytest.mark.parametrize(
    ("segment", "stays"),
    [
        ("OBX|1|ST|5821-4^WBC^LN||5-10|/HPF", True),
        ("OBX|1|ST|5778-6^COLOR^LN||Amber||Yellow", True),
        ("OBX|1|ST|5778-6^COLOR^LN||Amber|||A", True),
        ("OBX|1|ST|5778-6^COLOR^LN||Amber", False),
        ("OBX|1|ST|1^NAME^L||called Dr. Amber||A", False),
        ("OBX|1|ST|1^DATE^L||3/4/67|||N", False),
        ("OBX|1|ST|1^NAME^L||Pia Quarles|||N", False),
        ("OBX|1|ST|1^PHONE^L||555-0142|||N", False),
        ("OBX|1|TX|5778-6^COLOR^LN||Amber||Yellow", False),
    ],
)
def test_short_results_of_hl7_are_no_texts(segment, stays):
    records, _ = run("hl7", f"MSH|^~\\&|A\r{segment}\r".encode())
    assert [each.text for each in records] == [] if stays else [segment.split("|")[5]]


def test_places_and_remarks_in_one_word_are_not_known():
    data = (
        b"MSH|^~\\&|A\rPID|||||||||||||^^^^^^^^CELL\r"
        b"PV1|1|I|ICU^12^^GENERAL HOSPITAL^^^MAIN\rNTE|||a\r"
    )
    ((note,), _) = run("hl7", data, Fields(known=True))
    assert note.known == {"HOSPITAL": ["GENERAL HOSPITAL"]}


def test_buildings_and_what_describes_a_place_or_phone_are_not_known():
    data = (
        b"MSH|^~\\&|A\rPID|||||||||||||^^^^^^^^cell phone\r"
        b"NK1|1|||^^^^^^^^^^^^^^^^^^^ring the bell\r"
        b"PV1|1|I|^^^BELL CLINIC^^^West Tower^^Emergency Department|"
        b"|||7^QUARLES^PIA^^^^^^OAK CLINIC&&L\rNTE|||a\r"
    )
    ((note,), _) = run("hl7", data, Fields(known=True))
    assert note.known["HOSPITAL"] == ["BELL CLINIC", "OAK CLINIC"] and "OTHER" not in note.known


def test_known_data_of_hl7():
    records, out = run("hl7", MESSAGE, Fields(known=True), str)
    assert out == MESSAGE and typed(records) == []
    assert records[0].known["DATE"] == ["1956-03-04"]
    assert records[0].known["DOCTOR"] == ["QUARLES", "PIA"]


def test_fields_of_fhir():
    data = json.dumps(BUNDLE).encode()
    records, out = run("fhir", data, Fields(structured=True))
    assert typed(records) == [
        ("Zorg", "PATIENT"),
        ("Orville", "PATIENT"),
        ("T", "PATIENT"),
        ("1956-03-04", "DATE"),
        ("o@zorg.org", "EMAIL"),
        ("14 Oak", "STREET"),
        ("15213", "ZIP"),
        ("418820", "MEDICALRECORD"),
        ("586-91-9128", "SSN"),
        ("Wilma Zorg", "PATIENT"),
        ("Kwint", "PATIENT"),
        ("Quarles", "DOCTOR"),
        ("Orville Zorg", "PATIENT"),
        ("Pia Quarles", "DOCTOR"),
        ("Kit Pell", "DOCTOR"),
    ]
    assert {each.patient_id for each in records[:10]} == {"p"}
    assert b"Heart rate" in out and b"A request" in out and b"official" in out


def extension(name, **value):
    return {"url": f"http://hl7.org/fhir/StructureDefinition/{name}", **value}


def test_extensions_of_people_in_fhir():
    where = [{"url": "latitude", "valueDecimal": 40.4406}, {"url": "longitude", "valueDecimal": -8}]
    street = extension("iso21090-ADXP-streetName", valueString="Oak")
    birth = extension("patient-birthTime", valueDateTime="1956-03-04T05:06:00Z")
    patient = {
        "resourceType": "Patient",
        "_birthDate": {"extension": [birth]},
        "extension": [
            extension("patient-birthPlace", valueAddress={"city": "Bell", "use": "old"}),
            extension("patient-mothersMaidenName", valueString="Kwint"),
            extension("other-name", valueHumanName={"family": "Zorg"}),
            extension("fax", valueContactPoint={"system": "fax", "value": "555-0142"}),
            extension("card", valueIdentifier={"value": "418820"}),
            extension("lived-in", valuePeriod={"start": "2061-02", "end": "2064-05-06"}),
            extension("seen", valueInstant="2066-07-08T09:10:11.120+01:00"),
            extension("kin", valueContactDetail={"name": "Wilma", "telecom": [{"value": "5550"}]}),
            extension("daily-lives", valueDecimal=1.5),
        ],
        "address": [
            {"_line": [{"extension": [street]}], "extension": [extension("geo", extension=where)]}
        ],
    }
    data = json.dumps(patient).encode()
    records, out = run("fhir", data, Fields(structured=True))
    assert typed(records) == [
        ("1956-03-04T05:06:00Z", "DATE"),
        ("Bell", "CITY"),
        ("Kwint", "PATIENT"),
        ("Zorg", "PATIENT"),
        ("555-0142", "FAX"),
        ("418820", "IDNUM"),
        ("2061-02", "DATE"),
        ("2064-05-06", "DATE"),
        ("2066-07-08T09:10:11.120+01:00", "DATE"),
        ("Wilma", "PATIENT"),
        ("5550", "PHONE"),
        ("Oak", "STREET"),
    ]
    masked = extension("data-absent-reason", valueCode="masked")
    (geo,) = json.loads(out)["address"][0]["extension"]
    assert geo["extension"] == [
        {"url": url, "_valueDecimal": {"extension": [masked]}} for url in ("latitude", "longitude")
    ]
    assert run("fhir", data)[1] == data.replace(b"Kwint", b"KWINT").replace(b"Oak", b"OAK")


def test_all_dates_of_people_in_fhir():
    resource = {
        "meta": {"lastUpdated": "2067-01-01T01:02:03Z", "versionId": "2067"},
        "birthDate": "1956-03",
        "deceasedDateTime": "2067-01-02",
        "name": [{"family": "Zorg", "period": {"start": "2067-01-03", "end": "2067-01-04"}}],
        "address": [{"period": {"start": "2067-01-05"}}],
        "identifier": [{"period": {"end": "2067"}, "value": "1999-12"}],
        "telecom": [{"period": {"start": "2067-01-07"}}],
        "contact": [{"period": {"start": "2067-01-08"}, "name": {"period": {"end": "2067-01-09"}}}],
        "photo": [{"creation": "2067-01-10"}],
        "qualification": [{"period": {"start": "2067-01-11"}}],
        "period": {"start": "2067-01-12"},
        "extension": [
            extension("moved", valueTiming={"event": ["2067-01-13"]}),
            extension("asked", valueAnnotation={"time": "2067-01-14", "text": "a"}),
            extension("signed", valueSignature={"when": "2067-01-15T01:02:03Z"}),
        ],
    }
    for kind in ("Patient", "Person", "RelatedPerson", "Practitioner", "PractitionerRole"):
        data = json.dumps({"resourceType": kind, **resource}).encode()
        records, out = run("fhir", data, Fields(structured=True), lambda _: "")
        assert sum(each.type == "DATE" for each in records) == 16
        assert out.count(b"2067") == 1 and b"1956" not in out


@pytest.mark.parametrize(
    "element",
    [
        {"period": {"start": "2067-01-03"}},
        {"effectiveDateTime": "2067-01-03T04:05:06.789+01:00"},
        {"effectiveDateTime": "2067"},
        {"issued": "2067-01-03T04:05:06Z"},
        {"timing": {"event": ["2067-01"]}},
    ],
)
def test_dates_of_visits_and_results_in_fhir(element):
    # true dates beside shifted ones would tell the shift
    data = json.dumps({"resourceType": "Observation", **element}).encode()
    (record,), out = run("fhir", data, Fields(structured=True), lambda _: "")
    assert record.type == "DATE" and b"2067" not in out
    assert run("fhir", data, Fields(known=True)) == ([], data)


@pytest.mark.parametrize(
    "element",
    [{"id": "2067-01"}, {"version": "2067-01"}, {"code": "2067-01"}, {"system": "2067-01"}],
)
def test_versions_and_codes_are_no_dates_in_fhir(element):
    data = json.dumps({"resourceType": "Observation", "code": element}).encode()
    assert run("fhir", data, Fields(structured=True)) == ([], data)


def test_known_data_of_fhir_are_those_of_the_patient_and_the_staff():
    data = json.dumps(BUNDLE).encode()
    (note,) = run("fhir", data, Fields(known=True))[0]
    assert "Kwint" not in note.known["PATIENT"] and "Orville" in note.known["PATIENT"]
    assert "Quarles" in note.known["DOCTOR"]
    staff = {"resourceType": "Practitioner", "meta": {"lastUpdated": "2067-01-01T01:02:03Z"}}
    entries = [*BUNDLE["entry"][:3], {"resource": staff}, {"resource": {"note": [{"text": "x"}]}}]
    unknown = {**BUNDLE, "entry": entries}
    (note,) = run("fhir", json.dumps(unknown).encode(), Fields(known=True))[0]
    assert {"Kwint", "Orville"} <= {*note.known["PATIENT"]}


def test_known_data_of_the_staff_are_held_once_for_all_patients():
    def visit(patient):
        subject = {"reference": patient}
        return {"resourceType": "Encounter", "subject": subject, "note": [{"text": "x"}]}

    visits = [{"resource": visit(each)} for each in ("urn:uuid:1", "Patient/q")]
    data = json.dumps({**BUNDLE, "entry": [*BUNDLE["entry"][:3], *visits]}).encode()
    first, second = (each.known for each in run("fhir", data, Fields(known=True))[0])
    assert first["PATIENT"] == ["Zorg", "Orville", "T", "Wilma Zorg"]
    assert second == {"PATIENT": ["Kwint"], "DOCTOR": ["Quarles"]}
    assert first["DOCTOR"] is second["DOCTOR"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("hl7", MESSAGE + b"OBX|1|ST|||Pia||||||||20670304||77^QUARLES^PIA\r" * 9),
        ("fhir", json.dumps({**BUNDLE, "entry": BUNDLE["entry"] * 9}).encode()),
    ],
)
def test_each_value_of_known_data_is_checked_once(monkeypatch, name, data):
    checked = []
    monkeypatch.setattr("spacy_deid.records.base.check_known", checked.append)
    run(name, data, Fields(structured=True, known=True))
    values = [next(iter(each.items())) for each in checked]
    assert sorted(values) == sorted({*values})


def test_a_run_redacts_fields_and_counts_them_apart(nlp, tmp_path):
    source, out = tmp_path / "a.csv", tmp_path / "out"
    source.write_text("mrn,name,dob,text\n7,Ada Zorg,1956-03-04,Zorg on 3/4/1956\n8,,,x\n")
    fields = Fields(types=TYPES, known=True, patient="mrn")
    settings = {"fields": fields, "key": KEY, "policy": "surrogate"}
    summary = redact_files([source], out, nlp, **settings)
    assert (summary.notes, summary.withheld, summary.phi.total()) == (2, 0, 4)
    row = (out / "a.csv").read_text().splitlines()[1].split(",")
    family = row[1].split()[1]
    year, month, day = map(int, row[2].split("-"))
    assert row[3] == f"{family} on {month}/{day}/{year}" and family != "Zorg"
    lines = list(read_manifest(out / "manifest.jsonl"))
    assert [line.get("field") for line in lines[1:4]] == [None, "PATIENT", "DATE"]
    assert redact_files([source], out, nlp, **settings, resume=True).notes == 2
    with pytest.raises(RedactionError, match="differs from the one before in its fields"):
        settings["fields"] = Fields(types=TYPES, patient="mrn")
        redact_files([source], out, nlp, **settings, resume=True)


def test_the_logins_of_a_row_have_its_name(nlp, tmp_path):
    source, out = tmp_path / "a.csv", tmp_path / "out"
    source.write_text("name,mail,login,text\nZdena Aberg,zdena.aberg@x.org,abergz,x\n")
    types = (("name", "PATIENT"), ("mail", "EMAIL"), ("login", "USERNAME"))
    redact_files([source], out, nlp, fields=Fields(types=types), key=KEY, policy="surrogate")
    name, mail, login, _ = (out / "a.csv").read_text().splitlines()[1].lower().split(",")
    given, family = name.split()
    assert (mail.partition("@")[0], login) == (f"{given}.{family}", f"{family}{given[0]}")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("name,dob", "--redact-columns has 'name'; write each column with its PHI type"),
        ("name=NAME", "unknown PHI type 'NAME'"),
        ("nam=PATIENT", "no column 'nam' (--redact-columns); its columns are name, text"),
    ],
)
def test_redact_columns_that_are_not_there(nlp, tmp_path, columns, message):
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "a.csv").write_text("name,text\nx,y\n")
    args = [tmp_path / "a.csv", "-o", tmp_path / "out", "-m", tmp_path / "model"]
    args = ["redact", *map(str, args), "--redact-columns", columns]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 2 and message in " ".join(done.output.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("resource", "phi_type"),
    [
        ({"resourceType": "Encounter", "identifier": [{"value": "ab-9"}]}, "IDNUM"),
        ({"resourceType": "Encounter", "subject": {"identifier": {"value": "ab-9"}}}, "IDNUM"),
        (
            {"resourceType": "Encounter", "serviceProvider": {"identifier": {"value": "ab-9"}}},
            "IDNUM",
        ),
        ({"resourceType": "DocumentReference", "masterIdentifier": {"value": "ab-9"}}, "IDNUM"),
        ({"resourceType": "ServiceRequest", "requisition": {"value": "ab-9"}}, "IDNUM"),
        ({"resourceType": "Coverage", "subscriberId": "ab-9"}, "HEALTHPLAN"),
        ({"resourceType": "Device", "serialNumber": "ab-9"}, "DEVICE"),
    ],
)
def test_ids_in_any_resource_of_fhir_are_redacted(resource, phi_type):
    data = json.dumps(resource)
    records, out = run("fhir", data.encode(), Fields(structured=True))
    assert typed(records) == [("ab-9", phi_type)]
    assert out.decode() == data.replace("ab-9", "AB-9")


@pytest.mark.parametrize(
    ("code", "phi_type"),
    [
        *dict.fromkeys(("MR", "MRT", "PI"), "MEDICALRECORD").items(),
        *dict.fromkeys(("SS", "SB"), "SSN").items(),
        *dict.fromkeys(("MA", "MC", "MB", "SN", "HC", "JHN"), "HEALTHPLAN").items(),
        *dict.fromkeys(("AN", "ANT", "VN"), "ACCOUNT").items(),
        *dict.fromkeys(("DL", "LN", "SL", "MD"), "LICENSE").items(),
    ],
)
def test_types_of_identifiers_are_the_same_in_hl7_and_fhir(code, phi_type):
    records, _ = run("hl7", message("PID-3", f"418820^^^^{code}").encode(), Fields(structured=True))
    assert typed(records) == [("418820", phi_type)]
    patient = {
        "resourceType": "Patient",
        "identifier": [{"type": {"coding": [{"code": code}]}, "value": "418820"}],
    }
    records, _ = run("fhir", json.dumps(patient).encode(), Fields(structured=True))
    assert typed(records) == [("418820", phi_type)]


def test_places_of_fhir_are_redacted_but_not_known_data():
    hospital = {
        "resourceType": "Organization",
        "name": "General",
        "alias": ["Gen"],
        "type": [{"coding": [{"code": "prov", "display": "Provider"}]}],
        "telecom": [{"value": "555-0142"}],
        "address": [{"line": ["14 Oak"], "city": "Bell"}],
        "contact": [{"name": {"family": "Quarles"}, "telecom": [{"value": "555-0143"}]}],
    }
    ward = {
        "resourceType": "Location",
        "name": "Ward",
        "position": {"longitude": -80.0, "latitude": 40.4},
        "managingOrganization": {"display": "Northside"},
    }
    note = {"resourceType": "Observation", "note": [{"text": "Ward round"}]}
    entries = [{"resource": each} for each in (hospital, ward, note)]
    data = json.dumps({"resourceType": "Bundle", "entry": entries}).encode()
    records, out = run("fhir", data, Fields(structured=True))
    assert typed(records) == [
        ("General", "HOSPITAL"),
        ("Gen", "HOSPITAL"),
        ("555-0142", "PHONE"),
        ("14 Oak", "STREET"),
        ("Bell", "CITY"),
        ("Quarles", "DOCTOR"),
        ("555-0143", "PHONE"),
        ("Ward", "HOSPITAL"),
        ("Northside", "HOSPITAL"),
    ]
    assert b"40.4" not in out and json.loads(out)
    (text,) = run("fhir", data, Fields(known=True))[0]
    assert text.known == {"HOSPITAL": ["Northside"]}


@pytest.mark.parametrize(
    "fields",
    [{"types": (("text", "PATIENT"),)}, {"types": (("mrn", "IDNUM"), ("mrn", "DATE"))}],
)
def test_a_column_is_redacted_in_one_way(fields):
    with pytest.raises(ValueError, match="is to be redacted twice"):
        Fields(**fields)
