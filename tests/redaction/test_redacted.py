from __future__ import annotations

import subprocess
import sys

import pytest
from spacy.tokens import Doc, Span

import spacy_deid
from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.merger import PHI_GROUP
from spacy_deid.redaction import (
    STYLES,
    Redacted,
    RedactionError,
    Redactor,
    find_policy,
    random_key,
    redact,
)
from spacy_deid.redaction import styles as style_module
from spacy_deid.redaction.key import KEY_VARIABLE, as_key
from spacy_deid.redaction.redacted import process_key

TEXT = "Maria Lopez, seen 3/4/67,\ncalls 555\n 0116."


@pytest.mark.parametrize(
    "style, text",
    [
        ("tag", "[PATIENT] [PATIENT], seen [DATE],\ncalls [PHONE]."),
        ("mask", "***** *****, seen ******,\ncalls ***\n ****."),
    ],
)
def test_redact_styles(nlp, style, text):
    assert redact(nlp(TEXT), policy=style).text == text


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", [TEXT, "", "nothing", "Maria", "3/4/67 Maria"])
def test_redact_offsets_align(nlp, style, text):
    redacted = redact(nlp(text), policy=style)
    old_end = new_end = 0
    for old, new, phi_type, replacement in redacted.replacements:
        assert redacted.text[slice(*new)] == replacement
        assert redacted.text[new_end : new[0]] == text[old_end : old[0]]
        assert phi_type in ("PATIENT", "DATE", "PHONE")
        old_end, new_end = old[1], new[1]
    assert redacted.text[new_end:] == text[old_end:]


def test_redact_mask_keeps_every_position():
    text = "a\tMar\u00eda\r\n L\x00p \u2028z b"
    redactor = Redactor(find_policy("mask"), random_key())
    redacted = redactor.redact(text, [PhiSpan(2, len(text) - 2, "PATIENT")])
    assert redacted.text == "a\t*****\r\n *** \u2028* b"
    assert len(redacted.text) == len(text)


def test_redact_unsearched_doc_fails(nlp):
    bare = nlp.make_doc(TEXT)
    with pytest.raises(RedactionError, match="not searched for PHI") as error:
        redact(bare)
    assert "Maria" not in str(error.value)


def test_redact_doc_that_failed_on_a_second_run_fails(nlp):
    doc = nlp(TEXT)
    del doc.spans["toy_detector"]
    with pytest.raises(ValueError):
        nlp.get_pipe("phi_merger")(doc)
    with pytest.raises(RedactionError):
        redact(doc)


def test_redact_refuses_a_group_that_another_pipe_wrote_to(nlp):
    doc = nlp("Maria took aspirin")
    doc.spans["phi"] = [*doc.spans["phi"], Span(doc, 2, 3, label="DRUG")]
    with pytest.raises(RedactionError, match="a span of the group 'phi' has no PHI type"):
        redact(doc)


def test_redact_takes_what_was_added_to_the_entities(nlp):
    doc = nlp("Maria Lopez at Mercy with aspirin")
    doc.ents = [Span(doc, 1, 4, label="HOSPITAL"), Span(doc, 5, 6, label="DRUG")]
    assert redact(doc).text == "[PATIENT] [PATIENT] with aspirin"  # the name's type goes first


def test_a_kept_type_keeps_no_name_that_overlaps_it(nlp):
    doc = nlp("He left Georgia Harlow.")
    doc.ents = [Span(doc, 2, 3, label="STATE")]
    doc.spans["phi"] = [Span(doc, 2, 3, label="STATE"), Span(doc, 2, 4, label="PATIENT")]
    assert redact(doc, "hipaa-safe-harbor").text == "He left [PATIENT]."


@pytest.mark.parametrize(
    "first, second",
    [
        (("CITY", "Erie"), ("STATE", "Erie, Pennsylvania")),
        (("HOSPITAL", "Erie"), ("PROFESSION", "Erie, Pennsylvania")),
        (("DATE", "Erie"), ("AGE", "Erie, Pennsylvania")),
    ],
)
def test_a_type_that_a_policy_keeps_gives_way(first, second):
    text = "In Erie, Pennsylvania now"
    spans = [PhiSpan(3, 3 + len(value), phi_type) for phi_type, value in (first, second)]
    redacted = Redactor("hipaa-safe-harbor", random_key()).redact(text, spans)
    assert redacted.text == f"In [{first[0]}] now"


def test_an_age_that_overlaps_a_date_does_not_stay_as_a_year():
    spans = [PhiSpan(7, 9, "DATE"), PhiSpan(7, 19, "AGE")]
    redacted = Redactor("hipaa-safe-harbor", random_key()).redact("She is 93 years old", spans)
    assert "93" not in redacted.text


def test_redact_survives_a_copy_of_the_doc(nlp):
    doc = Doc(nlp.vocab).from_bytes(nlp(TEXT).to_bytes())
    assert redact(doc) == redact(nlp(TEXT))
    assert PHI_GROUP in doc.spans


def test_redact_reads_the_patient_of_a_doc(nlp):
    def drawn(patient):
        doc = nlp("Maria Lopez, seen 3/4/67.")
        doc.user_data["patient_id"] = patient
        return redact(doc, "surrogate", key="a secret of 16 bytes").text

    alone = drawn("")
    assert drawn(None) == drawn(float("nan")) == alone
    assert drawn(5) == drawn(5.0) == drawn("5") != alone


@pytest.mark.parametrize("patient", [4711, 4711.0, "4711.0", " 4711 "])
def test_an_id_draws_the_same_however_it_is_written(nlp, patient):
    doc, settings = nlp("Maria Lopez, seen 3/4/67."), {"key": "a secret of 16 bytes"}
    alike = redact(doc, "surrogate", patient_id="4711", **settings)
    assert redact(doc, "surrogate", patient_id=patient, **settings) == alike


def test_redactor_takes_spans_in_any_order():
    spans = [PhiSpan(11, 16, "DATE"), PhiSpan(6, 9, "DOCTOR"), PhiSpan(0, 7, "PATIENT")]
    redacted = Redactor("tag", random_key()).redact("Maria Lo x 3/4/7.", spans)
    assert redacted.text == "[PATIENT]x [DATE]."


@pytest.mark.parametrize(
    "span",
    [PhiSpan(-5, 3, "DATE"), PhiSpan(3, 2, "DATE"), PhiSpan(0, 9, "DATE"), PhiSpan(0, 5, "PERSON")],
)
def test_redactor_refuses_spans_that_would_leave_phi(span):
    with pytest.raises(RedactionError, match="a span"):
        Redactor("tag", random_key()).redact("Maria", [span])


def test_redact_unknown_style_fails(nlp):
    with pytest.raises(RedactionError, match="the styles are tag, mask"):
        redact(nlp(TEXT), policy="blur")


def test_redact_new_style_sees_the_whole_note(nlp, monkeypatch):
    def numbered(note):
        seen = {}
        return [f"<{seen.setdefault(note.original(span), len(seen) + 1)}>" for span in note.spans]

    monkeypatch.setitem(style_module.STYLES, "numbered", numbered)
    assert redact(nlp("Maria, Lopez, Maria"), policy="numbered").text == "<1>, <2>, <1>"


@pytest.mark.parametrize(
    "old, new",
    [
        ("Maria", "[PATIENT]"),
        ("ia Lopez, seen", "[PATIENT] [PATIENT], seen"),
        ("Lopez, seen", "[PATIENT], seen"),
        ("seen 3", "seen [DATE]"),
        ("seen ", "seen "),
        ("calls", "calls"),
        (".", "."),
    ],
)
def test_redacted_moved_carries_annotations_over(nlp, old, new):
    redacted = redact(nlp(TEXT))
    start = TEXT.index(old)
    first, end = redacted.moved(start, start + len(old))
    assert redacted.text[first:end] == new


def test_a_key_that_is_set_late_counts(nlp, monkeypatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    without = process_key()
    assert process_key() is without
    monkeypatch.setenv(KEY_VARIABLE, "a secret of 16 bytes")
    assert process_key().digest("a") == as_key("a secret of 16 bytes").digest("a")


def test_redact_is_exported_and_the_import_is_light():
    assert spacy_deid.redact is redact
    assert spacy_deid.Redacted is Redacted
    with pytest.raises(AttributeError, match="no attribute 'redakt'"):
        _ = spacy_deid.redakt
    code = "import sys, spacy_deid; sys.exit('spacy' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
