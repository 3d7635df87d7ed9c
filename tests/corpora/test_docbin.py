from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import Problem, read_notes, write_notes

NOTE = Note("7-01", "Xenon53year old", (PhiSpan(2, 4, "DOCTOR"), PhiSpan(12, 15, "AGE")))


def docs_of(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


def foreign(path: Path, texts: list[str], label: str = "CITY") -> None:
    """A file of another program: entities on the first token, no user data."""
    docs = list(spacy.blank("en").pipe(texts))
    for doc in docs:
        doc.set_ents([Span(doc, 0, 1, label=label)])
    DocBin(docs=docs).to_disk(path)


def test_docbin_holds_gold_entities_and_exact_spans(tmp_path: Path) -> None:
    path = tmp_path / "notes.spacy"
    write_notes([NOTE], path)
    (doc,) = docs_of(path)
    first, last = doc.ents
    assert first.start_char == 0 and last.text == "old"  # PHI inside a token: the whole token
    assert list(read_notes(path)) == [NOTE]


def test_docbin_believes_entities_that_were_changed(tmp_path: Path) -> None:
    path = tmp_path / "notes.spacy"
    write_notes([NOTE], path)
    (doc,) = docs_of(path)
    doc.set_ents(doc.ents[1:])
    DocBin(docs=[doc], store_user_data=True).to_disk(path)
    (note,) = read_notes(path)
    assert note == Note("7-01", NOTE.text, NOTE.spans[1:])


def test_docbin_reads_foreign_docs_shard_by_shard(tmp_path: Path) -> None:
    foreign(tmp_path / "b.spacy", ["Bath"])
    foreign(tmp_path / "a.spacy", ["Dover coast", "York"])
    assert list(read_notes(tmp_path)) == [
        Note("doc-000001", "Dover coast", (PhiSpan(0, 5, "CITY"),)),
        Note("doc-000002", "York", (PhiSpan(0, 4, "CITY"),)),
        Note("doc-000003", "Bath", (PhiSpan(0, 4, "CITY"),)),
    ]


def test_docbin_sets_docs_aside_that_have_spans_alone(tmp_path: Path) -> None:
    docs = list(spacy.blank("en").pipe(["Bath road", "Dover coast"]))
    for doc in docs:
        doc.spans["sc"] = [Span(doc, 0, 1, label="CITY")]
    docs[1].set_ents([])  # no entities, as a pipeline says
    DocBin(docs=docs).to_disk(tmp_path / "notes.spacy")
    problems: list[Problem] = []
    notes = list(read_notes(tmp_path / "notes.spacy", on_problem=problems.append))
    assert notes == [Note("doc-000002", "Dover coast")]
    (problem,) = problems
    assert "doc 1: it has doc.spans['sc'], but no doc.ents" in str(problem)
    assert "doc.set_ents(spacy.util.filter_spans(doc.spans['sc']))" in str(problem)


def test_docbin_sets_a_broken_shard_aside(tmp_path: Path) -> None:
    foreign(tmp_path / "b.spacy", ["Bath"])
    (tmp_path / "a.spacy").write_bytes(b"PK no docs")
    problems: list[Problem] = []
    notes = list(read_notes(tmp_path, on_problem=problems.append))
    assert [note.text for note in notes] == ["Bath"]
    assert "a.spacy: it cannot be read as spaCy docs" in str(problems[0])


def test_docbin_refuses_unknown_labels(tmp_path: Path) -> None:
    foreign(tmp_path / "a.spacy", ["Dover"], label="GPE")
    with pytest.raises(
        ValueError, match=r"a\.spacy, doc 1: span \[0, 5\) has the unknown label 'GPE'"
    ):
        list(read_notes(tmp_path))


@pytest.mark.parametrize("rows", [5, "abc", [5], [(0, 5)], [("0", 5, "CITY")]])
def test_docbin_sets_docs_aside_whose_exact_spans_are_none(tmp_path: Path, rows: object) -> None:
    write_notes([NOTE], tmp_path / "a.spacy")
    (doc,) = docs_of(tmp_path / "a.spacy")
    doc.user_data["spacy_deid_spans"] = rows
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    problems: list[Problem] = []
    assert list(read_notes(tmp_path / "a.spacy", on_problem=problems.append)) == []
    assert 'its user data "spacy_deid_spans" are no list of start, end, label' in str(problems[0])


def test_docbin_takes_long_notes(tmp_path: Path) -> None:
    text = "well " * 200_001  # beyond the limit that spaCy sets for parsers
    write_notes([Note("1", text)], tmp_path / "a.spacy")
    assert list(read_notes(tmp_path)) == [Note("1", text)]
