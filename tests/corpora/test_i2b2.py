from __future__ import annotations

from pathlib import Path
from xml.dom import minidom

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import LABEL_SETS
from spacy_deid.corpora import Problem, read_notes, write_notes

TAG = '<NAME id="P0" start="5" end="10" text="Quill" TYPE="PATIENT" comment="" />'


def xml(text: str = "Seen Quill today", tags: str = TAG, root: str = "deIdi2b2") -> str:
    return f"<{root}><TEXT><![CDATA[{text}]]></TEXT><TAGS>{tags}</TAGS></{root}>"


def read_one(tmp_path: Path, content: str | bytes) -> Note:
    """The note of an XML file; raises ValueError with its problem."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    (tmp_path / "110-01.xml").write_bytes(data)
    (note,) = read_notes(tmp_path)
    return note


@pytest.mark.parametrize("root", ["deIdi2b2", "root", "PHI_x"])
@pytest.mark.parametrize(
    "tag",
    [
        TAG,
        '<PATIENT id="P0" start="5" end="10" text="Quill" TYPE="PATIENT" comment="" />',
        '<PATIENT id="P0" start="5" end="10" text="Quill" />',
        '<name id="P0" start="5" end="10" type="patient" />',
        '<PHI id="P0" start="5" end="10" text="Quill" TYPE="Patient" />',
        f'<DOCTAG start="0" end="99" /><SMOKER id="S0" /><CAD id="C0">{TAG}</CAD>{TAG}',
    ],
)
def test_i2b2_reads_every_release(tmp_path: Path, root: str, tag: str) -> None:
    note = read_one(tmp_path, xml(tags=tag, root=root))
    assert note == Note("110-01", "Seen Quill today", (PhiSpan(5, 10, "PATIENT", "P0"),))
    assert note.patient_id == "110"


@pytest.mark.parametrize("names", [("TEXT", "tags"), ("Text", "Tags")])
def test_i2b2_reads_element_names_in_any_case(tmp_path: Path, names: tuple[str, str]) -> None:
    text, tags = names
    content = xml().replace("TEXT>", f"{text}>").replace("TAGS>", f"{tags}>")
    assert read_one(tmp_path, content).spans == (PhiSpan(5, 10, "PATIENT", "P0"),)


def test_i2b2_counts_offsets_after_line_ends_became_lf(tmp_path: Path) -> None:
    tag = '<NAME id="P0" start="5" end="10" text="Quill" TYPE="DOCTOR" />'
    note = read_one(tmp_path, xml("\r\nDr.\r\nQuill", tags="\r\n" + tag))
    assert note.text == "\nDr.\nQuill"
    assert note.spans == (PhiSpan(5, 10, "DOCTOR", "P0"),)


def test_i2b2_reads_entities_and_other_encodings(tmp_path: Path) -> None:
    text = "<TEXT>Smoke &amp; O&quot;Quill &lt;b> é</TEXT>"
    content = f'<?xml version="1.0" encoding="ISO-8859-1"?><root>{text}</root>'
    assert read_one(tmp_path, content.encode("latin-1")).text == 'Smoke & O"Quill <b> é'


def test_i2b2_forgives_white_space_in_the_covered_text(tmp_path: Path) -> None:
    tag = '<NAME id="P0" start="0" end="10" text="Ada&#10;Quill" TYPE="DOCTOR" />'
    assert read_one(tmp_path, xml("Ada  Quill", tag)).spans


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (xml(tags=TAG.replace('"5"', '"4"')), "tag P0 covers other text"),
        (xml(tags=TAG.replace('"10"', '"99"').replace('text="Quill"', "")), "P0 .* outside"),
        (
            xml(tags=TAG + TAG.replace("P0", "P1").replace("PATIENT", "DOCTOR")),
            "P0 .* overlaps tag P1",
        ),
        (
            xml(tags=TAG.replace("PATIENT", "COUSIN")),
            "tag P0 \\[5, 10\\) has the unknown label 'COUSIN'",
        ),
        (xml(tags=TAG.replace('start="5"', 'start="five"')), "tag P0 has no whole numbers"),
        (xml(tags=TAG.replace('start="5"', "")), "tag P0 has no whole numbers"),
        (xml() + "<", "broken XML, .* line 1"),
        ("", "broken XML, no element found"),
        ("<root><TEXT>&Quill;</TEXT></root>", "broken XML, undefined entity at line 1"),
        (xml().encode().replace(b"Seen", b"S\xffen"), "broken XML, not well-formed"),
        ('<?xml version="1.0" encoding="klingon"?>' + xml(), "encoding"),
        ('<!DOCTYPE r [<!ENTITY a "aa">]>' + xml(), "defines entities"),
        ("<root><TAGS/></root>", "no TEXT element"),
        (
            '<root><TEXT>Seen <PHI TYPE="DOCTOR">Quill</PHI></TEXT></root>',
            "other elements; .* 2006",
        ),
    ],
)
def test_i2b2_names_file_and_tag_of_a_problem_but_no_text(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    with pytest.raises(ValueError, match=rf"110-01\.xml: .*{reason}") as caught:
        read_one(tmp_path, content)
    assert "Quill" not in str(caught.value)


RECORDS = """<?xml version="1.0" encoding="UTF-8"?>
<ROOT>
<RECORD ID="7"><TEXT>
Dr. <PHI TYPE="DOCTOR">O&apos;Quill</PHI> of <PHI TYPE="HOSPITAL">Bath</PHI><PHI TYPE="ID">12</PHI>.
</TEXT></RECORD>
<RECORD ID="8"><TEXT>Nothing.</TEXT></RECORD>
<RECORD ID="9"><TEXT>Dr. <b>Quill</b></TEXT></RECORD>
<RECORD ID="10"/>
<RECORD ID="11"><TEXT>Quill</TEXT><TAGS/></RECORD>
</ROOT>
"""


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
def test_i2b2_reads_the_records_of_2006(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "train.xml").write_text(RECORDS.replace("UTF-8", encoding), encoding)
    problems: list[Problem] = []
    to_phi = LABEL_SETS["i2b2-2006"].to_phi
    one, other = read_notes(tmp_path, to_phi=to_phi, on_problem=problems.append)
    assert (one.id, one.text) == ("7", "\nDr. O'Quill of Bath12.\n")
    pieces = [(one.text[span.start : span.end], span.type) for span in one.spans]
    assert pieces == [("O'Quill", "DOCTOR"), ("Bath", "HOSPITAL"), ("12", "MEDICALRECORD")]
    assert other == Note("8", "Nothing.")
    assert [str(problem).partition("train.xml, ")[2] for problem in problems] == [
        "record 3: element 0 of its TEXT is not a PHI element with text only",
        "record 4: it has no TEXT element",
        "record 5: its PHI are not in its TEXT; split it into a file for each note",
    ]


def test_i2b2_writes_the_official_form(tmp_path: Path) -> None:
    spans = (PhiSpan(3, 12, "DOCTOR"), PhiSpan(16, 19, "LOCATION-OTHER"))
    write_notes([Note("110-01", 'Dr "Ada"\nQ<& at ]]>.', spans)], tmp_path, fmt="i2b2")
    assert (tmp_path / "110-01.xml").read_text(encoding="utf-8") == (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n'
        '<TEXT><![CDATA[Dr "Ada"\nQ<& at ]]]]><![CDATA[>.]]></TEXT>\n<TAGS>\n'
        '<NAME id="P0" start="3" end="12" text="&quot;Ada&quot;&#10;Q&lt;&amp;" TYPE="DOCTOR" '
        'comment="" />\n'
        '<LOCATION id="P1" start="16" end="19" text="]]&gt;" TYPE="LOCATION-OTHER" comment="" />\n'
        "</TAGS>\n</deIdi2b2>\n"
    )


def test_i2b2_keeps_line_ends(tmp_path: Path) -> None:
    note = Note("1", "Dr. A\r\nQuill\r]]>\rhere", (PhiSpan(4, 12, "DOCTOR", "P0"),))
    write_notes([note], tmp_path, fmt="i2b2")
    (file,) = tmp_path.iterdir()
    assert list(read_notes(tmp_path)) == [note]
    text = minidom.parse(str(file)).getElementsByTagName("TEXT")[0]
    assert "".join(node.data for node in text.childNodes) == note.text


@pytest.mark.parametrize("char", ["\x00", "\x0b", "\x1b", "\ufffe", "\ud800"])
def test_i2b2_writes_nothing_for_a_note_that_xml_cannot_hold(tmp_path: Path, char: str) -> None:
    problems: list[Problem] = []
    notes = [Note("1", f"ab{char}c"), Note("2", "abc")]
    tally = write_notes(notes, tmp_path, fmt="i2b2", on_problem=problems.append)
    code = f"U+{ord(char):04X}"
    assert problems == [Problem("note 1", f"XML cannot hold its character 2, {code}")]
    assert [file.name for file in tmp_path.iterdir()] == ["2.xml"]
    assert tally.notes == 1
