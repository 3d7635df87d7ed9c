import spacy
from spacy.tokens import DocBin, Span

from spacy_deid.annotation import candidates as scale
from spacy_deid.annotation.candidates import read_candidates, write_candidates


def test_candidates_survive_docbin_and_are_replaced():
    nlp = spacy.blank("en")
    doc = nlp("Ann Lee came")
    span = Span(doc, 0, 2, label="PATIENT", span_id="name.rule")
    write_candidates(doc, "rules", [(Span(doc, 2, 3, label="DATE"), 1)])
    write_candidates(doc, "rules", [(span, 0.75)])
    (loaded,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    ((found, score),) = read_candidates(loaded, "rules")
    assert (found.text, found.label_, found.id_, score) == ("Ann Lee", "PATIENT", "name.rule", 0.75)


def test_overlapping_candidates_of_two_detectors_are_kept_apart():
    doc = spacy.blank("en")("Ann Lee came")
    write_candidates(doc, "one", [(Span(doc, 0, 2, label="PATIENT"), 0.5)])
    write_candidates(doc, "two", [(Span(doc, 0, 2, label="DOCTOR"), 0.6)])
    assert [s.label_ for s, _ in read_candidates(doc, "one")] == ["PATIENT"]
    assert [s.label_ for s, _ in read_candidates(doc, "two")] == ["DOCTOR"]


def test_detector_that_did_not_run_has_no_candidates():
    assert read_candidates(spacy.blank("en")("text"), "nobody") == []


def test_the_scale_of_confidences():
    known, rules = (scale.EXACT, scale.ALIKE, scale.COMMON), (scale.CERTAIN, scale.SURE)
    assert scale.ALWAYS == 1 > max(known) > max(rules)  # what the user gave comes first
    assert scale.CERTAIN >= scale.STANDS_ALONE > scale.SURE  # only the form needs no support
    assert scale.SURE >= scale.SURE_FROM > scale.LIKELY > scale.UNSURE
    assert scale.SURE_FROM > scale.ALIKE > scale.COMMON
    assert min(*known, scale.UNSURE) > scale.DECIDED  # by default, all of it is PHI
