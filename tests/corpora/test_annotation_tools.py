"""What annotation tools write is read; what is unclear there is reported, not guessed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import Problem, read_notes, write_notes

TEXT = "\U0001f600 Ada\r\nQuill, 30"


def read_one(tmp_path: Path, fmt: str, content: str | list[Any] | dict[str, Any]) -> Note:
    """The note of a file; raises ValueError with its problem."""
    suffixes = {"label-studio": ".json", "webanno": ".tsv", "xmi": ".xmi"}
    path = tmp_path / f"a{suffixes.get(fmt, '.jsonl')}"
    data = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(data.encode("utf-8"))
    (note,) = read_notes(path, fmt=fmt)
    return note


def offsets(note: Note) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.type) for span in note.spans]


def task(*regions: tuple[int, int, str, str], **changes: Any) -> dict[str, Any]:
    """A task as Label Studio exports it."""
    result = [
        {
            "id": f"r{number}", "from_name": "label", "to_name": "text", "type": "labels",
            "origin": "manual",
            "value": {"start": start, "end": end, "text": text, "labels": [label]},
        }
        for number, (start, end, text, label) in enumerate(regions)
    ]  # fmt: skip
    annotation = {"id": 9, "result": result, "was_cancelled": False, "ground_truth": False}
    return {"id": 7, "annotations": [annotation], "data": {"text": TEXT}, **changes}


@pytest.mark.parametrize(
    "region",
    [
        (2, 12, "Ada\r\nQuill"),
        (2, 12, "Ada\\nQuill"),  # how Label Studio may write line ends
        (3, 13, "Ada\\nQuill"),  # UTF-16 units
        (2, 11, "Ada\nQuill"),  # CRLF counted as one
        (3, 12, "Ada\nQuill"),  # both
    ],
)
def test_label_studio_offsets_are_those_of_the_text_of_regions(
    tmp_path: Path, region: tuple[int, int, str]
) -> None:
    note = read_one(tmp_path, "label-studio", [task((*region, "DOCTOR"))])
    assert (note.id, note.text, offsets(note)) == ("7", TEXT, [(2, 12, "DOCTOR")])


def test_label_studio_reads_predictions_where_nobody_annotated(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    note = Note("n-1", TEXT, (PhiSpan(14, 16, "AGE"),))
    write_notes([note], path, fmt="label-studio")
    (written,) = json.loads(path.read_bytes())
    assert written["data"] == {"id": "n-1", "text": TEXT}
    (region,) = written["predictions"][0]["result"]
    assert region["value"] == {"start": 14, "end": 16, "text": "30", "labels": ["AGE"]}
    exported = {"id": 3, **written, "annotations": []}
    assert offsets(read_one(tmp_path, "label-studio", [exported])) == [(14, 16, "AGE")]
    exported["annotations"] = [{"result": []}]  # an annotator deleted it
    assert offsets(read_one(tmp_path, "label-studio", [exported])) == []
    imported = {"data": written["data"]}  # not an export: nobody could annotate it yet
    assert offsets(read_one(tmp_path, "label-studio", [imported])) == []


AGE = task((14, 16, "30", "AGE"))["annotations"][0]
NOTHING = {"result": []}
CHOICE = {"id": "c", "type": "choices", "value": {"choices": ["sure"]}}


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ([AGE, AGE], 1),
        ([AGE, {**AGE, "result": [*AGE["result"], CHOICE]}], 1),
        ([AGE, {**NOTHING, "was_cancelled": True}], 1),
        ([AGE, {**NOTHING, "ground_truth": True}], 0),
    ],
)
def test_label_studio_takes_the_annotation_that_counts(
    tmp_path: Path, annotations: list[Any], expected: int
) -> None:
    note = read_one(tmp_path, "label-studio", [task(annotations=annotations)])
    assert len(note.spans) == expected


UNLABELLED = {"type": "labels", "value": {"start": 14, "end": 16, "labels": []}}
HYPERTEXT = {"type": "hypertextlabels", "value": {"hypertextlabels": ["AGE"], "start": "/p[1]"}}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[{", "it is not JSON of tasks"),
        ([task(data={"image": "a.png"})], "it is not JSON of tasks"),
        ([task(annotations=[AGE, NOTHING])], "2 annotations that differ"),
        ([task(annotations=[{**AGE, "was_cancelled": True}])], "skipped it"),
        ([{**task(annotations=[]), "predictions": [6]}], "nobody annotated it"),
        ([task((2, 5, "Bob", "DOCTOR"))], "region r0|tag r0 covers other text"),
        ([task((2, 99, "Ada", "DOCTOR"))], "tag r0 "),
        ([task(annotations=[{"result": [HYPERTEXT]}])], "region 0 is not one of a Text"),
        ([task((2, 5, "Ada", "GP"))], "unknown label 'GP'"),
        ([task(annotations=[{"result": [UNLABELLED]}])], "region 0 has no label"),
    ],
)
def test_label_studio_problems_name_task_and_region(
    tmp_path: Path, content: Any, reason: str
) -> None:
    with pytest.raises(ValueError, match=rf"a\.json, task 1: .*({reason})") as caught:
        read_one(tmp_path, "label-studio", content)
    assert "Ada" not in str(caught.value) and "Quill" not in str(caught.value)


SPAN = {"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "DOCTOR"}


@pytest.mark.parametrize(
    ("changes", "note_id"),
    [
        ({"_input_hash": -12, "_task_hash": 3, "tokens": [], "answer": "accept"}, "-12"),
        ({"meta": {"id": "n-1"}, "_input_hash": -12}, "n-1"),
        ({"id": 4, "meta": {"source": "x"}}, "4"),
    ],
)
def test_prodigy_reads_examples(tmp_path: Path, changes: dict[str, Any], note_id: str) -> None:
    note = read_one(tmp_path, "prodigy", {"text": TEXT, "spans": [SPAN], **changes})
    assert (note.id, offsets(note)) == (note_id, [(2, 5, "DOCTOR")])


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_prodigy_sets_what_was_not_accepted_aside(tmp_path: Path, answer: str) -> None:
    with pytest.raises(ValueError, match="line 1: its annotator did not accept it"):
        read_one(tmp_path, "prodigy", {"id": 1, "text": "Ada", "answer": answer})


@pytest.mark.parametrize(
    "changes",
    [
        {"label": [[2, 5, "DOCTOR"]], "Comments": []},
        {"labels": [[2, 5, "DOCTOR"]]},
        {
            "entities": [{"id": 1, "label": "DOCTOR", "start_offset": 2, "end_offset": 5}],
            "relations": [],
        },
    ],
)
def test_doccano_reads_its_exports(tmp_path: Path, changes: dict[str, Any]) -> None:
    note = read_one(tmp_path, "doccano", {"id": 8, "text": TEXT, **changes})
    assert (note.id, offsets(note)) == ("8", [(2, 5, "DOCTOR")])
    note = read_one(tmp_path, "doccano", {"id": 8, "note_id": "n-1", "text": TEXT, **changes})
    assert note.id == "n-1"


def test_doccano_names_the_label_of_a_problem(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"line 1: label\[0\] is not an object"):
        read_one(tmp_path, "doccano", {"id": 8, "text": TEXT, "label": [[2, 5]]})


def test_doccano_refuses_lines_of_other_programs(tmp_path: Path) -> None:
    span = {"start": 2, "end": 5, "label": "DOCTOR"}
    with pytest.raises(ValueError, match='it has "spans", which doccano does not write'):
        read_one(tmp_path, "doccano", {"id": 8, "text": TEXT, "spans": [span], "label": []})
    with pytest.raises(ValueError, match="none of doccano's keys label, labels, entities"):
        read_one(tmp_path, "doccano", {"id": 8, "text": TEXT})
    for fmt in ("jsonl", "prodigy"):
        with pytest.raises(ValueError, match='it has "labels", but no "spans"; if doccano wrote'):
            read_one(tmp_path, fmt, {"id": 8, "text": TEXT, "labels": [[2, 5, "DOCTOR"]]})


def test_doccano_reads_all_of_its_keys(tmp_path: Path) -> None:
    keys = {"labels": [[2, 5, "DOCTOR"]], "label": [], "entities": []}
    assert offsets(read_one(tmp_path, "doccano", {"id": 8, "text": TEXT, **keys})) == [
        (2, 5, "DOCTOR")
    ]


NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
# After the examples of INCEpTION's user guide.
TSV = f"""#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue
#T_SP={NAMED_ENTITY}|identifier|value
#T_RL=webanno.custom.Relation|label|BT_{NAMED_ENTITY}


#Sentence.id=s1
#Text=I like \U0001f60a Ms. Haag
#Text=of a\\\\b .
1-1\t0-1\tI\tPRP\t_\t_\t_\t_\t
1-2\t2-6\tlike\t_\t_\t_\t_\t_\t
1-3\t7-9\t\U0001f60a\t_\t_\t_\t_\t_\t
1-4\t10-13\tMs.\tNNP\t*[1]\tDOCTOR[1]\t_\t_\t
1-5\t14-18\tHaag\tNNP\t*[1]\tDOCTOR[1]\t*\t1-4[0_1]\t
1-6\t19-21\tof\t_\t_\t_\t_\t_\t
1-7\t22-25\ta\\b\t_\t_\t_\t_\t_\t
1-7.1\t22-23\ta\t_\t*\tCITY\t_\t_\t
1-8\t26-27\t.\t_\t_\t_\t_\t_\t

#Text=Two.
2-1\t30-33\tTwo\t_\t*\tLOCATION-OTHER\t_\t_\t
2-2\t33-34\t.\t_\t_\t_\t_\t_\t
"""


def test_webanno_reads_what_inception_writes(tmp_path: Path) -> None:
    note = read_one(tmp_path, "webanno", TSV)
    assert note.text == "I like \U0001f60a Ms. Haag\nof a\\b .\n  Two."
    assert [(note.text[a:b], label) for a, b, label in offsets(note)] == [
        ("Ms. Haag", "DOCTOR"),
        ("a", "CITY"),
        ("Two", "LOCATION-OTHER"),
    ]


def test_webanno_writes_tokens_that_end_where_phi_does(tmp_path: Path) -> None:
    note = Note("n", "Hi \U0001f600Ada Quill:30yo\n\nBye", (PhiSpan(4, 13, "DOCTOR"),))
    write_notes([note], tmp_path, fmt="webanno")
    assert (tmp_path / "n.tsv").read_text("utf-8") == (
        f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NAMED_ENTITY}|value\n\n\n"
        "#Text=Hi \U0001f600Ada Quill:30yo\n#Text=\n"
        "1-1\t0-2\tHi\t_\t\n1-2\t3-5\t\U0001f600\t_\t\n"
        "1-3\t5-8\tAda\tDOCTOR[1]\t\n1-4\t9-14\tQuill\tDOCTOR[1]\t\n"
        "1-5\t14-15\t:\t_\t\n1-6\t15-19\t30yo\t_\t\n\n"
        "#Text=Bye\n2-1\t21-24\tBye\t_\t\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("#FORMAT=WebAnno TSV 3.3", "#FORMAT=CoNLL", "its first line is not that of WebAnno"),
        ("1-2\t2-6\tlike", "1-2 2-6 like", "line 11 is not a token"),
        ("2-1\t30-33", "2-1\t20-33", "line 21 is not where its sentence begins"),
        ("1-4\t10-13", "1-4\t8-13", "token 1-4 is not at its offsets"),
        ("\tHaag", "\tHaug", "token 1-5 is not at its offsets"),
        ("CITY", "*", "unknown label ''"),
    ],
)
def test_webanno_problems_name_the_line(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(ValueError, match=rf"a\.tsv: .*{reason}") as caught:
        read_one(tmp_path, "webanno", TSV.replace(old, new))
    assert "Haag" not in str(caught.value)


XMI = f"""<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
 xmlns:tcas="http:///uima/tcas.ecore" xmlns:custom="http:///webanno/custom.ecore"
 xmlns:type="http:///{NAMED_ENTITY.rpartition(".")[0].replace(".", "/")}.ecore" xmi:version="2.0">
 <cas:NULL xmi:id="0"/>
 <tcas:DocumentAnnotation xmi:id="1" sofa="9" begin="0" end="12" language="x-unspecified"/>
 <custom:Sentiment xmi:id="2" sofa="9" begin="0" end="2" value="glad"/>
 <type:NamedEntity xmi:id="3" sofa="9" begin="3" end="6" value="DOCTOR" identifier="x"/>
 <cas:Sofa xmi:id="9" sofaNum="1" sofaID="_InitialView" mimeType="text"
  sofaString="\U0001f600 Ada&#13;&#10;Quill"/>
 <cas:View sofa="9" members="1 2 3"/>
</xmi:XMI>
"""


def test_xmi_reads_utf16_offsets_and_leaves_other_layers_out(tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    note = read_one(tmp_path, "xmi", XMI)
    assert (note.id, note.text) == ("a", "\U0001f600 Ada\r\nQuill")
    assert offsets(note) == [(2, 5, "DOCTOR")]


BOMB = '<!DOCTYPE x [<!ENTITY a "Ada"><!ENTITY b "&a;&a;">]>\n<xmi:XMI'


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("<xmi:XMI", BOMB, "its XML defines entities"),
        ("</xmi:XMI>", "", "broken XML, .* at line 1[0-9]"),
        ('begin="3"', 'begin="1"', "does not begin and end at characters"),
        ('end="6"', 'end="600"', "does not begin and end at characters"),
        ('end="6"', 'end="Ada"', "cannot be read as a CAS"),
        (' value="DOCTOR"', "", r"tag 3 \[2, 5\) has the unknown label ''"),
    ],
)
def test_xmi_problems_quote_nothing(tmp_path: Path, old: str, new: str, reason: str) -> None:
    pytest.importorskip("cassis")
    with pytest.raises(ValueError, match=rf"a\.xmi: .*{reason}") as caught:
        read_one(tmp_path, "xmi", XMI.replace(old, new))
    assert "Ada" not in str(caught.value)


def test_xmi_without_text_is_no_note(tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    with pytest.raises(ValueError, match=r"a\.xmi: it has no text"):
        read_one(tmp_path, "xmi", "<x/>")


def test_xmi_without_cassis_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cassis", None)
    problems: list[Problem] = []
    with pytest.raises(ValueError, match=r"pip install \"spacy_deid\[annotation\]\""):
        write_notes([Note("1", "Ada")], tmp_path / "o", fmt="xmi", on_problem=problems.append)
    assert not problems
