"""What the setting `ents` does to the entities of other pipes; PHI is found and redacted anyway."""

from __future__ import annotations

import pytest
from spacy.training import Example

import spacy_deid
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.evaluation.systems import run_model

PLAIN = "Maria Gray took warfarin in May, 1/2/2067."
FOLDED = PLAIN.replace("warfarin", "war\u200bfarin").replace(", 1", ",\u00a01")
EXPECTED = {
    "replace": ["PATIENT", "DATE"],
    "keep": ["PATIENT", "DRUG", "MONTH", "DATE"],
    "spans_only": ["PERSON", "DRUG", "MONTH"],
}


def with_other_entities(nlp, ents):
    """The toy pipeline after a text_normalizer and a ruler, whose PERSON overlaps a PATIENT."""
    nlp.remove_pipe("phi_merger")
    ruler = nlp.add_pipe("entity_ruler", first=True)
    words = {"DRUG": "warfarin", "MONTH": "May", "PERSON": "Maria Gray"}
    ruler.add_patterns([{"label": label, "pattern": word} for label, word in words.items()])
    ruler.add_patterns([{"label": "DRUG", "pattern": "war\u200bfarin"}])
    nlp.add_pipe("text_normalizer", after="entity_ruler")
    nlp.add_pipe("phi_merger", config={"detectors": ["toy_detector"], "ents": ents})
    return nlp


@pytest.mark.filterwarnings("ignore:.W113")
@pytest.mark.parametrize("text", [PLAIN, FOLDED])
@pytest.mark.parametrize("ents", EXPECTED)
def test_entities_of_other_pipes_follow_the_setting(nlp, ents, text):
    nlp = with_other_entities(nlp, ents)
    doc = nlp(text)
    assert [ent.label_ for ent in doc.ents] == EXPECTED[ents]
    assert [span.label_ for span in doc.spans["phi"]] == ["PATIENT", "DATE"]
    assert spacy_deid.redact(doc).text == text.replace("Maria", "[PATIENT]").replace(
        "1/2/2067", "[DATE]"
    )
    assert [ent.label_ for ent in nlp(text).ents] == EXPECTED[ents]


@pytest.mark.parametrize("ents", EXPECTED)
def test_only_phi_is_scored(nlp, ents):
    nlp = with_other_entities(nlp, ents)
    gold = Note("1", PLAIN, (PhiSpan(0, 5, "PATIENT"), PhiSpan(33, 41, "DATE")))
    assert run_model(nlp, [gold]) == [gold]
    example = Example.from_dict(
        nlp.make_doc(PLAIN), {"entities": [(0, 5, "PATIENT"), (33, 41, "DATE")]}
    )
    assert nlp.evaluate([example])["phi_strict_f"] == 1.0


def test_an_unknown_value_is_refused(nlp):
    nlp.remove_pipe("phi_merger")
    with pytest.raises(ValueError, match="'sure_score' is 'x', but must be from 0 to 1"):
        nlp.add_pipe("phi_merger", config={"sure_score": "x"})
    with pytest.raises(ValueError, match="'ents' is 'drop'; choose among replace, keep"):
        nlp.add_pipe("phi_merger", config={"detectors": ["toy_detector"], "ents": "drop"})
