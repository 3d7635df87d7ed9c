import re

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_deid.annotation.candidates import write_candidates
from spacy_deid.engine.search import Search
from spacy_deid.known.pipe import add_known


@Language.component("toy_rules")
def toy_rules(doc):
    names = re.finditer("Kim Young", doc.text)
    spans = [doc.char_span(*match.span(), label="DOCTOR") for match in names]
    write_candidates(doc, "toy_rules", [(span, 0.97) for span in spans])
    return doc


@Language.component("toy_doubter")
def toy_doubter(doc):
    words = re.finditer(r"\b(?:ky|went|home)\b", doc.text)
    spans = [doc.char_span(*match.span(), label="CITY") for match in words]
    write_candidates(doc, "toy_doubter", [(span, 0.02) for span in spans])
    return doc


@Language.component("toy_copier")
def toy_copier(doc):
    return doc.copy()


@Language.component("toy_retokenizer")
def toy_retokenizer(doc):
    words, spaces = zip(*((token.text, bool(token.whitespace_)) for token in doc), strict=True)
    return Doc(doc.vocab, words, spaces, user_data=doc.user_data)


@pytest.mark.parametrize("pipe", ["toy_copier", "toy_retokenizer"])
@pytest.mark.parametrize("place", [{"first": True}, {"after": "text_normalizer"}])
def test_known_data_reach_their_detector_past_pipes_that_return_another_doc(nlp, pipe, place):
    nlp.add_pipe("text_normalizer", first=True)
    add_known(nlp)
    nlp.add_pipe(pipe, **place)
    texts = ["Orville came.", "Orville\u00a0Whitacre came."]
    found = Search(nlp).find(texts, [{}, {"PATIENT": "Orville Whitacre"}])
    assert [len(each.spans) for each in found] == [0, 1] and not found[1].error


def test_pieces_of_a_note_share_what_its_names_make_of_doubts():
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("toy_rules")
    nlp.add_pipe("toy_doubter")
    settings = {"detectors": ["toy_rules", "toy_doubter"]}
    nlp.add_pipe("phi_merger", config={**settings, "second_opinions": {"toy_rules": "toy_doubter"}})
    text = f"Kim Young, RN. {'Slept well. ' * 9}\n\nMeds given ky. Then she went home."
    whole = Search(nlp).find([text], [{}])[0]
    assert [text[span.start : span.end] for span in whole.spans] == ["Kim Young", "ky"]
    nlp.max_length = 80
    assert Search(nlp).find([text], [{}])[0].spans == whole.spans
