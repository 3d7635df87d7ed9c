"""phi_merger: resolves overlaps and disagreements between detectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from operator import itemgetter
from typing import Any

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span

from ..annotation.candidates import (
    DECIDED,
    STANDS_ALONE,
    SURE_FROM,
    UntrainedDetector,
    is_given,
    read_candidates,
)
from ..annotation.phi import CATEGORY, PERSONS
from ..errors import RedactionError
from ..text.normalizer import to_original
from ..text.tokens import Tokens, read_tokens, text_of
from .boundaries import set_bounds
from .fractions import judge_fractions
from .never import NEVER_GROUP, spare
from .propagation import NameWords, find_names, recurs
from .ranking import Rank, rank_of
from .recurrence import is_full
from .result import (
    OTHER_ENTS,
    PHI_GROUP,
    SEARCHED_GROUP,
    Mention,
    read_mentions,
    write_ents,
    write_mentions,
)
from .strategies import STRATEGIES, by_cover
from .support import Support, join_undecided

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

_MORE: ContextVar[Sequence[UntrainedDetector]] = ContextVar("more detectors", default=())


@contextmanager
def using_detectors(detectors: Sequence[UntrainedDetector]) -> Iterator[None]:
    """Let mergers run further detectors for a while, each in the place of one of its name.

    All pipelines that this thread runs meanwhile do so. No pipeline changes, and other threads may
    use them.
    """
    names = {detector.name for detector in detectors}
    before = _MORE.set([*(each for each in _MORE.get() if each.name not in names), *detectors])
    try:
        yield
    finally:
        _MORE.reset(before)


class PhiMerger(Pipe):
    """Merge the candidates of several detectors into `doc.spans["phi"]` and `doc.ents`.

    Each span's `id_` in the group is its rule or detector; `group.attrs` holds, in the order of the
    spans, "sources" (the detectors that agree, joined by "+") and "scores".
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "phi_merger",
        *,
        detectors: list[str],
        strategy: str = "cover",
        sure_score: float = SURE_FROM,
        threshold: float = DECIDED,
        type_thresholds: dict[str, float] | None = None,
        second_opinions: dict[str, str] | None = None,
        propagate: bool = True,
        ents: str = "replace",
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        """Create the merger.

        nlp (Language): The pipeline.
        name (str): Name of the pipe.
        detectors (list[str]): Names of the detectors to read, in order of priority.
        strategy (str): Name of the strategy, a key of `STRATEGIES`.
        sure_score (float): Confidence from which on a candidate is sure. Sure candidates come
            first, in the order of the detectors; unsure ones rank by confidence alone. 0, without
            `second_opinions`, ranks by detector alone, as in Liu et al. 2015.
        threshold (float): Minimum confidence of a candidate: 0.5 keeps the detectors' decisions,
            lower values increase recall, higher ones precision. What the user gave is kept.
        type_thresholds (dict[str, float] | None): Other thresholds for some PHI types.
        second_opinions (dict[str, str] | None): For some detectors, another one that supports or
            contradicts their candidates (see `Support.adjust`). It should also report
            low-confidence candidates, as `phi_tagger` does (`min_score`). Its boundaries and types
            take precedence, except over sure identifiers and contacts, which are never trimmed.
            Fractions that may be dates get new confidences, with its own as evidence
            (`judge_fractions`).
        propagate (bool): Whether to search the whole note for the words of sure names, the initials
            of staff and login names; common words, and initials of two letters or that are words,
            match only where a supporting detector has a candidate.
        ents (str): What happens to `doc.ents`: "replace" sets it to the PHI, "keep" adds the PHI
            and keeps entities of other pipes that do not overlap it, "spans_only" leaves it alone.
        scorer (Callable | None): The scorer.
        RAISES (ValueError): If a setting has an unknown value, or names an unknown detector or PHI
            type, or a threshold is not in [0, 1).
        """
        self.name = name
        self.detectors = list(detectors)
        self.strategy = strategy
        self.sure_score = sure_score
        self.threshold = threshold
        self.type_thresholds: Mapping[str, float] = dict(type_thresholds or {})
        self.second_opinions = dict(second_opinions or {})
        self.propagate = propagate
        self.ents = ents
        self.scorer = scorer
        self._check_settings()

    def _check_settings(self) -> None:
        if self.strategy not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise ValueError(f"unknown strategy '{self.strategy}'; there are {known}")
        if self.ents not in OTHER_ENTS:
            raise ValueError(f"'ents' is '{self.ents}'; choose among {', '.join(OTHER_ENTS)}")
        if not isinstance(self.sure_score, Real) or not 0 <= self.sure_score <= 1:
            raise ValueError(f"'sure_score' is {self.sure_score!r}, but must be from 0 to 1")
        for detector in (*self.second_opinions, *self.second_opinions.values()):
            if detector not in self.detectors:
                raise ValueError(
                    f"'second_opinions' names '{detector}', which is not among 'detectors'"
                )
        for phi_type, type_threshold in self.type_thresholds.items():
            if phi_type not in CATEGORY:
                raise ValueError(f"'type_thresholds' names '{phi_type}', which is not a PHI type")
            _check_threshold(type_threshold, f"the threshold of {phi_type}")

    @property
    def threshold(self) -> float:
        """Minimum confidence of a candidate."""
        return self._threshold

    @threshold.setter
    def threshold(self, threshold: float) -> None:
        _check_threshold(threshold, "threshold")
        self._threshold = threshold

    def __call__(self, doc: Doc) -> Doc:
        """Merge the candidates of a doc.

        doc (Doc): The doc.
        RETURNS (Doc): The annotated doc; for a folded text, the original one (`to_original`).
        RAISES (RedactionError): If a detector did not run on the doc, or found what is no PHI type,
            or the tokens changed since: a note that was not searched must not look like one
            without PHI.
        """
        if SEARCHED_GROUP not in doc.spans:  # a second merger reads what the first one ran
            for detector in _MORE.get():
                doc = detector(doc)
        for group in (PHI_GROUP, SEARCHED_GROUP):
            doc.spans.pop(group, None)
        tokens = read_tokens(doc)
        self._require_detectors(doc, tokens)
        support = self._read_support(doc)
        mentions = STRATEGIES[self.strategy](tokens, self._ranked(doc, tokens, support))
        mentions = spare(doc, mentions, self._all_detectors())
        if self.propagate:
            names = NameWords(doc.vocab)
            self._add_names(names, tokens, mentions)
            covered = {i for mention in mentions for i in range(mention.start, mention.end)}
            found = [
                Mention(
                    span.start, span.end, span.label_, "same_name", [self.name], self.sure_score
                )
                for span in self._find_names(doc, tokens, names, support)
                if not covered.issuperset(range(span.start, span.end))
            ]
            mentions = by_cover(tokens, [*mentions, *found])
        write_mentions(doc, mentions)
        for name in self._all_detectors():
            doc.spans[name].attrs["read"] = True
        doc = to_original(doc)
        write_ents(doc, self.ents)
        doc.spans[SEARCHED_GROUP] = [doc[:]] if len(doc) else []
        return doc

    def propagate_across(self, docs: Sequence[Doc]) -> list[list[Span]]:
        """Find the names of all parts of a note in each part.

        docs (Sequence[Doc]): The parts of the note, merged.
        RETURNS (list[list[Span]]): For each doc, the matches of the names of all docs.
        """
        if not self.propagate or not docs:
            return [[] for _ in docs]
        names = NameWords(docs[0].vocab)
        tokens = [read_tokens(doc) for doc in docs]
        for doc, of_doc in zip(docs, tokens, strict=True):
            self._add_names(names, of_doc, read_mentions(doc))
        return [
            self._find_names(doc, of_doc, names, self._read_support(doc))
            for doc, of_doc in zip(docs, tokens, strict=True)
        ]

    def _all_detectors(self) -> list[str]:
        """The names of the detectors to read."""
        more = (detector.name for detector in _MORE.get())
        return [*(name for name in more if name not in self.detectors), *self.detectors]

    def _require_detectors(self, doc: Doc, tokens: Tokens) -> None:
        for detector in self._all_detectors():
            if detector not in doc.spans:
                raise RedactionError(
                    f"{self.name} reads the detector '{detector}', which did not run; put it "
                    f"before {self.name}, or take it out of the setting 'detectors'"
                )
        for group in (*self._all_detectors(), NEVER_GROUP):
            if not _fit(doc.spans.get(group, ()), tokens):
                raise RedactionError(
                    f"tokens of the doc were merged or split after '{group}' was written: put the "
                    "pipe that does so before the detectors, or redact first"
                )

    def _read_support(self, doc: Doc) -> dict[str, Support]:
        """The candidates of the supporting detectors, by detector."""
        return {name: Support.read(doc, name) for name in self.second_opinions.values()}

    def _ranked(self, doc: Doc, tokens: Tokens, support: Mapping[str, Support]) -> list[Mention]:
        """All candidates above their thresholds, most trusted first."""
        dates = {i: score for one in support.values() for i, score in one.dates.items()}
        fractions = judge_fractions(text_of(doc), tokens.words, dates) if dates else {}
        ranked: list[tuple[Rank, Mention]] = []
        for place, detector in enumerate(self._all_detectors()):
            supported = detector in self.second_opinions
            judged = fractions if supported or detector in support else {}
            candidates = join_undecided(tokens, self._candidates(doc, detector, judged))
            supporting = support[self.second_opinions[detector]] if supported else None
            given = is_given(doc, detector)
            ranked += (
                (rank_of(mention, place, supported=supported, sure_score=self.sure_score), mention)
                for mention in self._adjusted(candidates, tokens, supporting)
                if given or self._is_kept(mention)
            )
        return [mention for _, mention in sorted(ranked, key=itemgetter(0))]

    def _adjusted(
        self, candidates: Iterable[Mention], tokens: Tokens, supporting: Support | None
    ) -> Iterator[Mention]:
        """What is left of candidates once those of a supporting detector adjusted them, trimmed."""
        for mention in candidates:
            if supporting:
                supporting.adjust(mention)
            mention.start, mention.end = set_bounds(
                tokens, mention.start, mention.end, mention.label
            )
            if mention.start < mention.end:
                yield mention

    def _candidates(
        self, doc: Doc, detector: str, fractions: Mapping[int, float]
    ) -> Iterator[Mention]:
        """The candidates of a detector that reach their threshold, or that the user gave.

        fractions (Mapping[int, float]): The confidences of what may be a date (`judge_fractions`).
        """
        given = is_given(doc, detector)
        for span, score in read_candidates(doc, detector):
            label = span.label_
            if label not in CATEGORY:  # perhaps it quotes the note
                raise RedactionError(
                    f"the label of a span of the detector '{detector}' is not a PHI type, such as "
                    "PATIENT or DATE: map it to one of spacy_deid.annotation.phi.PHI_TYPES"
                )
            if label == "DATE" and span.end - span.start == 1:
                score = fractions.get(span.start, score)
            mention = Mention(span.start, span.end, label, span.id_, [detector], score)
            if given or self._is_kept(mention):
                yield mention

    def _is_kept(self, mention: Mention) -> bool:
        return mention.score >= self.type_thresholds.get(mention.label, self.threshold)

    def _find_names(
        self, doc: Doc, tokens: Tokens, names: NameWords, support: Mapping[str, Support]
    ) -> list[Span]:
        """Find names in a doc; ambiguous words only among the candidates of `support`."""
        supported = {i for one in support.values() for i in one.tokens}
        return find_names(doc, tokens.words, names, supported)

    def _add_names(self, names: NameWords, tokens: Tokens, mentions: Iterable[Mention]) -> None:
        """Add the names that are sure enough to be propagated, and people with a name in full.

        A rule alone must stand alone.
        """
        for mention in mentions:
            alone = self.second_opinions.keys() >= set(mention.sources)
            if alone and mention.score < STANDS_ALONE:
                continue
            words = tokens.words[mention.start : mention.end]
            sure = mention.score >= self.sure_score
            if mention.label in PERSONS and (sure or is_full(words)):
                names.people.add(words, mention.label)
            if sure and recurs(mention):
                names.add(words, mention.label)


def _fit(spans: Iterable[Span], tokens: Tokens) -> bool:
    """Whether spans, which keep their characters, still are the tokens that they were made of."""
    try:
        return all(
            tokens.offsets[span.start] == span.start_char
            and tokens.offsets[span.end - 1] + len(tokens.words[span.end - 1]) == span.end_char
            for span in spans
        )
    except IndexError:  # there are fewer tokens
        return False


def _check_threshold(threshold: float, name: str) -> None:
    """Raise a ValueError if a threshold is not in [0, 1): it would disable the detection."""
    if not isinstance(threshold, Real) or not 0 <= threshold < 1:
        raise ValueError(
            f"{name} is {threshold!r}, but must be a confidence from 0 to below 1, such as 0.3"
        )


make_phi_merger = Language.factory(
    "phi_merger",
    assigns=["doc.ents", "doc.spans"],
    requires=["doc.spans"],
    default_config={
        "detectors": ["phi_matcher", "phi_tagger"],
        "type_thresholds": {},
        "second_opinions": {},
        "scorer": {"@scorers": "spacy_deid.phi_scorer.v1"},
    },
    default_score_weights=SCORE_WEIGHTS,
    func=PhiMerger,
)
"""The factory of `PhiMerger`; its settings are the arguments of the class."""
