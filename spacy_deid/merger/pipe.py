"""phi_merger: one decision per token out of what the detectors found.

Detectors overlap and disagree. A strategy decides, and the outcome goes to `doc.ents` and, with
who found it, to `doc.spans["phi"]`.
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
"""Where the second opinion, too, finds PHI, its bounds and type are right four times as often as
those of the rules (on 360 notes that the tagger had not learned from, 381 to 97). Those of a rule
come first from `CERTAIN` on; its other sure matches come after the sure ones of the second opinion,
and its unsure ones are worth `_INEXACT` less than its confidence that there is PHI."""
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
"""Key in `doc.spans` of the merged PHI. A doc without it went through no merger."""
SEARCHED_GROUP = "phi_searched"
"""Key in `doc.spans` of the text that was searched: one span over the whole doc. What is joined to
the doc later is not covered by it."""


class Origin(NamedTuple):
    """Where a piece of merged PHI comes from.

    sources (tuple[str, ...]): The detectors that agree on it.
    rule (str): The rule or the detector that its bounds and its type are from.
    score (float): Its confidence.
    """

    sources: tuple[str, ...]
    rule: str
    score: float


def read_origins(doc: Doc) -> dict[int, Origin]:
    """Where the merged PHI of a doc comes from, by its first character; empty if none ran."""
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
    """Set the confidence from which on the merger of a pipeline takes a candidate for PHI.

    RAISES (ValueError): If the pipeline has no `phi_merger`, or the threshold is no confidence.
    """
    mergers = mergers_of(nlp)
    if not mergers:
        raise ValueError("a threshold needs a model with a phi_merger, and this one has none")
    for name, merger in mergers.items():
        merger.threshold = threshold
        nlp.get_pipe_config(name)["threshold"] = threshold  # what `to_disk` saves


def mergers_of(nlp: Language) -> dict[str, PhiMerger]:
    """The mergers of a pipeline that are in use, by the names of their pipes."""
    return {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhiMerger)}


class PhiMerger(Pipe):
    """Merge the candidates of several detectors into `doc.ents` and `doc.spans["phi"]`.

    Each span of the group tells its rule or detector in `id_`; `group.attrs` holds, in the order
    of the spans, "sources" (the detectors that agree, joined by "+") and "scores".
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
        sure_score (float): From this confidence on, a candidate is sure. Sure ones come first, by
            the order of the detectors; of unsure ones the best score counts, whoever gives it.
            0, without second opinions, ranks by detector alone, as Liu et al. 2015 do.
        threshold (float): The confidence that a candidate needs to count: 0.5 takes what the
            detectors decided, less finds more, more is more often right.
        type_thresholds (dict[str, float] | None): Other thresholds for some PHI types.
        second_opinions (dict[str, str] | None): By detector, another one whose candidates support
            or contradict its own, and that also names what it only doubts, such as `phi_tagger`
            (its `min_score`).
            See `SecondOpinion.weigh`. Its bounds and types come first; identifiers and contacts
            stay whole, and come first where they are sure.
        propagate (bool): Whether a sure name is looked for in the rest of the note; its common
            words and, of staff, its initials only where a second opinion doubts them.
        scorer (Callable | None): The scorer.
        RAISES (ValueError): If a setting names an unknown strategy, detector or PHI type, or a
            threshold is no confidence below 1.
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
        """The confidence that a candidate needs to count."""
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
        RETURNS (Doc): The same doc, annotated; for a folded text, the note's own (`to_original`).
        RAISES (ValueError): If a detector did not run on the doc: a note that was not searched
            must not pass for one without PHI.
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
        """The names of merged docs of one note that its other docs do not tell.

        docs (Sequence[Doc]): The parts of the note.
        RETURNS (list[list[Span]]): For each doc, the places of names of all docs.
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
        """The second opinions on a doc, by the names of the detectors that give them."""
        return {name: SecondOpinion.read(doc, name) for name in self.second_opinions.values()}

    def _ranked(self, doc: Doc, opinions: Mapping[str, SecondOpinion]) -> list[Mention]:
        """All candidates that count, weighed and trimmed, the one to trust most first."""
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
        """What candidates are sorted by, the one to trust most first.

        place (int): Position of the detector.
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
        """Where names stand; words that may mean something else only where an opinion doubts."""
        nothing: frozenset[int] = frozenset()
        doubted = nothing.union(*(opinion.doubted for opinion in opinions.values()))
        return find_names(doc, words, doubted)

    def _name_words(self, doc: Doc, mentions: Iterable[Mention]) -> NameWords:
        """The words of the names that mentions prove."""
        return NameWords.read(
            doc,
            [
                (mention.start, mention.end, mention.label)
                for mention in mentions
                if self._is_evidence(mention) and recurs(mention.label, mention.end - mention.start)
            ],
        )

    def _is_evidence(self, mention: Mention) -> bool:
        """Whether a mention proves that its words are a name: no match of an unsure rule alone."""
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
    """A threshold that lets something count.

    RAISES (ValueError): If it is none: a wrong one would switch the search off.
    """
    if not 0 <= threshold < 1:
        raise ValueError(
            f"{name} is {threshold}, but must be a confidence from 0 to below 1, such as 0.3"
        )
    return threshold


def _read_mentions(doc: Doc) -> list[Mention]:
    """The mentions of a merged doc."""
    origins = read_origins(doc)
    return [
        Mention(span.start, span.end, span.label_, origin.rule, list(origin.sources), origin.score)
        for span in doc.spans[PHI_GROUP]
        if (origin := origins.get(span.start_char))
    ]
