"""XML, Parquet, FHIR and HL7."""

from __future__ import annotations

import base64
import hashlib
import io
import json

import pytest
from records_helpers import errors, run, texts

from spacy_deid.records import RECORD_FORMATS, Fields, FormatError

XML = (
    '<?xml version="1.0"?><root><TEXT><![CDATA[Maria & é]]></TEXT><TAGS>'
    '<NAME id="P0" start="0" end="5" text="Maria" TYPE="PATIENT"/></TAGS></root>'
).encode()


def test_i2b2_writes_the_text_and_no_tags():
    records, out = run("i2b2", XML)
    assert texts(records) == ["Maria & é"]
    assert "<![CDATA[MARIA & É]]>" in out.decode()
    assert b"Maria" not in out and texts(run("i2b2", out)[0]) == ["MARIA & É"]


@pytest.mark.parametrize(
    "data", [b"<a>Maria", b"<a/>", b"", b'<!DOCTYPE a [<!ENTITY b "Maria">]><a/>']
)
def test_i2b2_other_xml_is_an_error(data):
    with pytest.raises(FormatError) as caught:
        run("i2b2", data)
    assert "Maria" not in str(caught.value)


def test_parquet_keeps_schema_and_other_columns(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "id": pa.array([1, 2, 3, 4], pa.int16()),
            "text": pa.array(["a", None, "b", "bad"]).dictionary_encode(),
            "more": pa.array([["x"], [], None, ["y"]]),
        }
    )
    source, part, target = (tmp_path / name for name in ("a.parquet", ".part", "b.parquet"))
    pq.write_table(table, source, row_group_size=2)
    form, seen = RECORD_FORMATS["parquet"], []
    with source.open("rb") as file, part.open("wb") as out:
        for chunk in form.read(file, Fields()):
            seen += [(record.row, record.id, record.text) for record in chunk.records]
            new = [None if r.text == "bad" else r.text.upper() for r in chunk.records]
            out.write(chunk.render(new))
    form.finish(part, target)
    assert seen == [("1", "1", "a"), ("3", "3", "b"), ("4", "4", "bad")]
    result = pq.read_table(target)
    assert result.schema.equals(pq.read_table(source).schema, check_metadata=True)
    assert result["text"].to_pylist() == ["A", None, "B", None]
    assert result["more"].to_pylist() == table["more"].to_pylist()
    assert pq.ParquetFile(target).num_row_groups == 2


def test_parquet_errors():
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    with pytest.raises(FormatError, match="not valid Parquet"):
        run("parquet", b"PAR1 Maria")
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": [1, 2], "mrn": [1, 2]}), sink)
    with pytest.raises(FormatError, match="it has no column 'note'"):
        run("parquet", sink.getvalue(), Fields(("note",)))


def encoded(text, charset="utf-8"):
    return base64.b64encode(text.encode(charset)).decode()


def attachment(text, kind="text/plain", charset="utf-8"):
    data = text.encode(charset)
    digest = base64.b64encode(hashlib.sha1(data).digest()).decode()
    return {"contentType": kind, "data": encoded(text, charset), "size": len(data), "hash": digest}


def bundle(*resources):
    return {"resourceType": "Bundle", "entry": [{"resource": resource} for resource in resources]}


def test_fhir_changes_texts_wherever_they_stand():
    document = {
        "resourceType": "DocumentReference",
        "subject": {"reference": "Patient/7"},
        "content": [{"attachment": attachment("note é")}],
        "description": "letter",
    }
    report = {
        "resourceType": "DiagnosticReport",
        "presentedForm": [attachment("caf\xe9", "text/plain; charset=ISO-8859-1", "latin-1")],
        "conclusion": "clear",
        "text": {"status": "generated", "div": "<div>Maria</div>"},
        "note": [{"text": "said", "time": "2020"}],
        "contained": [
            {"resourceType": "Binary", "contentType": "text/plain", "data": encoded("in")}
        ],
    }
    records, out = run("fhir", json.dumps(bundle(document, report), indent=2).encode())
    result = [entry["resource"] for entry in json.loads(out)["entry"]]
    assert sorted(texts(records)) == ["caf\xe9", "clear", "in", "letter", "note é", "said"]
    assert {record.patient_id for record in records[:2]} == {"7"}
    assert result[0]["content"] == [{"attachment": attachment("NOTE É")}]
    latin = attachment("CAF\xc9", "text/plain; charset=ISO-8859-1", "latin-1")
    assert result[1]["presentedForm"] == [latin]
    assert result[1]["contained"][0]["data"] == encoded("IN")
    assert (result[1]["conclusion"], result[1]["note"]) == (
        "CLEAR",
        [{"text": "SAID", "time": "2020"}],
    )
    assert result[1]["text"]["status"] == "empty" and b"Maria" not in out


def test_fhir_extensions_hold_texts():
    note = {"authorString": "Pia", "text": "came", "time": "2067"}
    extensions = [{"url": "a", "valueAnnotation": note}, {"url": "b", "valueMarkdown": "*ill*"}]
    data = json.dumps({"resourceType": "Patient", "extension": extensions}).encode()
    records, out = run("fhir", data)
    assert texts(records) == ["Pia", "came", "*ill*"]
    assert out == data.replace(b"Pia", b"PIA").replace(b"came", b"CAME").replace(b"ill", b"ILL")


@pytest.mark.parametrize(
    ("element", "found"),
    [
        ({"activity": [{"progress": [{"text": "Pia"}]}]}, ["Pia"]),
        ({"dispenseRequest": {"dispenserInstruction": [{"text": "Pia"}]}}, ["Pia"]),
        ({"activity": [{"detail": {"code": {"text": "rest"}}}]}, []),
    ],
)
def test_fhir_annotations_have_other_names(element, found):
    records, _ = run("fhir", json.dumps({"resourceType": "CarePlan", **element}).encode())
    assert texts(records) == found


@pytest.mark.parametrize("element", [{"query": "{}"}, {"detail": [{"type": "x", "value": "{}"}]}])
def test_fhir_base64_in_the_logs_of_searches_is_emptied(element):
    log = json.dumps({"resourceType": "AuditEvent", "entity": [element]})
    records, out = run("fhir", log.replace("{}", "bmFtZT1QaWE=").encode())
    assert (len(errors(records)), out.decode()) == (1, log.replace("{}", ""))


@pytest.mark.parametrize(
    "kind", ["application/pdf", "text/html", "text/plain; charset=utf-16", None]
)
def test_fhir_other_attachments_are_emptied(kind):
    resource = {"resourceType": "DocumentReference", "a": attachment("Maria", kind)}
    records, out = run("fhir", json.dumps(resource).encode())
    assert errors(records) == {"a.data": "an attachment of this type cannot be redacted"}
    assert json.loads(out)["a"] == attachment("", kind)


def test_fhir_keeps_all_else_to_the_byte():
    data = (
        b'{ "resourceType":"Observation","valueQuantity":{"value":1.50},\n'
        b' "valueSampledData":{"dimensions":1,"data":"1 2"},"valueString" : "a"}'
    )
    assert run("fhir", data)[1] == data.replace(b'"a"', b'"A"')


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"name": "Maria"}', b"\xff"])
def test_fhir_other_json_is_an_error(data):
    with pytest.raises(FormatError):
        run("fhir", data)


def test_fhir_lines_leaves_out_what_it_cannot_read():
    good = b'{"resourceType": "Observation", "valueString": "a"}\n'
    records, out = run("fhir-lines", good + b"{\n\n" + good)
    assert (errors(records), texts(records)) == ({"2": "it is not valid JSON"}, ["a", "a"])
    assert out == good.replace(b'"a"', b'"A"') * 2


MESSAGE = (
    b"MSH|^~\\&|lab|||||\r"
    b"PID|1||77^^^X||Lopez^Maria\r"
    b"OBX|1|TX|1^r||first line||||F\r"
    b"OBX|2|TX|1^r||sec~ond\\.br\\x \\T\\ y||||F\r"
    b"OBX|3|NM|2||12|mg\r"
    b"OBX|4|ST|3||one\r"
    b"OBX|5|ST|4||two\r"
    b"NTE|1||a note\r"
    b"NTE|2||goes on\r"
)


def test_hl7_joins_lines_and_keeps_the_rest():
    records, out = run("hl7", MESSAGE + MESSAGE.replace(b"\r", b"\r\n"))
    assert texts(records)[:4] == [
        "first line\nsec\x0bond\rx & y",
        "one",
        "two",
        "a note\ngoes on",
    ]
    assert len(records) == 8 and records[0].patient_id == "77"
    assert [records[0].row, records[4].row] == ["1/OBX[2]", "2/OBX[2]"]
    expected = MESSAGE
    for text in (b"first line", b"sec~ond", b"one", b"two", b"a note", b"goes on"):
        expected = expected.replace(text, text.upper())
    expected = expected.replace(b"\\x \\T\\ y", b"\\X \\T\\ Y")
    assert out == expected + expected.replace(b"\r", b"\r\n")


@pytest.mark.parametrize(
    ("ids", "patient"),
    [
        (b'""', ""),
        (b'""^^^X', ""),
        (b" ", ""),
        (b" 77 ^^^X", "77"),
        (b'""^^^X~78^^^Y', "78"),
        (b"77~78", "77"),
    ],
)
def test_hl7_null_is_no_patient(ids, patient):
    records, _ = run("hl7", MESSAGE.replace(b"77^^^X", ids))
    assert {record.patient_id for record in records} == {patient}


def test_hl7_lines_move_up_and_bars_are_escaped():
    _, out = run("hl7", MESSAGE, new=lambda text: text.replace("line\nsec", "[X|Y]"))
    assert b"first [X\\F\\Y]~ond\\.br\\x \\T\\ y||||F\rOBX|2|TX|1^r||||||F\r" in out


def test_hl7_embedded_documents_are_emptied():
    message = b"MSH|^~\\&|\rOBX|1|ED|1||^TEXT^^Base64^TWFyaWE=||\r"
    records, out = run("hl7", message)
    assert errors(records) == {"1/OBX[1]": "an embedded document cannot be redacted"}
    assert out == b"MSH|^~\\&|\rOBX|1|ED|1||||\r"


REPORT = base64.b64encode(b"%PDF-1.4 (Orville Whitacre) 1 0 obj <</Type/Catalog>> endobj").decode()
CAPITALS = base64.b64encode(
    b"PATIENT: WHITACRE, ORVILLE MRN: 00418820 SEEN BY DR. QUARLES"
).decode()


@pytest.mark.parametrize("data", [REPORT, CAPITALS, f"^AP^PDF^Base64^{REPORT}", f"see {REPORT}"])
@pytest.mark.parametrize(
    "segment",
    [
        *(f"OBX|1|{kind}|PDF||{{}}||||||F" for kind in ("TX", "FT", "ST", "ED", "")),
        *("NTE|1||{}", "DSP|1||{}", "ZEF|1|{}", "OBX|1|CE|PDF||{}^a", "OBX|1|NM|PDF||{}"),
        "OBR|1|||||||||||||||||||{}",
    ],
)
def test_hl7_documents_in_base64_are_emptied_wherever_they_stand(segment, data):
    head = "MSH|^~\\&|\r"
    records, out = run("hl7", (head + segment.format(data) + "\r").encode())
    assert {each.error for each in records} == {"an embedded document cannot be redacted"}
    assert REPORT not in out.decode() and CAPITALS not in out.decode()
    assert out.decode().startswith(head + segment.partition("{")[0])


@pytest.mark.parametrize("name", ["valueString", "conclusion", "comment", "description"])
@pytest.mark.parametrize("data", [REPORT, f"data:application/pdf; name=a;base64,{REPORT[:20]}"])
def test_fhir_documents_in_base64_are_emptied_wherever_they_stand(name, data):
    records, out = run("fhir", json.dumps({"resourceType": "Basic", name: data}).encode())
    assert set(errors(records).values()) == {"base64 outside of attachments cannot be redacted"}
    assert json.loads(out) == {"resourceType": "Basic", name: ""}


def test_hl7_the_lines_around_a_document_are_read():
    lines = ["Maria came.", REPORT[:76], REPORT[76:], "FINDINGS: none"]
    message = "".join(f"OBX|{at}|TX|1^r||{line}|\r" for at, line in enumerate(lines))
    message += "OBX|5|TX|2^r||negative|\r"
    records, out = run("hl7", f"MSH|^~\\&|\r{message}".encode())
    assert texts(records) == ["Maria came.", "FINDINGS: none\nnegative"]
    assert len(REPORT[76:]) < 60 and len(errors(records)) == 2
    for line in lines[1:3]:
        message = message.replace(line, "")
    assert out.decode().lower() == f"msh|^~\\&|\r{message.lower()}"
    _, out = run("hl7", f"MSH|^~\\&|\rNTE|1||{REPORT[:76]}\rNTE|2||{REPORT[76:]}\r".encode())
    assert out == b"MSH|^~\\&|\rNTE|1||\rNTE|2||\r"
    records, _ = run("hl7", f"MSH|^~\\&|\rOBX|1||PDF||{REPORT}\rNTE|1||Normal\r".encode())
    assert texts(records)[-1] == "Normal"


@pytest.mark.parametrize(
    "line",
    [
        "ACGTTAGC" * 16,
        "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHG",
        "MetValLeuSerProAlaAspLysThrAsnValLysAlaAlaTrpGlyLysValGlyAlaHisAla",
        "CD45dimCD34+CD38brightCD117+HLA-DR+CD13+CD33+MPO+CD7+CD19-CD10-CD56dim",
        "BRAFV600E/KRASG12D/NRASQ61K/EGFRL858R/EML4-ALKfusion/TP53R175H/PIK3CAH1047R",
        "ScannedDocuments/PatientReports/2067/CardiologyConsultationReportFinal2",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301_3F2504E0-4F89-11D3-9A0C-0305E82C3301",
        "Nausea21100Vomit10000NeuropathyHand00112NeuropathyFoot01122Rash00110Fever00000",
        "Na+/K+/Cl-/HCO3-/Ca2+/Mg2+/PO4-/SO4-/Fe2+/Zn2+/Cu2+/Mn2+/Se-/Li+",
        "Cw7/Bw4/Bw6/Aw19/Cw3/Cw5/Dw2/Dw3/Dw14/DRw52/DRw53/DQw1/DQw2/DQw3",
        "0123456789abcdef" * 8,
        "-" * 30 + "Report1" + "-" * 30,
        f"images: https://pacs.example.org/v1/{REPORT}?a=1, two views",
        f"images: FTP://pacs.example.org/v1/{REPORT}",
        "data: see below, all of 2067",
    ],
)
def test_hl7_sequences_names_and_numbers_are_no_documents(line):
    records, _ = run("hl7", f"MSH|^~\\&|\rOBX|1|TX|1||{line}|\rZEF|{line}\r".encode())
    assert texts(records)[-1] == line and errors(records) == {}


@pytest.mark.parametrize("line", [b"Maria came|x|F", b"obx|1|TX|1||Maria|", b" OBX|1|TX|1||Maria|"])
def test_hl7_lines_that_are_no_segments_are_emptied(line):
    """Such as the rest of a text that was sent with its line feeds."""
    message = b"MSH|^~\\&|\rOBX|1|TX|1||one\n" + line + b"\rOBX|2||1||two|\r\x1c\r"
    records, out = run("hl7", message)
    assert errors(records) == {"1/[2]": "a line that is not a segment cannot be read"}
    assert out == b"MSH|^~\\&|\rOBX|1|TX|1||ONE\n\rOBX|2||1||TWO|\r\x1c\r"


def test_hl7_types_may_be_in_small_letters():
    _, out = run("hl7", b"MSH|^~\\&|\rOBX|1|tx |1||one|\r")
    assert out == b"MSH|^~\\&|\rOBX|1|tx |1||ONE|\r"


def test_fhir_names_that_are_no_elements_are_not_shown():
    note = "a text of more than forty characters, by Ann"
    records, _ = run("fhir", json.dumps({"resourceType": "Basic", "Ann Lee": note}).encode())
    assert [each.row for each in records] == ["(1)"]


def test_hl7_tells_what_stays():
    (chunk,) = RECORD_FORMATS["hl7"].read(io.BytesIO(MESSAGE), Fields())
    assert chunk.kept == (
        "segment MSH",
        "segment PID",
        "other fields of segment OBX",
        "segment OBX of type NM",
        "other fields of segment NTE",
    )


def test_hl7_files_of_any_size_keep_all_line_ends():
    for end in (b"\r", b"\n", b"\r\n"):
        data = MESSAGE.replace(b"\r", end) * 1_000
        assert run("hl7", data, new=str)[1] == data


def test_hl7_other_files_are_an_error():
    with pytest.raises(FormatError, match="does not begin with an HL7 header"):
        run("hl7", b"Maria|Lopez\r")


def test_hl7_escapes_stand_for_blanks_and_signs_and_come_back():
    codes = [b".in+4", b".sp", b"H", b"S", b"X0D", b".ce"]
    text = b"note" + b"".join(b"\\" + code + b"\\Orville" for code in codes)
    (record,), out = run("hl7", b"MSH|^~\\&|\rOBX|1|FT|1||" + text + b"|\r")
    assert record.text.split() == ["note", *["Orville"] * len(codes)]
    expected = text.replace(b"Orville", b"ORVILLE").replace(b"note", b"NOTE")
    assert out == b"MSH|^~\\&|\rOBX|1|FT|1||" + expected + b"|\r"


def test_hl7_letters_in_hexadecimal_are_read():
    message = b"MSH|^~\\&|\rNTE|1||Mu\\XC3BC\\ller\r"
    (record,), out = run("hl7", message.replace(b"Mu", b"M"), new=str)
    assert record.text == "M\u00fcller"
    assert out.decode("utf-8").endswith("|M\u00fcller\r")


def test_hl7_more_kinds_of_escapes_than_blanks_are_withheld():
    text = b"".join(b"\\.sk%d\\x" % number for number in range(9))
    (record,), _ = run("hl7", b"MSH|^~\\&|\rNTE|1||" + text + b"\r")
    assert record.error == "it has too many kinds of escapes"


def test_hl7_may_begin_with_a_blank_line():
    records, out = run("hl7", b"\r\n" + MESSAGE)
    assert records[0].patient_id == "77"
    assert out.startswith(b"\r\nMSH") and b"FIRST LINE" in out


def test_fhir_references_to_one_patient_are_one_id():
    forms = ("Patient/1", "http://h/fhir/Patient/1", "Patient/1/_history/2", "urn:uuid:7")
    data = bundle(
        *(
            {"resourceType": "Condition", "subject": {"reference": form}, "note": [{"text": "a"}]}
            for form in forms
        )
    )
    records, _ = run("fhir", json.dumps(data).encode())
    assert [record.patient_id for record in records] == [*["1"] * 3, "urn:uuid:7"]


def test_fhir_patients_are_referred_to_by_url_or_id():
    def patient(url, own):
        return {"fullUrl": f"urn:uuid:{url}", "resource": {"resourceType": "Patient", "id": own}}

    data = bundle(
        *(
            {"resourceType": "Condition", "subject": {"reference": form}, "note": [{"text": "a"}]}
            for form in ("Patient/1", "urn:uuid:7", "Patient/2", "Patient/3")
        )
    )
    data["entry"] += [patient(7, "1"), patient(8, "2"), patient(9, "2")]
    records, _ = run("fhir", json.dumps(data).encode())
    # ids stay the same from one Bundle to the next, but two patients have that of 2
    patients = ["1", "1", "2", "3"]
    assert [record.patient_id for record in records] == patients


@pytest.mark.parametrize("own", [7, 7.0, "7"])
def test_the_id_of_a_patient_of_fhir_may_be_a_number(own):
    note = {"note": [{"text": "a"}]}
    patient = {"resourceType": "Patient", "id": own, **note}
    visit = {"resourceType": "Encounter", "subject": {"reference": "Patient/7"}, **note}
    lines = "".join(f"{json.dumps(each)}\n" for each in (patient, visit))
    records, _ = run("fhir-lines", lines.encode())
    assert [record.patient_id for record in records] == ["7", "7"]
    data = bundle(patient, visit, {"resourceType": "Location", **note})
    records, _ = run("fhir", json.dumps(data).encode())
    assert [record.patient_id for record in records] == ["7", "7", ""]


def test_parquet_withholds_a_note_of_a_column_that_holds_no_nulls(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    schema = pa.schema([pa.field("text", pa.string(), nullable=False)])
    source, part, target = (tmp_path / name for name in ("a.parquet", ".part", "b.parquet"))
    pq.write_table(pa.table({"text": ["a", "bad"]}, schema=schema), source)
    form = RECORD_FORMATS["parquet"]
    with source.open("rb") as file, part.open("wb") as out:
        for chunk in form.read(file, Fields()):
            out.write(chunk.render([None if r.text == "bad" else "A" for r in chunk.records]))
    form.finish(part, target)
    assert pq.read_table(target)["text"].to_pylist() == ["A", None]
