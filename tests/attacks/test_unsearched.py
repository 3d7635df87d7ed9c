"""A doc of which a part was never searched for PHI never passes for a redacted one."""

from __future__ import annotations

import pytest
from spacy.tokens import Doc, DocBin

from spacy_deid.custom import Term, Terms, add_terms
from spacy_deid.redaction import RedactionError, redact

SEARCHED = "Maria came on 3/4/67."
OTHER = "Lopez did not."


@pytest.mark.parametrize("whitespace", [True, False])
@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 0), (2, 1), (1, 2), (3, 1)])
def test_a_doc_joined_with_an_unsearched_one_is_refused(nlp, order, whitespace):
    docs = [nlp(SEARCHED), nlp.make_doc(OTHER), nlp("Nothing."), nlp("")]
    joined = Doc.from_docs([docs[i].copy() for i in order], ensure_whitespace=whitespace)
    with pytest.raises(RedactionError, match="redact each doc by itself") as error:
        redact(joined)
    assert "Lopez" not in str(error.value)


def test_a_doc_whose_other_part_has_entities_of_its_own_is_refused(nlp):
    other = nlp.make_doc(OTHER)
    other.set_ents([], default="outside")
    with pytest.raises(RedactionError, match="not searched"):
        redact(Doc.from_docs([nlp(SEARCHED), other]))


def test_a_doc_joined_with_one_whose_second_search_failed_is_refused(nlp):
    failed = nlp(OTHER)
    del failed.spans["toy_detector"]
    with pytest.raises(ValueError):
        nlp.get_pipe("phi_merger")(failed)
    with pytest.raises(RedactionError, match="not searched"):
        redact(Doc.from_docs([nlp(SEARCHED), failed]))


@pytest.mark.parametrize("whitespace", [True, False])
def test_a_doc_joined_of_searched_ones_is_redacted(nlp, whitespace):
    docs = [nlp(SEARCHED), nlp(""), nlp("\n "), nlp(OTHER)]
    joined = Doc.from_docs(docs, ensure_whitespace=whitespace)
    assert redact(joined).text.split() == "[PATIENT] came on [DATE]. [PATIENT] did not.".split()


def test_a_part_of_a_doc_is_refused(nlp):
    with pytest.raises(RedactionError, match="not searched"):
        redact(nlp(SEARCHED)[0:3].as_doc())


def _split(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[0], ["Ma", "ria"], heads=[doc[0], doc[0]])
    return doc


@pytest.mark.parametrize(
    "change",
    [
        Doc.copy,
        _split,
        lambda doc: Doc(doc.vocab).from_bytes(doc.to_bytes()),
        lambda doc: Doc(doc.vocab).from_json(doc.to_json()),
        lambda doc: next(iter(DocBin(docs=[doc]).get_docs(doc.vocab))),
    ],
    ids=["copy", "split tokens", "bytes", "json", "DocBin"],
)
def test_a_searched_doc_stays_one(nlp, change):
    assert redact(change(nlp(SEARCHED))).text == "[PATIENT] came on [DATE]."


@pytest.mark.parametrize("text", [SEARCHED, "They saw Maria"])
def test_a_doc_whose_tokens_were_merged_is_refused_in_a_sentence(nlp, text):
    doc = nlp(text)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.raises(RedactionError, match="before the detectors"):
        redact(doc)


def test_a_search_again_makes_a_joined_doc_one(nlp):
    joined = nlp(Doc.from_docs([nlp(SEARCHED), nlp.make_doc(OTHER)]))
    assert redact(joined).text == "[PATIENT] came on [DATE]. [PATIENT] did not."


@pytest.mark.parametrize("value", ["Maria", None, b"Maria", ["Maria"]])
def test_what_is_no_doc_is_refused(value):
    with pytest.raises(RedactionError, match=r"expects a Doc, which nlp\(text\) returns") as error:
        redact(value)
    assert "Maria" not in str(error.value)


def test_a_span_is_refused(nlp):
    with pytest.raises(RedactionError, match="expects a Doc"):
        redact(nlp(SEARCHED)[0:2])


def _merge_first(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    return doc


def _merge_first_and_split_last(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[-2], ["Lo", "pez"], heads=[doc[-2], doc[-2]])
    return _merge_first(doc)


@pytest.mark.parametrize("change", [_merge_first, _split, _merge_first_and_split_last])
def test_tokens_that_change_between_detectors_and_merger_are_refused(nlp, change):
    doc = nlp.get_pipe("toy_detector")(nlp.make_doc("Maria came on 3/4/67 with Lopez."))
    with pytest.raises(ValueError, match="before the detectors") as error:
        nlp.get_pipe("phi_merger")(change(doc))
    assert "Maria" not in str(error.value)
    with pytest.raises(RedactionError, match="not searched"):
        redact(doc)


@pytest.mark.parametrize("change", [_merge_first, _split])
def test_tokens_may_change_before_the_detectors(nlp, change):
    doc = nlp(change(nlp.make_doc("Maria came on 3/4/67 with Lopez.")))
    assert redact(doc).text.endswith(" on [DATE] with [PATIENT].")


def test_terms_that_are_never_phi_do_not_move_to_other_tokens(nlp):
    add_terms(nlp, Terms([Term("never", "Lopez")]))
    doc = nlp.get_pipe("phi_custom")(nlp.make_doc("He came with Lopez and Maria."))
    doc = nlp.get_pipe("toy_detector")(_merge_first(doc))
    with pytest.raises(ValueError, match="before the detectors"):
        nlp.get_pipe("phi_merger")(doc)
