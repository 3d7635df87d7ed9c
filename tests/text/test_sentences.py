from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear
from spacy.language import Language
from spacy.tokens import Doc

from spacy_deid.text.sentences import ClinicalSentencizer

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}


def make_nlp(**settings: int) -> Language:
    nlp = spacy.blank("en", config=CONFIG)
    nlp.add_pipe("clinical_sentencizer", config=settings)
    return nlp


NLP = make_nlp()
SHORT = make_nlp(max_tokens=5)


def sentences(text: str, nlp: Language = NLP) -> list[str]:
    """The sentences of a text, each with its white space collapsed."""
    return [" ".join(sent.text.split()) for sent in nlp(text).sents]


@pytest.mark.parametrize(
    "text",
    [
        "Seen by Dr. Vincent and Mr. Lowe at St. Mary's.",
        "Aspirin 81 mg q.d. and b.i.d. dosing, e.g. with food.",
        "Signed by J. Q. Public today",
        "Weight 0.5 kg, was 3.25 kg",
        "1. Continue lisinopril",
        "No. 5 on the list, approx. five",
        "+n no v. last ate noon",
        "Ellen Norwood, M.D. was called",
        "Anderson Inc., a clinic, and others",
    ],
)
def test_sentences_keeps_together(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He sat up. She left! Why? Home.", ["He sat up.", "She left!", "Why?", "Home."]),
        ("lmp 6/22. seen yest", ["lmp 6/22.", "seen yest"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Stable (see above.) Home.", ["Stable (see above.)", "Home."]),
        ("No chest pain.Patient walks.", ["No chest pain.", "Patient walks."]),
        ("No rash.,ALLERGIES:, None.,1. Rest", ["No rash.,", "ALLERGIES:, None.,", "1. Rest"]),
        ("By E. Norwood, M.D. The wound", ["By E. Norwood, M.D.", "The wound"]),
        ("Lasix q.d. Aspirin b.i.d.", ["Lasix q.d.", "Aspirin b.i.d."]),
        ("4.5 mL/s. Slice 1.0", ["4.5 mL/s.", "Slice 1.0"]),
        ("Wait... Then fine", ["Wait...", "Then fine"]),
    ],
)
def test_sentences_breaks_within_a_line(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["first paragraph", "", "second paragraph"],
        ["HISTORY OF PRESENT ILLNESS:", "the patient is well"],
        ["Review of Systems", "No fever"],
        ["Name: Ellen Norwood", "MRN: 00123", "sex: F"],
        ["1. rest", "2. ice", "10) lift"],
        ["- rest", "* ice", "a) lift", "• walk"],
        ["WBC\t14.2\t11.8", "Hgb\t9.1\t8.8"],
        ["NORWOOD, ELLEN | 58F", "Ward 6 | full code"],
        ["CV     regular, no murmur heard over any of the four valve areas today", "PULM   clear"],
        ["g2p2", "works as a cashier"],
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "  \n   "])
def test_sentences_breaks_at_line_ends(lines: list[str], line_end: str) -> None:
    assert sentences(line_end.join(lines)) == [" ".join(line.split()) for line in lines if line]


@pytest.mark.parametrize(
    "text",
    [
        "the patient came in with a cough that had lasted for more than\nthree weeks and then went",
        "THE PATIENT IS AN 82-YEAR-OLD WOMAN WHO LIVES ALONE IN A SMALL\nHOUSE NEAR THE RIVER",
        "He was seen by the\nnurse",
        "pain, fever,\nchills",
        "admitted to the service of Dr.\nNorwood",
    ],
)
def test_sentences_joins_wrapped_lines(text: str) -> None:
    assert sentences(text) == [" ".join(text.split())]


def test_sentences_white_space_goes_with_the_sentence_before() -> None:
    doc = NLP("\n\nHe left.  \n\n  She stayed.\n")
    assert [sent.text for sent in doc.sents] == ["\n\nHe left.  \n\n  ", "She stayed.\n"]


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("a b c d e f g h i j k l", [8, 4]),
        ("a b c d e , g h i j k l", [6, 6]),
        ("a b c d ; , g h i j k l", [5, 7]),
        ("a b c , e f g h i j k l", [8, 4]),
        ("x , x the\nx ; x x x x", [5, 6]),
        ("a1" * 10, [8, 8, 4]),
    ],
)
def test_sentences_cuts_long_ones(text: str, lengths: list[int]) -> None:
    assert [len(sent) for sent in make_nlp(max_tokens=8)(text).sents] == lengths


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*'aB1.?!,;:)" \n\t-*|', "Dr", "\n\n", "q.d.", "No", "\u200b"])))
def test_sentences_mark_every_token(pieces: list[str]) -> None:
    doc = SHORT("".join(pieces))
    assert all(token.is_sent_start is not None for token in doc)
    assert all(len(sent) <= 5 for sent in doc.sents)
    assert sum(len(sent) for sent in doc.sents) == len(doc)


@pytest.mark.parametrize("unit", ["a. ", ".)", "ab\n", "- ", "1.\n", "a, ", ": ", "A  \n"])
def test_sentences_takes_linear_time(unit: str) -> None:
    assert_linear(NLP, unit, 10_000 * len(unit))


def test_sentences_works_on_other_tokenizers() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("clinical_sentencizer")
    assert sentences("Dr. Vincent left. He ate.", nlp) == ["Dr. Vincent left.", "He ate."]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "."])
def test_sentences_empty_docs(text: str) -> None:
    doc = NLP(text)
    assert len(list(doc.sents)) == min(len(doc), 1)


def test_sentences_of_docs_joined_from_parts() -> None:
    parts = ("Seen by Dr. Lee.\n", "   ", "\nMRN 123")
    doc = Doc.from_docs([NLP.tokenizer(part) for part in parts])
    assert [sent.text.split()[0] for sent in NLP(doc).sents] == ["Seen", "MRN"]


def test_sentences_rejects_a_bound_below_one() -> None:
    with pytest.raises(ValueError, match="max_tokens is 0"):
        ClinicalSentencizer(max_tokens=0)


def test_sentences_survives_saving(tmp_path: Path) -> None:
    nlp = make_nlp(max_tokens=4)
    text = "one two three four five six. Dr. Lowe"
    nlp.to_disk(tmp_path)
    copies = [spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp))]
    copies.append(spacy.util.load_model_from_config(nlp.config, auto_fill=False))
    copies.append(make_nlp(max_tokens=4).from_bytes(nlp.to_bytes()))
    for copy in copies:
        assert copy.get_pipe("clinical_sentencizer").max_tokens == 4
        assert sentences(text, copy) == sentences(text, nlp)


def test_sentences_pipe_equals_call_in_two_processes() -> None:
    texts = ["He left. She stayed.", "", "Name: A\nMRN: 1"]
    expected = [[sent.text for sent in NLP(text).sents] for text in texts]
    for n_process in (1, 2):
        docs = NLP.pipe(texts, n_process=n_process)
        assert [[sent.text for sent in doc.sents] for doc in docs] == expected
