"""phi_merger: one decision per token out of what the detectors found.

Detectors overlap and disagree. A strategy decides, and the outcome goes to `doc.ents` and, with
who found it, to `doc.spans["phi"]`. Strategies are functions in the table `STRATEGIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from .boundaries import trim_mention, trim_punctuation
from .candidates import DECIDED, read_candidates
from .consistency import find_words, name_words, recurs
from .evaluation.scorer import SCORE_WEIGHTS, score_phi
from .phi import CATEGORY

PHI_GROUP = "phi"
"""Key in `doc.spans` of the merged PHI. A doc without it went through no merger."""


@dataclass
class Mention:
    """PHI in a doc, before and after merging.

    start (int): First token.
    end (int): One past the last token.
    label (str): PHI type.
    id (str): Why it is there: a rule id, or the detector's name.
    sources (list[str]): The detectors that agree on it: same type, shared tokens.
    score (float): The highest confidence among them.
    """

    start: int
    end: int
    label: str
    id: str
    sources: list[str]
    score: float


def by_priority(doc: Doc, mentions: Iterable[Mention]) -> list[Mention]:
    """Where mentions overlap, the earlier one wins, and nothing that any of them covers is lost.

    The idea is Liu et al. 2015's, who rank rules over character over token CRF. Theirs drops the
    loser whole; here a loser of the same type as its only winner makes that winner longer ("2067"
    grows to "March 4, 2067"), and from any other loser the parts that no winner covers stay as
    mentions of their own, if they hold a letter or digit.

    doc (Doc): The doc.
    mentions (Iterable[Mention]): Its mentions, the one of highest priority first.
    RETURNS (list[Mention]): Mentions without overlap, in the order of the text.
    """
    owners: list[Mention | None] = [None] * len(doc)
    for mention in mentions:
        winners = {id(owner): owner for owner in owners[mention.start : mention.end] if owner}
        agreeing = [winner for winner in winners.values() if winner.label == mention.label]
        for winner in agreeing:
            _agree(winner, mention)
        if agreeing and len(winners) == 1:
            winner = agreeing[0]
            winner.start = min(winner.start, mention.start)
            winner.end = max(winner.end, mention.end)
            owners[winner.start : winner.end] = [winner] * (winner.end - winner.start)
            continue
        for start, end in _free_runs(doc, owners, mention):
            part = replace(mention, start=start, end=end, sources=list(mention.sources))
            owners[start:end] = [part] * (end - start)
    return [owner for i, owner in enumerate(owners) if owner and owner.start == i]


Strategy = Callable[[Doc, Iterable[Mention]], list[Mention]]

STRATEGIES: Mapping[str, Strategy] = {"priority": by_priority}
"""What `strategy` may name. A strategy gets the mentions ranked, the one to trust most first."""


@Language.factory(
    "phi_merger",
    assigns=["doc.ents", "doc.spans"],
    requires=["doc.spans"],
    default_config={
        "detectors": ["phi_matcher", "phi_tagger"],
        "strategy": "priority",
        "sure_score": 0.75,
        "threshold": DECIDED,
        "type_thresholds": {},
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
        propagate=propagate,
        scorer=scorer,
    )


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
        strategy: str = "priority",
        sure_score: float = 0.75,
        threshold: float = DECIDED,
        type_thresholds: dict[str, float] | None = None,
        propagate: bool = True,
        scorer: Callable[..., dict[str, Any]] | None = score_phi,
    ) -> None:
        """Create the merger.

        vocab (Vocab): The shared vocabulary, with its list of common words.
        name (str): Name of the pipe.
        detectors (list[str]): Names of the detectors to read, in order of priority.
        strategy (str): Name of the strategy, a key of `STRATEGIES`.
        sure_score (float): From this confidence on, a candidate is sure. Unsure ones rank below
            every sure one and in reverse order of the detectors, so that a rule's guess gives way
            to the tagger. 0 ranks by detector alone, as Liu et al. 2015 do.
        threshold (float): The confidence that a candidate needs to count: 0.5 takes what the
            detectors decided, less finds more, more is more often right.
        type_thresholds (dict[str, float] | None): Other thresholds for some PHI types.
        propagate (bool): Whether a sure name is looked for in the rest of the note.
        scorer (Callable | None): The scorer.
        RAISES (ValueError): If a setting names an unknown strategy or PHI type.
        """
        if strategy not in STRATEGIES:
            raise ValueError(f"unknown strategy '{strategy}'; there are {', '.join(STRATEGIES)}")
        unknown = sorted(set(type_thresholds or ()) - set(CATEGORY))
        if unknown:
            raise ValueError(f"'type_thresholds' names '{unknown[0]}', which is no PHI type")
        self.vocab = vocab
        self.name = name
        self.detectors = list(detectors)
        self.strategy = strategy
        self.sure_score = sure_score
        self.threshold = threshold
        self.type_thresholds = dict(type_thresholds or {})
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
        mentions = STRATEGIES[self.strategy](doc, self._ranked_mentions(doc))
        if self.propagate:
            mentions = by_priority(doc, [*mentions, *self._same_names(doc, mentions)])
        self._annotate(doc, mentions)
        return doc

    def _ranked_mentions(self, doc: Doc) -> list[Mention]:
        """All candidates that count, trimmed, the one of highest priority first."""
        ranked = []
        for place, detector in enumerate(self.detectors):
            if detector not in doc.spans:
                raise ValueError(
                    f"{self.name} reads the detector '{detector}', which did not run; put it "
                    f"before {self.name}, or take it out of the setting 'detectors'"
                )
            for mention in _join_doubts(self._counting(doc, detector)):
                start, end = trim_mention(doc, mention.start, mention.end, mention.label)
                if start < end:
                    score, label = mention.score, mention.label
                    rank = place if score >= self.sure_score else 2 * len(self.detectors) - place
                    mention.start, mention.end = start, end
                    ranked.append((rank, -score, start - end, start, label, mention))
        return [row[-1] for row in sorted(ranked, key=lambda row: row[:-1])]

    def _counting(self, doc: Doc, detector: str) -> Iterator[Mention]:
        """The candidates of a detector that reach their threshold."""
        for span, score in read_candidates(doc, detector):
            if score >= self.type_thresholds.get(span.label_, self.threshold):
                yield Mention(span.start, span.end, span.label_, span.id_, [detector], score)

    def _same_names(self, doc: Doc, mentions: list[Mention]) -> list[Mention]:
        """Places where the words of sure names occur and are not all known yet."""
        names = [
            (mention.start, mention.end, mention.label)
            for mention in mentions
            if mention.score >= self.sure_score
            and recurs(mention.label, mention.end - mention.start)
        ]
        known = {i for mention in mentions for i in range(mention.start, mention.end)}
        return [
            Mention(start, end, label, "same_name", [self.name], self.sure_score)
            for start, end, label in find_words(doc, name_words(doc, names))
            if not known.issuperset(range(start, end))
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


def _join_doubts(mentions: Iterable[Mention]) -> list[Mention]:
    """`mentions` with neighbours of one type joined where their detector left them undecided."""
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        if (
            last
            and max(last.score, mention.score) < DECIDED
            and (last.end, last.label) == (mention.start, mention.label)
        ):
            last.end, last.score = mention.end, max(last.score, mention.score)
        else:
            joined.append(mention)
    return joined


def _agree(winner: Mention, mention: Mention) -> None:
    """Note that the detectors of `mention` found `winner` too."""
    winner.sources += [source for source in mention.sources if source not in winner.sources]
    winner.score = max(winner.score, mention.score)


def _free_runs(doc: Doc, owners: list[Mention | None], mention: Mention) -> list[tuple[int, int]]:
    """The stretches of `mention` that nobody owns, trimmed; those of mere punctuation left out."""
    runs = []
    start = mention.start
    for i in range(mention.start, mention.end + 1):
        if i == mention.end or owners[i] is not None:
            runs.append(trim_punctuation(doc, start, i))
            start = i + 1
    return [(start, end) for start, end in runs if start < end]
