"""How the mentions that detectors found become one decision per token: the merging strategies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from spacy.tokens import Doc

from .boundaries import trim_punctuation
from .phi import PERSONS

_SIDE_BY_SIDE = frozenset([*PERSONS, "DATE"])
_SEXES = frozenset("MFmf")


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


Strategy = Callable[[Doc, Iterable[Mention], int], list[Mention]]
"""From a doc, its mentions ranked (the one to trust most first) and the number of detectors, to
mentions without overlap in the order of the text."""


def by_priority(doc: Doc, mentions: Iterable[Mention], n_detectors: int = 1) -> list[Mention]:
    """A mention that overlaps an earlier one is dropped.

    So Liu et al. 2015, with rules over character CRF over token CRF. See `Strategy` for the
    arguments.
    """
    owners: list[Mention | None] = [None] * len(doc)
    for mention in mentions:
        winners = [owner for owner in owners[mention.start : mention.end] if owner]
        for winner in winners:
            if winner.label == mention.label:
                _agree(winner, mention)
        if not winners:
            owners[mention.start : mention.end] = [mention] * (mention.end - mention.start)
    return _in_order(owners)


def by_union(doc: Doc, mentions: Iterable[Mention], n_detectors: int = 1) -> list[Mention]:
    """A token is PHI if any detector says so; the most trusted one gives its type.

    Dernoncourt et al. 2017 unite CRF and neural network so. See `Strategy` for the arguments.
    """
    return _by_token(doc, mentions, lambda covering: covering[0].label)


def by_agreement(doc: Doc, mentions: Iterable[Mention], n_detectors: int = 1) -> list[Mention]:
    """A token is PHI if two detectors give it the same type; one is enough where there is but one.

    See `Strategy` for the arguments.
    """
    return _by_token(doc, mentions, lambda covering: _voted(covering, min(2, n_detectors)))


def by_vote(doc: Doc, mentions: Iterable[Mention], n_detectors: int = 1) -> list[Mention]:
    """A token is PHI if at least half of the detectors say so; most of their votes give its type.

    See `Strategy` for the arguments.
    """

    def choose(covering: list[Mention]) -> str | None:
        voters = {source for mention in covering for source in mention.sources}
        return _voted(covering, 1) if 2 * len(voters) >= n_detectors else None

    return _by_token(doc, mentions, choose)


def by_cover(doc: Doc, mentions: Iterable[Mention], n_detectors: int = 1) -> list[Mention]:
    """The project's own: the earlier one wins, and nothing that any detector covers is lost.

    A loser of the same type as its only winner makes that winner longer ("2067" grows to "March 4,
    2067"), and one of the same type as all its winners joins them (a number, an "x" and an
    extension); not so names and dates, of which two may be a father and a son or the ends of a
    range. From any other loser the parts that no winner covers stay as mentions of their own, if
    they hold a letter or digit and are not the sex after an age ("M" of "45M"). See `Strategy` for
    the arguments.
    """
    owners: list[Mention | None] = [None] * len(doc)
    for mention in mentions:
        winners = {id(owner): owner for owner in owners[mention.start : mention.end] if owner}
        agreeing = [winner for winner in winners.values() if winner.label == mention.label]
        for winner in agreeing:
            _agree(winner, mention)
        joins = len(agreeing) == 1 or mention.label not in _SIDE_BY_SIDE
        if agreeing and len(agreeing) == len(winners) and joins:
            winner = max(agreeing, key=lambda owner: owner.score)
            for other in agreeing:
                _agree(winner, other)
            winner.start = min(mention.start, *(owner.start for owner in agreeing))
            winner.end = max(mention.end, *(owner.end for owner in agreeing))
            owners[winner.start : winner.end] = [winner] * (winner.end - winner.start)
            continue
        for start, end in _free_runs(doc, owners, mention):
            if _is_sex_after_age(doc, owners, start, end):
                continue
            part = replace(mention, start=start, end=end, sources=list(mention.sources))
            owners[start:end] = [part] * (end - start)
    return _in_order(owners)


STRATEGIES: Mapping[str, Strategy] = {
    "cover": by_cover,
    "priority": by_priority,
    "union": by_union,
    "agreement": by_agreement,
    "vote": by_vote,
}
"""What `strategy` of `phi_merger` may name."""


def _by_token(
    doc: Doc, mentions: Iterable[Mention], choose: Callable[[list[Mention]], str | None]
) -> list[Mention]:
    """Decide token by token; tokens of one type are one mention where a mention joins them."""
    covering: list[list[Mention]] = [[] for _ in doc]
    for mention in mentions:
        for i in range(mention.start, mention.end):
            covering[i].append(mention)
    labels = [choose(found) if found else None for found in covering]
    runs: list[list[int]] = []
    for i, label in enumerate(labels):
        if label is None:
            continue
        joined = runs and runs[-1][-1] == i - 1 and labels[i - 1] == label
        if joined and any(m.label == label and m.start < i for m in covering[i]):
            runs[-1].append(i)
        else:
            runs.append([i])
    trimmed = (trim_punctuation(doc, run[0], run[-1] + 1) for run in runs)
    return [
        _of_run(start, end, labels[start] or "", covering) for start, end in trimmed if start < end
    ]


def _of_run(start: int, end: int, label: str, covering: list[list[Mention]]) -> Mention:
    """The mention over a run of tokens, with all detectors that gave it that type."""
    agreeing = [m for i in range(start, end) for m in covering[i] if m.label == label]
    sources = list(dict.fromkeys(source for m in agreeing for source in m.sources))
    return Mention(start, end, label, agreeing[0].id, sources, max(m.score for m in agreeing))


def _voted(covering: list[Mention], needed: int) -> str | None:
    """The type that most detectors give, the more trusted one if equal; None if too few do."""
    pairs = dict.fromkeys(
        (mention.label, source) for mention in covering for source in mention.sources
    )
    votes = Counter(label for label, _ in pairs)
    label, n = max(votes.items(), key=lambda item: item[1])
    return label if n >= needed else None


def _in_order(owners: list[Mention | None]) -> list[Mention]:
    return [owner for i, owner in enumerate(owners) if owner and owner.start == i]


def _agree(winner: Mention, mention: Mention) -> None:
    """Note that the detectors of `mention` found `winner` too."""
    winner.sources += [source for source in mention.sources if source not in winner.sources]
    winner.score = max(winner.score, mention.score)


def _is_sex_after_age(doc: Doc, owners: list[Mention | None], start: int, end: int) -> bool:
    """Whether the tokens are but the "M" of "45M", whose number is an age already."""
    before = owners[start - 1] if start else None
    alone = end - start == 1 and doc[start].text in _SEXES
    return alone and before is not None and before.label == "AGE" and not doc[start - 1].whitespace_


def _free_runs(doc: Doc, owners: list[Mention | None], mention: Mention) -> list[tuple[int, int]]:
    """The stretches of `mention` that nobody owns, trimmed; those of mere punctuation left out."""
    runs = []
    start = mention.start
    for i in range(mention.start, mention.end + 1):
        if i == mention.end or owners[i] is not None:
            runs.append(trim_punctuation(doc, start, i))
            start = i + 1
    return [(start, end) for start, end in runs if start < end]
