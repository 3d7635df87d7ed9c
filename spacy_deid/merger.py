"""phi_merger: one decision per token out of what the detectors found.

Detectors overlap and disagree. A strategy decides, and the outcome goes to `doc.ents` and, with
who found it, to `doc.spans["phi"]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from .boundaries import extend_code, extend_institution, trim_mention
from .candidates import DECIDED, read_candidates
from .consistency import doubtful_words, find_doubtful, find_words, name_words, recurs
from .evaluation.scorer import SCORE_WEIGHTS, score_phi
from .merging import STRATEGIES, Mention, by_cover
from .phi import CATEGORY, PHI_TYPES
from .whole_names import whole_names

_INSTITUTIONS = frozenset(("HOSPITAL", "ORGANIZATION"))
_CODES = frozenset((*PHI_TYPES["ID"], "USERNAME", "ROOM"))
_CONTRADICTED = 0.1
"""What is left of the confidence of an unsure candidate where the second opinion is silent: of 41
such finds of the rules, on notes the tagger had not learned from, 3 were PHI."""
_CERTAIN = 0.97
_INEXACT = 0.3
"""Where the second opinion, too, finds PHI, its bounds and type are right four times as often as
those of the rules (on the same notes, 381 to 97). A rule's come first from `_CERTAIN` on, and are
else worth `_INEXACT` less than its confidence that there is PHI."""
PHI_GROUP = "phi"
"""Key in `doc.spans` of the merged PHI. A doc without it went through no merger."""


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
        "second_opinion": None,
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
    second_opinion: str | None,
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
        second_opinion=second_opinion,
        propagate=propagate,
        scorer=scorer,
    )


def set_threshold(nlp: Language, threshold: float) -> None:
    """Set the confidence from which on the merger of a pipeline takes a candidate for PHI.

    RAISES (ValueError): If the pipeline has no `phi_merger`.
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
        second_opinion: str | None = None,
        propagate: bool = True,
        scorer: Callable[..., dict[str, Any]] | None = score_phi,
    ) -> None:
        """Create the merger.

        vocab (Vocab): The shared vocabulary, with its list of common words.
        name (str): Name of the pipe.
        detectors (list[str]): Names of the detectors to read, in order of priority.
        strategy (str): Name of the strategy, a key of `STRATEGIES`.
        sure_score (float): From this confidence on, a candidate is sure. Sure ones come first, by
            the order of the detectors; of unsure ones the best score counts, whoever gives it.
            0 ranks by detector alone, as Liu et al. 2015 do.
        threshold (float): The confidence that a candidate needs to count: 0.5 takes what the
            detectors decided, less finds more, more is more often right.
        type_thresholds (dict[str, float] | None): Other thresholds for some PHI types.
        second_opinion (str | None): A detector that also names what it only doubts, such as
            `phi_tagger` (its `min_score`): where it says nothing, an unsure candidate of another
            detector has a tenth of its confidence left, and where both find something, its bounds
            and types come before those of another that is not all but certain, which also loses
            ends that this one does not doubt.
        propagate (bool): Whether a sure name is looked for in the rest of the note; its common
            words and, of staff, its initials only where the second opinion doubts them.
        scorer (Callable | None): The scorer.
        RAISES (ValueError): If a setting names an unknown strategy, detector or PHI type.
        """
        if strategy not in STRATEGIES:
            raise ValueError(f"unknown strategy '{strategy}'; there are {', '.join(STRATEGIES)}")
        unknown = sorted(set(type_thresholds or ()) - set(CATEGORY))
        if unknown:
            raise ValueError(f"'type_thresholds' names '{unknown[0]}', which is no PHI type")
        if second_opinion is not None and second_opinion not in detectors:
            raise ValueError(f"'second_opinion' names '{second_opinion}', not among 'detectors'")
        self.vocab = vocab
        self.name = name
        self.detectors = list(detectors)
        self.strategy = strategy
        self.sure_score = sure_score
        self.threshold = threshold
        self.type_thresholds = dict(type_thresholds or {})
        self.second_opinion = second_opinion
        self.propagate = propagate
        self.scorer = scorer

    def __call__(self, doc: Doc) -> Doc:
        """Merge the candidates of a doc.

        doc (Doc): The doc.
        RETURNS (Doc): The same doc, annotated.
        RAISES (ValueError): If a detector did not run on the doc: a note that was not searched
            must not pass for one without PHI.
        """
        doc.spans.pop(PHI_GROUP, None)
        self._require_detectors(doc)
        doubted = self._doubted(doc)
        strategy = STRATEGIES[self.strategy]
        mentions = strategy(doc, self._ranked_mentions(doc, doubted), len(self.detectors))
        if self.propagate:
            mentions = by_cover(doc, [*mentions, *self._same_names(doc, mentions, doubted)])
        self._annotate(doc, whole_names(doc, mentions))
        return doc

    def name_words(self, doc: Doc) -> dict[str, str]:
        """The words of a merged doc's sure names that are looked for in the rest of its note.

        RETURNS (dict[str, str]): PHI type of each word; none if `propagate` is off.
        """
        if not self.propagate:
            return {}
        group = doc.spans[PHI_GROUP]
        found = (
            (span.start, span.end, span.label_, score)
            for span, score in zip(group, group.attrs.get("scores", ()), strict=False)
        )
        return name_words(doc, self._sure_names(found))

    def _require_detectors(self, doc: Doc) -> None:
        for detector in self.detectors:
            if detector not in doc.spans:
                raise ValueError(
                    f"{self.name} reads the detector '{detector}', which did not run; put it "
                    f"before {self.name}, or take it out of the setting 'detectors'"
                )

    def _ranked_mentions(self, doc: Doc, doubted: set[int] | None) -> list[Mention]:
        """All candidates that count, trimmed, the one of highest priority first.

        doubted (set[int] | None): The tokens that the second opinion at least doubts.
        """
        ranked = []
        for place, detector in enumerate(self.detectors):
            suspects = None if detector == self.second_opinion else doubted
            for mention in _join_doubts(doc, self._counting(doc, detector, suspects)):
                start, end = trim_mention(doc, mention.start, mention.end, mention.label)
                if start < end:
                    if mention.label in _INSTITUTIONS:
                        end = extend_institution(doc, end)
                    elif mention.label in _CODES:
                        end = extend_code(doc, end)
                    mention.start, mention.end = start, end
                    rank = self._rank(place, mention.score)
                    ranked.append((*rank, start - end, start, mention.label, mention))
        return [row[-1] for row in sorted(ranked, key=lambda row: row[:-1])]

    def _rank(self, place: int, score: float) -> tuple[int, float]:
        """What candidates are sorted by, the one to trust most first.

        place (int): Position of the detector.
        """
        if self.second_opinion in (None, self.detectors[place]):
            sure, exactness = self.sure_score, score
        else:
            sure, exactness = max(self.sure_score, _CERTAIN), score - _INEXACT
        return (place if score >= sure else len(self.detectors)), -exactness

    def _counting(self, doc: Doc, detector: str, suspects: set[int] | None) -> Iterator[Mention]:
        """The candidates of a detector that reach their threshold.

        suspects (set[int] | None): The tokens that the second opinion at least doubts. Of one that
            is not all but certain, the ends are cut off that are not among them.
        """
        for span, score in read_candidates(doc, detector):
            start, end = span.start, span.end
            if suspects is not None and score < _CERTAIN:
                seconded = [i for i in range(start, end) if i in suspects]
                if seconded:
                    start, end = seconded[0], seconded[-1] + 1
                elif score < self.sure_score:
                    score *= _CONTRADICTED
            if score >= self.type_thresholds.get(span.label_, self.threshold):
                yield Mention(start, end, span.label_, span.id_, [detector], score)

    def _doubted(self, doc: Doc) -> set[int] | None:
        """The tokens that the second opinion, if there is one, takes for PHI or at least doubts."""
        if self.second_opinion is None:
            return None
        return {i for span in doc.spans[self.second_opinion] for i in range(span.start, span.end)}

    def _same_names(
        self, doc: Doc, mentions: list[Mention], doubted: set[int] | None
    ) -> list[Mention]:
        """Places where the words of sure names occur and are not all known yet."""
        names = self._sure_names((m.start, m.end, m.label, m.score) for m in mentions)
        known = {i for mention in mentions for i in range(mention.start, mention.end)}
        places = find_words(doc, name_words(doc, names))
        if doubted is not None:
            places += find_doubtful(doc, doubtful_words(doc, names), doubted - known)
        return [
            Mention(start, end, label, "same_name", [self.name], self.sure_score)
            for start, end, label in places
            if not known.issuperset(range(start, end))
        ]

    def _sure_names(
        self, found: Iterable[tuple[int, int, str, float]]
    ) -> list[tuple[int, int, str]]:
        """The sure names among finds (first token, end, PHI type and score), without the score."""
        return [
            (start, end, label)
            for start, end, label, score in found
            if score >= self.sure_score and recurs(label, end - start)
        ]

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


def _join_doubts(doc: Doc, mentions: Iterable[Mention]) -> list[Mention]:
    """`mentions` with neighbours of one type joined where their detector left one undecided.

    Blanks of their own, as between lines and sentences, keep them apart.
    """
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last
            and min(last.score, mention.score) < DECIDED
            and (last.end, last.label) == (mention.start, mention.label)
            and not (doc[last.end - 1].is_space or doc[mention.start].is_space)
        ):
            last.end, last.score = mention.end, max(last.score, mention.score)
        else:
            joined.append(mention)
    return joined
