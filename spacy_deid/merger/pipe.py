"""phi_merger: resolves overlaps and disagreements between detectors.

The result is written to `doc.ents` and, with its origins, to `doc.spans["phi"]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from ..annotation.candidates import DECIDED, read_candidates
from ..annotation.phi import CATEGORY
from ..text.normalizer import to_original
from .boundaries import set_bounds
from .propagation import NameWords, find_names, recurs
from .strategies import STRATEGIES, Mention, by_cover
from .support import CERTAIN, SecondOpinion, is_labelled, join_doubted

_INEXACT = 0.3
"""Where the second opinion also finds PHI, its boundaries and type are right four times as often as
those of the rules (381 to 97 on 360 notes the tagger was not trained on). A rule's come first only
from `CERTAIN` on; its other sure matches rank after the sure ones of the second opinion, and its
unsure ones rank with `_INEXACT` subtracted from their confidence."""
SCORE_WEIGHTS: dict[str, float | None] = {
    "phi_token_p": 0.0,
    "phi_token_r": 0.0,
    "phi_token_f": 0.0,
    "phi_token_f2": 1.0,
    "phi_strict_p": 0.0,
    "phi_strict_r": 0.0,
    "phi_strict_f": 0.0,
    "phi_strict_per_type": None,
}
"""Default weights of the scores of `spacy_deid.phi_scorer.v1`: F2 of tokens selects the model."""

PHI_GROUP = "phi"
"""Key in `doc.spans` of the merged PHI; absent if no merger ran."""
SEARCHED_GROUP = "phi_searched"
"""Key in `doc.spans` of the searched text: one span over the whole doc. Text appended to the doc
later is not covered."""


class Origin(NamedTuple):
    """The origin of a merged mention.

    sources (tuple[str, ...]): The detectors that agree on it.
    rule (str): The rule or detector that determined its boundaries and type.
    score (float): Its confidence.
    """

    sources: tuple[str, ...]
    rule: str
    score: float


def read_origins(doc: Doc) -> dict[int, Origin]:
    """The origins of a doc's merged PHI, by first character; empty if no merger ran."""
    if PHI_GROUP not in doc.spans:
        return {}
    group = doc.spans[PHI_GROUP]
    sources, scores = group.attrs.get("sources", ()), group.attrs.get("scores", ())
    return {
        span.start_char: Origin(tuple(source.split("+")), span.id_, score)
        for span, source, score in zip(group, sources, scores, strict=False)
    }


@Language.factory(
    "phi_merger",
    assigns=["doc.ents", "doc.spans"],
    requires=["doc.spans"],
    default_config={
        "detectors": ["phi_matcher", "phi_tagger"],
        "strategy": "cover",
        "sure_score": 0.75,
        "threshold": DECIDED,
        "type_thresholds": {},
        "second_opinions": {},
        "propagate": True,
        "scorer": {"@scorers": "spacy_deid.phi_scorer.v1"},
    },
    default_score_weights=SCORE_WEIGHTS,
)
def make_phi_merger(
    nlp: Language,
    name: str,
    detectors: list[str],
    strategy: str,
    sure_score: float,
    threshold: float,
    type_thresholds: dict[str, float],
    second_opinions: dict[str, str],
    propagate: bool,
    scorer: Callable[..., dict[str, Any]] | None,
) -> PhiMerger:
    """Create a `PhiMerger`; the settings are its own."""
    return PhiMerger(
        nlp.vocab,
        name,
        detectors=detectors,
        strategy=strategy,
        sure_score=sure_score,
        threshold=threshold,
        type_thresholds=type_thresholds,
        second_opinions=second_opinions,
        propagate=propagate,
        scorer=scorer,
    )


def set_threshold(nlp: Language, threshold: float) -> None:
    """Set the minimum confidence of PHI in the mergers of a pipeline.

    RAISES (ValueError): If the pipeline has no `phi_merger`, or the threshold is out of range.
    """
    mergers = mergers_of(nlp)
    if not mergers:
        raise ValueError("a threshold needs a model with a phi_merger, and this one has none")
    for name, merger in mergers.items():
        merger.threshold = threshold
        nlp.get_pipe_config(name)["threshold"] = threshold  # saved by `to_disk`


def mergers_of(nlp: Language) -> dict[str, PhiMerger]:
    """The enabled mergers of a pipeline, by pipe name."""
    return {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhiMerger)}


class PhiMerger(Pipe):
    """Merge the candidates of several detectors into `doc.ents` and `doc.spans["phi"]`.

    Each span's `id_` in the group is its rule or detector; `group.attrs` holds, in the order of the
    spans, "sources" (the detectors that agree, joined by "+") and "scores".
    """

    def __init__(
        self,
        vocab: Vocab,
        name: str = "phi_merger",
        *,
        detectors: list[str],
        strategy: str = "cover",
        sure_score: float = 0.75,
        threshold: float = DECIDED,
        type_thresholds: dict[str, float] | None = None,
        second_opinions: dict[str, str] | None = None,
        propagate: bool = True,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        """Create the merger.

        vocab (Vocab): The shared vocabulary, with its list of common words.
        name (str): Name of the pipe.
        detectors (list[str]): Names of the detectors to read, in order of priority.
        strategy (str): Name of the strategy, a key of `STRATEGIES`.
        sure_score (float): Confidence from which on a candidate is sure. Sure candidates come
            first, in the order of the detectors; unsure ones rank by confidence alone. 0, without
            second opinions, ranks by detector alone, as in Liu et al. 2015.
        threshold (float): Minimum confidence of a candidate: 0.5 keeps the detectors' decisions,
            lower values increase recall, higher ones precision.
        type_thresholds (dict[str, float] | None): Other thresholds for some PHI types.
        second_opinions (dict[str, str] | None): For some detectors, another one that supports or
            contradicts their candidates (see `SecondOpinion.weigh`). It should also report
            low-confidence candidates, as `phi_tagger` does (`min_score`). Its boundaries and types
            take precedence, except over sure identifiers and contacts, which are never trimmed.
        propagate (bool): Whether to search the whole note for the words of sure names; common words
            and the initials of staff match only where a second opinion has a candidate.
        scorer (Callable | None): The scorer.
        RAISES (ValueError): If a setting names an unknown strategy, detector or PHI type, or a
            threshold is not in [0, 1).
        """
        if strategy not in STRATEGIES:
            raise ValueError(f"unknown strategy '{strategy}'; there are {', '.join(STRATEGIES)}")
        for named in (second_opinions or {}).items():
            for detector in named:
                if detector not in detectors:
                    raise ValueError(
                        f"'second_opinions' names '{detector}', which is not among 'detectors'"
                    )
        self.vocab = vocab
        self.name = name
        self.detectors = list(detectors)
        self.strategy = strategy
        self.sure_score = sure_score
        self.threshold = threshold
        self.type_thresholds = type_thresholds or {}
        self.second_opinions = dict(second_opinions or {})
        self.propagate = propagate
        self.scorer = scorer

    @property
    def threshold(self) -> float:
        """Minimum confidence of a candidate."""
        return self._threshold

    @threshold.setter
    def threshold(self, threshold: float) -> None:
        self._threshold = _confidence(threshold, "threshold")

    @property
    def type_thresholds(self) -> Mapping[str, float]:
        """Other thresholds for some PHI types; assign a new mapping to change one."""
        return MappingProxyType(self._type_thresholds)

    @type_thresholds.setter
    def type_thresholds(self, thresholds: Mapping[str, float]) -> None:
        unknown = sorted(set(thresholds) - set(CATEGORY))
        if unknown:
            raise ValueError(f"'type_thresholds' names '{unknown[0]}', which is no PHI type")
        self._type_thresholds = {
            phi_type: _confidence(threshold, f"the threshold of {phi_type}")
            for phi_type, threshold in thresholds.items()
        }

    def __call__(self, doc: Doc) -> Doc:
        """Merge the candidates of a doc.

        doc (Doc): The doc.
        RETURNS (Doc): The annotated doc; for a folded text, the original one (`to_original`).
        RAISES (ValueError): If a detector did not run on the doc: a note that was not searched must
            not look like one without PHI.
        """
        for group in (PHI_GROUP, SEARCHED_GROUP):
            doc.spans.pop(group, None)
        self._require_detectors(doc)
        opinions = self._opinions(doc)
        mentions = STRATEGIES[self.strategy](doc, self._ranked(doc, opinions))
        if self.propagate:
            found = self._find_names(doc, self._name_words(doc, mentions), opinions)
            known = {i for mention in mentions for i in range(mention.start, mention.end)}
            new = [place for place in found if not known.issuperset(range(*place[:2]))]
            mentions = by_cover(doc, [*mentions, *map(self._same_name, new)])
        self._annotate(doc, mentions)
        doc = to_original(doc)
        doc.spans[SEARCHED_GROUP] = [doc[:]] if len(doc) else []
        return doc

    def propagate_across(self, docs: Sequence[Doc]) -> list[list[Span]]:
        """Find the names of all parts of a note in each part.

        docs (Sequence[Doc]): The parts of the note, merged.
        RETURNS (list[list[Span]]): For each doc, the matches of the names of all docs.
        """
        if not self.propagate:
            return [[] for _ in docs]
        words = NameWords({}, {})
        for doc in docs:
            words |= self._name_words(doc, _read_mentions(doc))
        return [
            [
                Span(doc, start, end, label=label)
                for start, end, label in self._find_names(doc, words, self._opinions(doc))
            ]
            for doc in docs
        ]

    def _require_detectors(self, doc: Doc) -> None:
        for detector in self.detectors:
            if detector not in doc.spans:
                raise ValueError(
                    f"{self.name} reads the detector '{detector}', which did not run; put it "
                    f"before {self.name}, or take it out of the setting 'detectors'"
                )

    def _opinions(self, doc: Doc) -> dict[str, SecondOpinion]:
        """The second opinions on a doc, by detector."""
        return {name: SecondOpinion.read(doc, name) for name in self.second_opinions.values()}

    def _ranked(self, doc: Doc, opinions: Mapping[str, SecondOpinion]) -> list[Mention]:
        """All candidates above their thresholds, weighed and trimmed, most trusted first."""
        ranked = []
        for place, detector in enumerate(self.detectors):
            opinion = opinions.get(self.second_opinions.get(detector, ""))
            for mention in join_doubted(doc, self._counting(doc, detector)):
                if opinion:
                    opinion.weigh(mention)
                start, end = set_bounds(doc, mention.start, mention.end, mention.label)
                if start < end and self._counts(mention.label, mention.score):
                    mention.start, mention.end = start, end
                    rank = self._rank(place, mention)
                    ranked.append((*rank, start - end, start, mention.label, mention))
        return [row[-1] for row in sorted(ranked, key=lambda row: row[:-1])]

    def _counting(self, doc: Doc, detector: str) -> Iterator[Mention]:
        """The candidates of a detector that reach their threshold."""
        for span, score in read_candidates(doc, detector):
            if self._counts(span.label_, score):
                yield Mention(span.start, span.end, span.label_, span.id_, [detector], score)

    def _counts(self, phi_type: str, score: float) -> bool:
        return score >= self._type_thresholds.get(phi_type, self._threshold)

    def _rank(self, place: int, mention: Mention) -> tuple[int, float]:
        """Sort key of a candidate; the most trusted has the lowest.

        place (int): Position of its detector.
        """
        weighed = self.detectors[place] in self.second_opinions
        last = len(self.detectors)
        if mention.score < self.sure_score:
            return last + 1, -(mention.score - _INEXACT if weighed else mention.score)
        exact = mention.score >= CERTAIN or is_labelled(mention)
        return (place if exact or not weighed else last), -mention.score

    def _same_name(self, place: tuple[int, int, str]) -> Mention:
        return Mention(*place, "same_name", [self.name], self.sure_score)

    def _find_names(
        self, doc: Doc, words: NameWords, opinions: Mapping[str, SecondOpinion]
    ) -> list[tuple[int, int, str]]:
        """Find names in a doc; ambiguous words only where a second opinion has a candidate."""
        nothing: frozenset[int] = frozenset()
        doubted = nothing.union(*(opinion.doubted for opinion in opinions.values()))
        return find_names(doc, words, doubted)

    def _name_words(self, doc: Doc, mentions: Iterable[Mention]) -> NameWords:
        """The words of the names that are sure enough to be propagated."""
        return NameWords.read(
            doc,
            [
                (mention.start, mention.end, mention.label)
                for mention in mentions
                if self._is_evidence(mention) and recurs(mention.label, mention.end - mention.start)
            ],
        )

    def _is_evidence(self, mention: Mention) -> bool:
        """Whether a mention is sure enough to be propagated; a rule alone must be `CERTAIN`."""
        supported = not self.second_opinions.keys() >= set(mention.sources)
        return mention.score >= (self.sure_score if supported else max(self.sure_score, CERTAIN))

    def _annotate(self, doc: Doc, mentions: list[Mention]) -> None:
        spans = [
            Span(doc, mention.start, mention.end, label=mention.label, span_id=mention.id)
            for mention in mentions
        ]
        doc.set_ents(spans, default="outside")
        doc.spans[PHI_GROUP] = SpanGroup(
            doc,
            name=PHI_GROUP,
            spans=spans,
            attrs={
                "sources": ["+".join(mention.sources) for mention in mentions],
                "scores": [mention.score for mention in mentions],
            },
        )


def _confidence(threshold: float, name: str) -> float:
    """Validate a threshold.

    RAISES (ValueError): If it is not in [0, 1): it would disable the detection.
    """
    if not 0 <= threshold < 1:
        raise ValueError(
            f"{name} is {threshold}, but must be a confidence from 0 to below 1, such as 0.3"
        )
    return threshold


def _read_mentions(doc: Doc) -> list[Mention]:
    """Read the mentions of a merged doc."""
    origins = read_origins(doc)
    return [
        Mention(span.start, span.end, span.label_, origin.rule, list(origin.sources), origin.score)
        for span in doc.spans[PHI_GROUP]
        if (origin := origins.get(span.start_char))
    ]
