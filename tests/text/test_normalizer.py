"""text_normalizer and phi_merger: the plain form is searched, the note itself annotated."""

from __future__ import annotations

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from toy_pipeline import make_toy_pipeline

from spacy_deid import redact

NOTE = "Mar\u200bia saw L\u043epez on \uff13/4/61. Call 555\u00a00116.\r\nEnd."


@pytest.fixture
def nlp():
    nlp = make_toy_pipeline()
    nlp.add_pipe("text_normalizer", first=True)
    nlp.add_pipe("clinical_sentencizer", after="text_normalizer")
    return nlp


def test_the_note_itself_is_annotated(nlp):
    doc = nlp(NOTE)
    assert doc.text == NOTE
    assert [ent.text for ent in doc.ents] == [
        "Mar\u200bia",
        "L\u043epez",
        "\uff13/4/61",
        "555\u00a00116",
    ]
    assert len(doc.spans["phi"]) == len(doc.spans["phi"].attrs["scores"]) == 4
    assert [span.text for span in doc.spans["toy_detector"]] == [ent.text for ent in doc.ents]
    assert [sent.text.strip() for sent in doc.sents] == [
        "Mar\u200bia saw L\u043epez on \uff13/4/61.",
        "Call 555\u00a00116.",
        "End.",
    ]
    assert redact(doc).text == "[PATIENT] saw [PATIENT] on [DATE]. Call [PHONE].\r\nEnd."


def test_misread_dates_of_a_scan_are_found(nlp):
    doc = nlp("REGI0NAL HOSPlTAL\nMar1a: l3/O4/2O61")
    assert [ent.text for ent in doc.ents] == ["l3/O4/2O61"]


def test_plain_notes_keep_their_doc(nlp):
    doc = nlp.make_doc("Maria saw Lopez.")
    assert nlp(doc) is doc


def test_the_context_reaches_the_pipes_and_comes_back(nlp):
    nlp.add_pipe("phi_known", before="toy_detector")
    nlp.get_pipe("phi_merger").detectors.append("phi_known")
    context = {"known_phi": {"PATIENT": ["Quist"]}, "id": 7}
    ((doc, back),) = nlp.pipe([("Seen: Qui\u200bst.", context)], as_tuples=True)
    assert back is context
    assert [ent.text for ent in doc.ents] == ["Qui\u200bst"]


def test_docs_can_be_processed_in_other_processes_and_saved(nlp, tmp_path):
    docs = list(nlp.pipe([NOTE, "Maria."] * 2, n_process=2, batch_size=1))
    assert [len(doc.ents) for doc in docs] == [4, 1, 4, 1]
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert [ent.text for ent in loaded(NOTE).ents] == [ent.text for ent in docs[0].ents]


@pytest.mark.parametrize("text", ["", "\u200b", "\u200b\u200b Maria", "\r\n", "\u00a0\u00a0"])
def test_notes_of_little_else_than_disguise(nlp, text):
    doc = nlp(text)
    assert doc.text == text
    assert [ent.text for ent in doc.ents] == ["Maria"] * ("Maria" in text)


def test_detections_in_one_token_of_the_note_are_one(nlp):
    # The ligature makes one token of two folded ones.
    doc = nlp("Maria\ufb01Lopez")
    assert doc.text == "Maria\ufb01Lopez"
    assert "Maria" not in redact(doc).text and "Lopez" not in redact(doc).text


@Language.component("toy_linker")
def toy_linker(doc):
    """Links the first word, as an entity and in a span group."""
    span = Span(doc, 0, 1, label="DRUG", kb_id="Q1", span_id="mine")
    doc.ents, doc.spans["linked"] = [span], [span]
    return doc


def test_links_of_other_pipes_come_back(nlp):
    nlp.add_pipe("toy_linker", before="phi_merger")
    nlp.get_pipe("phi_merger").ents = "keep"
    doc = nlp("aspi\u200brin for Maria")
    for span in (doc.ents[0], doc.spans["linked"][0]):
        assert (span.text, span.kb_id_, span.id_) == ("aspi\u200brin", "Q1", "mine")


@Language.component("toy_notetaker")
def toy_notetaker(doc):
    """Leaves what components leave: on the doc, on a span and on a token."""
    doc._.toy_doc = "seen"
    doc.cats["urgent"] = doc.cats["before"] = 1.0
    doc.user_data["source"] = "ward"
    lopez = next(token for token in doc if token.text == "Lopez")
    doc[lopez.i : lopez.i + 1]._.toy_span = "surname"
    for token in doc:
        token._.toy_token = token.text
    return doc


@pytest.fixture
def extensions():
    owners = {"toy_doc": Doc, "toy_span": Span, "toy_token": Token}
    for name, owner in owners.items():
        owner.set_extension(name, default=None)
    yield
    for name, owner in owners.items():
        owner.remove_extension(name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Dr. Lopez saw her.", ["Lopez", "saw"]),
        ("Dr.\r\n\r\nLopez saw a a\u00a0a.\r\n", ["Lopez", "saw", "a", "a", "a"]),
        ("\u200bL\u043epez", ["Lopez"]),
    ],
)
def test_what_other_pipes_write_comes_back(nlp, extensions, text, words):
    nlp.add_pipe("toy_notetaker", before="phi_merger")
    doc = nlp.make_doc(text)
    doc.cats["before"] = 0.5
    doc.user_data["mine"] = 1
    doc[0:1]._.toy_span = "first"
    doc = nlp(doc)
    (lopez,) = doc.ents
    assert doc._.toy_doc == "seen" and doc.cats == {"urgent": 1.0, "before": 1.0}
    assert lopez._.toy_span == "surname"
    assert [t._.toy_token for t in doc if t._.toy_token in words] == words
    assert len(doc) == 1 or doc[0:1]._.toy_span == "first"
    kept = {key for key in doc.user_data if isinstance(key, str)}
    assert kept == {"source", "mine"} and doc.to_bytes()
