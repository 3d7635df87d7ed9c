"""A doc of which a part was never searched for PHI never passes for a redacted one."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_deid import deidentify
from spacy_deid.custom import Term, Terms, add_terms
from spacy_deid.merger import add_detector
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


PLANTED = {"words": ["Zorg"]}


@pytest.mark.parametrize("text", ["Maria met Zorg.", "Mar\u200bia met Zorg.", "Nobody."])
@pytest.mark.parametrize("place", [{"before": "phi_merger"}, {"first": True}, {"last": True}])
def test_a_detector_that_no_merger_reads_is_told(nlp, place, text):
    nlp.add_pipe("toy_planted", "ours", config=PLANTED, **place)
    with pytest.raises(RedactionError, match="no phi_merger reads the detector 'ours'") as error:
        deidentify(text, model=nlp)
    assert "Zorg" not in str(error.value)
    with pytest.raises(RedactionError, match="no phi_merger reads the detector 'ours'"):
        redact(nlp(text))


def test_an_added_detector_is_read_and_saved(nlp, tmp_path):
    added = add_detector(nlp, "toy_planted", "ours", config=PLANTED)
    assert added is nlp.get_pipe("ours")
    nlp.to_disk(tmp_path)
    for pipeline in (nlp, spacy.load(tmp_path)):
        assert redact(pipeline("Maria met Zorg.")).text == "[PATIENT] met [PATIENT]."


def test_a_detector_listed_on_the_pipe_alone_is_told_once_loaded(nlp, tmp_path):
    nlp.add_pipe("toy_planted", "ours", config=PLANTED, before="phi_merger")
    nlp.get_pipe("phi_merger").detectors.append("ours")
    assert redact(nlp("met Zorg")).text == "met [PATIENT]"
    nlp.to_disk(tmp_path)
    with pytest.raises(RedactionError, match="add it with spacy_deid.merger.add_detector"):
        redact(spacy.load(tmp_path)("met Zorg"))


def test_what_one_of_two_mergers_reads_is_read(nlp):
    nlp.add_pipe("phi_merger", "second", config={"detectors": [], "ents": "keep"})
    assert redact(nlp("Maria came.")).text == "[PATIENT] came."


def test_mergers_may_share_the_detectors(nlp):
    nlp.add_pipe("toy_planted", "ours", config=PLANTED, first=True)
    settings = {"detectors": ["ours"], "ents": "keep"}
    nlp.add_pipe("phi_merger", "narrow", before="phi_merger", config=settings)
    nlp.get_pipe("phi_merger").ents = "keep"
    assert {ent.text for ent in nlp("Maria met Zorg.").ents} == {"Maria", "Zorg"}


def test_a_second_search_without_a_detector_of_the_first(nlp):
    doc = nlp("Maria came.")
    add_detector(nlp, "toy_planted", "ours", config=PLANTED)
    doc = nlp(doc)
    nlp.disable_pipe("ours")
    nlp.get_pipe("phi_merger").detectors.remove("ours")
    assert redact(nlp(doc)).text == "[PATIENT] came."
