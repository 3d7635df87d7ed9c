from __future__ import annotations

import pytest

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.batch import redact_files
from spacy_deid.corpora import write_notes
from spacy_deid.evaluation.systems import align_tags, find_system

GOLD = [Note("a", "Seen: Maria, on 3/4/67"), Note("b", "nobody")]
SPANS = (PhiSpan(6, 11, "PATIENT"), PhiSpan(16, 22, "DATE"))


@pytest.mark.parametrize("name", ["gold.jsonl", "gold"])
def test_the_output_of_redact_is_a_system(nlp, tmp_path, name):
    path, out = tmp_path / name, tmp_path / "out"
    write_notes(GOLD, path, fmt="jsonl" if path.suffix else "i2b2")
    redact_files([path], out, nlp)
    notes = find_system(str(out), GOLD).notes
    assert [(note.id, note.text) for note in notes] == [("a", GOLD[0].text), ("b", "nobody")]
    assert [note.spans for note in notes] == [SPANS, ()]


FHIR = '{"resourceType": "Observation", "note": [{"text": "%s"}]}'
HL7 = "MSH|^~\\&|A|B|C|D|2067||ORU|1|P|2.5\rOBX|1|TX|||%s\r"


@pytest.mark.parametrize(
    ("suffix", "form"),
    [
        (".txt", "%s"),
        (".json", FHIR),
        (".hl7", HL7),
        (".csv", 'id,text\na,"%s"\n'),
        (".tsv", "id\ttext\na\t%s\n"),
    ],
)
def test_every_format_that_redact_writes_is_read(nlp, tmp_path, suffix, form):
    (tmp_path / f"a{suffix}").write_text(form % GOLD[0].text)
    redact_files([tmp_path / f"a{suffix}"], tmp_path / "out", nlp)
    (note,) = find_system(str(tmp_path / "out"), GOLD[:1]).notes
    assert (note.id, note.spans) == ("a", SPANS)


def test_only_tags_can_be_scored(nlp, tmp_path):
    write_notes(GOLD, tmp_path / "gold.jsonl")
    redact_files([tmp_path / "gold.jsonl"], tmp_path / "out", nlp, policy="mask")
    with pytest.raises(ValueError, match="the policy 'mask'; only tags can be scored"):
        find_system(str(tmp_path / "out"), GOLD)


def test_another_text_is_refused(nlp, tmp_path):
    write_notes(GOLD, tmp_path / "gold.jsonl")
    redact_files([tmp_path / "gold.jsonl"], tmp_path / "out", nlp)
    with pytest.raises(ValueError, match="note 'a' in .* is not a redaction of the gold note"):
        find_system(str(tmp_path / "out"), [Note("a", "Seen: Maria")])


@pytest.mark.parametrize(
    ("text", "redacted", "spans"),
    [
        ("Ann", "[PATIENT]", [(0, 3)]),
        ("Ann 3/4", "[PATIENT] [DATE]", [(0, 3), (4, 7)]),
        ("Dr. Lee, MD, [DATE]", "Dr. [DOCTOR], MD, [DATE]", [(4, 7)]),
        ("Lee.", "[DOCTOR]", [(0, 4)]),
        ("[NONE] x", "[NONE] x", []),
        ("[DATE] by Lee", "[DATE] by [DOCTOR]", [(10, 13)]),
        ("At Lee and Co and 3/4.", "At [HOSPITAL] and [DATE].", [(3, 6), (11, 21)]),  # ambiguous
        ("Ann", "Ann", []),
        ("Ann", "Anna", None),
        ("Ann sat", "[PATIENT] sits", None),
        ("Ann", "Ann[DATE]", None),
        ("a", "[DATE]a", None),
    ],
)
def test_align_tags(text, redacted, spans):
    found = align_tags(text, redacted)
    assert (found if found is None else [(span.start, span.end) for span in found]) == spans
