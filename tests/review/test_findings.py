from __future__ import annotations

import pytest
from spacy.tokens import DocBin, Span

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import write_notes
from spacy_deid.merger import Origin, read_origins
from spacy_deid.redaction import RedactionError
from spacy_deid.review import find_in_docs, read_findings
from spacy_deid.review.findings import is_text

TEXT = "Maria saw Chen on Monday"
BOTH = Origin(("review_names", "review_all"), "review_names_rule", 0.9)
NAMES = Origin(("review_names",), "review_names_rule", 0.9)
ALL = Origin(("review_all",), "review_all_rule", 0.8)
SPANS = (PhiSpan(0, 5, "PATIENT"), PhiSpan(10, 14, "DOCTOR"), PhiSpan(18, 24, "DATE"))
GOLD = Note("110-01", TEXT, (PhiSpan(0, 5, "PATIENT"),))


def test_find_in_docs_tells_where_phi_is_from(nlp):
    (finding,) = find_in_docs([(nlp(TEXT), "a")])
    assert finding.note == Note("a", TEXT, SPANS)
    assert finding.origins == {0: BOTH, 10: NAMES, 18: ALL}


def test_find_in_docs_takes_what_was_added_since(nlp):
    doc = nlp(TEXT)
    doc.ents = [*doc.ents, Span(doc, 1, 2, label="OTHER")]
    (finding,) = find_in_docs([(doc, "a")])
    assert len(finding.note.spans) == 4 and len(finding.origins) == 3


def test_find_in_docs_needs_a_search(nlp):
    doc = nlp.make_doc(TEXT)
    assert read_origins(doc) == {}
    with pytest.raises(RedactionError, match="not searched"):
        list(find_in_docs([(doc, "a")]))


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "notes"
    (folder / "ward").mkdir(parents=True)
    (folder / "b.txt").write_bytes(b"\xef\xbb\xbfMaria\r\nChen\r")
    (folder / "ward" / "a.TXT").write_text("none")
    (folder / "README.md").write_text("Maria")
    return folder


def test_read_findings_of_text_files(nlp, texts):
    notes = [finding.note for finding in read_findings(texts, nlp)]
    text = "\ufeffMaria\r\nChen\r"  # as it is, so that surrogates are those of redaction
    assert [(note.id, note.text) for note in notes] == [("b", text), ("ward/a", "none")]
    assert notes[0].spans == (PhiSpan(1, 6, "PATIENT"), PhiSpan(8, 12, "DOCTOR"))
    (finding,) = read_findings(texts / "b.txt", nlp)
    assert finding.note == notes[0]


def test_read_findings_of_text_files_needs_a_model(texts):
    with pytest.raises(ValueError, match="needs a model"):
        read_findings(texts)


def test_read_findings_sets_bad_text_aside(nlp, texts):
    (texts / "c.txt").write_bytes(b"Maria \xff")
    with pytest.raises(ValueError, match=r"c\.txt: it is not valid UTF-8"):
        list(read_findings(texts, nlp))
    problems = []
    assert len(list(read_findings(texts, nlp, on_problem=problems.append))) == 2
    assert len(problems) == 1


@pytest.mark.parametrize(
    "name, fmt", [("a.jsonl", None), ("a.spacy", None), ("xml", "i2b2"), ("brat", "brat")]
)
def test_read_findings_of_a_corpus(nlp, tmp_path, name, fmt):
    path = tmp_path / name
    write_notes([GOLD], path, fmt=fmt)
    assert not is_text(path)
    (own,) = read_findings(path)
    assert [(s.start, s.end, s.type) for s in own.note.spans] == [(0, 5, "PATIENT")]
    assert (own.note.id, own.origins) == ("110-01", {})
    (found,) = read_findings(path, nlp)
    assert found.note == Note("110-01", TEXT, SPANS)


def test_read_findings_of_docs_tells_where_phi_is_from(nlp, tmp_path):
    docs = [nlp(TEXT), nlp("none"), nlp("Chen")]
    docs[0].user_data["note_id"] = "first"
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "docs.spacy")
    first, second, third = read_findings(tmp_path / "docs.spacy")
    assert (first.note, first.origins) == (
        Note("first", TEXT, SPANS),
        {0: BOTH, 10: NAMES, 18: ALL},
    )
    assert (second.origins, third.origins) == ({}, {0: NAMES})


def test_is_text(texts, tmp_path):
    assert is_text(texts) and is_text(texts / "b.txt") and is_text(texts / "README.md", "text")
    assert not is_text(texts / "README.md") and not is_text(texts, "brat")
    (texts / "b.ann").write_text("")
    assert not is_text(texts)
    with pytest.raises(ValueError, match="there is no file or folder"):
        is_text(tmp_path / "gone")
