"""A key may be text or bytes wherever a `Key` may stand; one that is no secret is refused."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from spacy_deid.batch import read_manifest, redact_files, redact_stream
from spacy_deid.frames import redact_frame
from spacy_deid.redaction import Key, RedactionError, Redactor, as_key, redact
from spacy_deid.redaction.redacted import find_phi
from spacy_deid.redaction.reidentify import read_originals

SECRET = "a secret of 22 letters"
NOTE = "Maria Lopez came on 3/4/67."


def _doc(nlp, key, folder):
    return redact(nlp(NOTE), "surrogate", patient_id="1", key=key).text


def _redactor(nlp, key, folder):
    return Redactor("surrogate", key).redact(NOTE, find_phi(nlp(NOTE)), "1").text


def _frame(nlp, key, folder):
    frame = pd.DataFrame({"text": [NOTE], "mrn": ["1"]})
    return redact_frame(frame, nlp, patient="mrn", policy="surrogate", key=key)["text"][0]


def _stream(nlp, key, folder):
    target = io.BytesIO()
    redact_stream(io.BytesIO(NOTE.encode()), target, nlp, policy="surrogate", key=key)
    return target.getvalue()


def _files(nlp, key, folder):
    (folder / "note.txt").write_text(NOTE)
    redact_files(
        [folder / "note.txt"], folder / "out", nlp, policy="surrogate", key=key, force=True
    )
    (run, *_) = read_manifest(folder / "out" / "manifest.jsonl")
    return (folder / "out" / "note.txt").read_text(), run["run"]["key"]


ENTRIES = [_doc, _redactor, _frame, _stream, _files]


@pytest.mark.parametrize("entry", ENTRIES)
def test_text_bytes_and_key_draw_the_same(nlp, tmp_path, entry):
    results = [
        entry(nlp, key, tmp_path)
        for key in (Key(SECRET.encode()), SECRET, SECRET.encode(), f" {SECRET}\n")
    ]
    assert results[1:] == results[:-1]
    assert entry(nlp, SECRET + "!", tmp_path) != results[0]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    "key, message",
    [
        ("short", "give 16 bytes or more"),
        (b"short", "give 16 bytes or more"),
        ("", "give 16 bytes or more"),
        (" " * 30, "give 16 bytes or more"),
        (1234567890123456, "not int"),
        ([SECRET], "not list"),
    ],
)
def test_what_is_no_key_is_refused(nlp, tmp_path, entry, key, message):
    with pytest.raises(RedactionError, match=message) as error:
        entry(nlp, key, tmp_path)
    assert SECRET not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_text_of_16_bytes_is_enough():
    assert as_key("0123456789abcdef").digest("a") == Key(b"0123456789abcdef").digest("a")
    assert as_key("éééééééé").digest("a") == Key("éééééééé".encode()).digest("a")


def test_originals_are_read_with_a_key_as_text(nlp, tmp_path):
    (tmp_path / "a.txt").write_text(NOTE)
    originals = tmp_path / "originals"
    redact_files([tmp_path / "a.txt"], tmp_path / "out", nlp, key=SECRET, keep_originals=originals)
    (identity,) = read_originals(originals, SECRET)
    assert [original.original for original in identity.originals] == ["Maria", "Lopez", "3/4/67"]
