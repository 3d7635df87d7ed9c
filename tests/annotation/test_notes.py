import pytest
import spacy

from spacy_deid.annotation.notes import Note, PhiSpan, check_spans, doc_from_note, note_from_doc


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


def test_patient_id_is_the_part_before_the_record():
    assert Note("110-01", "").patient_id == "110"
    assert Note("a-b-03", "").patient_id == "a-b"
    assert Note("single", "").patient_id == "single"


def test_note_and_doc_round_trip(nlp):
    note = Note("1-01", "Ann Lee came on 3/4.", (PhiSpan(0, 7, "PATIENT"), PhiSpan(16, 19, "DATE")))
    doc = doc_from_note(nlp, note)
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("Ann Lee", "PATIENT"), ("3/4", "DATE")]
    assert note_from_doc(doc, "1-01") == note


def test_span_inside_a_token_grows_to_the_token(nlp):
    doc = doc_from_note(nlp, Note("x", "born19Mar here", (PhiSpan(4, 9, "DATE"),)))
    assert [ent.text for ent in doc.ents] == ["born19Mar"]


def test_of_two_spans_in_a_token_the_longer_stays(nlp):
    spans = (PhiSpan(0, 3, "AGE"), PhiSpan(3, 9, "PATIENT"))
    doc = doc_from_note(nlp, Note("x", "072Bergen Anna", spans))
    assert len(doc.ents) == 1


def test_blanks_at_the_ends_of_a_span_are_trimmed(nlp):
    doc = doc_from_note(nlp, Note("x", "see\nAnn \n\n now", (PhiSpan(3, 10, "PATIENT"),)))
    assert [ent.text for ent in doc.ents] == ["Ann"]


@pytest.mark.parametrize(
    ("spans", "complaint"),
    [
        ([PhiSpan(0, 3, "AGE"), PhiSpan(3, 5, "DATE")], None),
        ([PhiSpan(4, 11, "AGE", "P1")], "P1 .*outside"),
        ([PhiSpan(-1, 2, "AGE", "P1")], "P1 .*outside"),
        ([PhiSpan(3, 3, "AGE", "P1")], "P1 .* is empty; remove it"),
        ([PhiSpan(0, 4, "AGE", "P0"), PhiSpan(3, 5, "DATE", "P1")], "P1 .*overlaps.* P0"),
    ],
)
def test_check_spans(spans, complaint):
    result = check_spans("0123456789", spans)
    if complaint is None:
        assert result is None
    else:
        import re

        assert re.search(complaint, result)
        assert "0123" not in result
