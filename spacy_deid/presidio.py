"""A recognizer for Presidio's analyzer. Needs `pip install "spacy_deid[presidio]"`.

`NLP_ENGINE` makes `en_deid` the pipeline of the analyzer, so that it runs once for a text:

    engine = NlpEngineProvider(conf_file=NLP_ENGINE).create_engine()
    registry = RecognizerRegistry(recognizers=[PhiRecognizer()])
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from presidio_analyzer import AnalysisExplanation, EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts
from spacy.language import Language
from spacy.tokens import Doc

from . import __version__
from .annotation.notes import PhiSpan
from .annotation.presidio import ENTITIES, entity_among, phi_type_of
from .engine.search import Detections, Search
from .errors import RedactionError
from .merger import UNKNOWN_ORIGIN, Origin, read_origins, require_mergers
from .redaction.redacted import find_phi, join_spans

NLP_ENGINE = Path(__file__).with_name("presidio.yaml")
"""Configuration of Presidio's NLP engine, for `NlpEngineProvider(conf_file=...)`."""

_NAME = "PhiRecognizer"
_PHI_TYPE = "phi_type"
"""Key of the PHI type in the metadata of a result."""


class PhiRecognizer(EntityRecognizer):
    """Reports the PHI that `phi_merger` found, with its confidence and its detectors.

    nlp (Language | None): A pipeline with `phi_merger` to search texts with; by default, that of
        the analyzer's NLP engine has to be one.
    language (str): Language code of the texts.
    RAISES (RedactionError): If the pipeline has no `phi_merger`.
    """

    def __init__(self, nlp: Language | None = None, *, language: str = "en") -> None:
        if nlp is not None:
            require_mergers(nlp, _NAME)
        self._search = Search(nlp) if nlp else None
        super().__init__(
            list(ENTITIES), name=_NAME, supported_language=language, version=__version__
        )

    def load(self) -> None:
        """Do nothing: the pipeline is loaded already."""

    def analyze(
        self, text: str, entities: Sequence[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Find the PHI of a text.

        entities (Sequence[str]): The entities to report, by Presidio's names or ours.
        RAISES (RedactionError): If the text was not, or could not be, searched; it must not pass
            for one without PHI.
        """
        found = self._find(text, nlp_artifacts)
        results = []
        for span in found.spans:
            if entity := entity_among(span.type, entities):
                origin = found.origins.get(span.start, UNKNOWN_ORIGIN)
                results.append(self._result(entity, span, origin))
        return results

    def _find(self, text: str, artifacts: NlpArtifacts | None) -> Detections:
        if self._search:
            (found,) = self._search.find([text], [{}])
            if found.error:
                raise RedactionError(f"the text cannot be searched: {found.error}")
            return found
        doc = artifacts.tokens if artifacts else None
        if not isinstance(doc, Doc) or doc.text != text:
            raise RedactionError(
                "PhiRecognizer needs an NLP engine with en_deid (spacy_deid.presidio.NLP_ENGINE), "
                "or a pipeline of its own: PhiRecognizer(spacy.load('en_deid'))"
            )
        return Detections(find_phi(doc), read_origins(doc))

    def _result(self, entity: str, span: PhiSpan, origin: Origin) -> RecognizerResult:
        explanation = AnalysisExplanation(
            recognizer=_NAME,
            original_score=origin.score,
            pattern_name=origin.rule,
            textual_explanation=origin.explanation,
        )
        metadata = {
            RecognizerResult.RECOGNIZER_NAME_KEY: _NAME,
            RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id,
            _PHI_TYPE: span.type,
        }
        return RecognizerResult(entity, span.start, span.end, origin.score, explanation, metadata)


def phi_spans(results: Iterable[RecognizerResult]) -> tuple[PhiSpan, ...]:
    """The results of all recognizers of an analyzer as PHI, for `Redactor.redact`.

    Results of `PhiRecognizer` have their PHI type again; an entity without one is OTHER. Those that
    overlap are joined.
    """
    spans = []
    for result in results:
        known = (result.recognition_metadata or {}).get(_PHI_TYPE)
        spans.append(
            PhiSpan(result.start, result.end, known or phi_type_of(str(result.entity_type)))
        )
    return join_spans(spans)
