"""The recognizer for Presidio, in Presidio's own analyzer."""

from __future__ import annotations

import pytest
import spacy
import srsly
from toy_pipeline import make_toy_pipeline

from spacy_deid.annotation.phi import CATEGORY, LABEL_SETS
from spacy_deid.annotation.presidio import ENTITIES, entity_among, entity_of, phi_type_of
from spacy_deid.redaction import RedactionError, Redactor

pytest.importorskip("presidio_analyzer")

from presidio_analyzer import AnalyzerEngine, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpEngineProvider, SpacyNlpEngine

from spacy_deid.presidio import NLP_ENGINE, PhiRecognizer, phi_spans

TEXT = "\U0001f600 Seen Maria on 1/2/2067, ask for 555 0116."


def make_analyzer(nlp, *recognizers):
    engine = SpacyNlpEngine()
    engine.nlp = {"en": nlp}
    registry = RecognizerRegistry(recognizers=list(recognizers))
    return AnalyzerEngine(registry=registry, nlp_engine=engine)


@pytest.fixture
def analyzer(nlp):
    return make_analyzer(nlp, PhiRecognizer())


def test_results_have_confidence_decision_and_our_type(analyzer):
    results = analyzer.analyze(TEXT, language="en", return_decision_process=True)
    assert [(TEXT[r.start : r.end], r.entity_type) for r in sorted(results)] == [
        ("Maria", "PERSON"),
        ("1/2/2067", "DATE_TIME"),
        ("555 0116", "PHONE_NUMBER"),
    ]
    for result in results:
        explanation = result.analysis_explanation
        assert result.score == explanation.original_score == 0.9
        assert explanation.textual_explanation == "Found by toy_detector"
        assert result.recognition_metadata["recognizer_name"] == "PhiRecognizer"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["PERSON"], ["PERSON"]),
        (["PATIENT", "DATE_TIME"], ["PATIENT", "DATE_TIME"]),
        (["US_SSN"], []),
        (["DOCTOR"], []),
    ],
)
def test_entities_are_those_that_were_asked_for(analyzer, wanted, found):
    results = analyzer.analyze(TEXT, language="en", entities=wanted)
    assert [result.entity_type for result in sorted(results)] == found


def test_a_pipeline_of_its_own_searches_texts_beside_another_engine(nlp):
    analyzer = make_analyzer(spacy.blank("en"), PhiRecognizer(nlp))
    assert len(analyzer.analyze(TEXT, language="en")) == 3
    assert analyzer.analyze("", language="en") == []
    with pytest.raises(RedactionError, match="toy_detector") as error:
        analyzer.analyze("BOOM Maria", language="en")
    assert "Maria" not in str(error.value)


def test_a_text_that_was_not_searched_is_an_error(nlp):
    with pytest.raises(RedactionError, match="was not searched"):
        make_analyzer(spacy.blank("en"), PhiRecognizer()).analyze(TEXT, language="en")
    with pytest.raises(RedactionError, match="PhiRecognizer needs an NLP engine"):
        PhiRecognizer().analyze(TEXT, ["PERSON"])
    with pytest.raises(RedactionError, match="PhiRecognizer needs a phi_merger"):
        PhiRecognizer(spacy.blank("en"))


def test_results_of_all_recognizers_can_be_redacted(analyzer):
    results = analyzer.analyze(TEXT, language="en")
    results += [RecognizerResult("CRYPTO", 2, 6, 0.5), RecognizerResult("PERSON", 7, 15, 0.5)]
    spans = phi_spans(results)
    assert [span.type for span in spans] == ["OTHER", "PATIENT", "DATE", "PHONE"]
    redacted = Redactor("tag", b"0123456789abcdef").redact(TEXT, spans)
    assert redacted.text == "\U0001f600 [OTHER] [PATIENT] [DATE], ask for [PHONE]."


def test_the_engine_maps_all_types_as_the_table_does():
    config = srsly.read_yaml(NLP_ENGINE)
    mapping = config["ner_model_configuration"]["model_to_presidio_entity_mapping"]
    assert mapping == {name: entity_of(name) for name in CATEGORY}


def test_the_table_loses_nothing():
    labels = LABEL_SETS["presidio"]
    for phi_type in CATEGORY:
        entity = entity_of(phi_type)
        assert entity in ENTITIES and phi_type_of(phi_type) == phi_type
        assert entity_among(phi_type, ENTITIES) == entity
        assert phi_type_of(entity) == phi_type or labels.agrees(entity, phi_type)
    for entity in (*labels.types, "SOMETHING_NEW"):
        assert phi_type_of(entity) in CATEGORY
    assert phi_type_of("CRYPTO") == phi_type_of("SOMETHING_NEW") == "OTHER"


@pytest.mark.slow
@pytest.mark.skipif(not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel")
def test_the_engine_with_en_deid_beside_recognizers_of_presidio():
    engine = NlpEngineProvider(conf_file=NLP_ENGINE).create_engine()
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(nlp_engine=engine)
    registry.remove_recognizer("SpacyRecognizer")
    registry.add_recognizer(PhiRecognizer())
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine)
    text = "Seen by Dr. Maria Lopez on 03/04/2067, a 52-year-old. Card 4095-2609-9393-4932."
    found = {text[r.start : r.end]: r for r in analyzer.analyze(text, language="en")}
    assert found["Maria Lopez"].entity_type == "PERSON"
    assert found["Maria Lopez"].recognition_metadata["phi_type"] == "DOCTOR"
    assert 0.5 < found["Maria Lopez"].score <= 1
    assert found["03/04/2067"].entity_type == "DATE_TIME" and "4095-2609-9393-4932" in found


def test_batches_run_in_presidio(nlp):
    from presidio_analyzer import BatchAnalyzerEngine

    batch = BatchAnalyzerEngine(make_analyzer(make_toy_pipeline(), PhiRecognizer()))
    assert [len(results) for results in batch.analyze_iterator([TEXT, "Well."], "en")] == [3, 0]
