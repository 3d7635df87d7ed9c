"""Strategies that resolve overlaps between the mentions of several detectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..annotation.phi import PERSONS
from ..text.tokens import Tokens
from .boundaries import trim_punctuation
from .result import Mention

_SIDE_BY_SIDE = frozenset([*PERSONS, "DATE"])


Strategy = Callable[[Tokens, Iterable[Mention]], list[Mention]]
"""From tokens and mentions, most trusted first, to mentions without overlap in text order."""


def by_cover(tokens: Tokens, mentions: Iterable[Mention]) -> list[Mention]:
    """The default: the more trusted mention wins, and no covered token is lost.

    A mention that overlaps a single winner of its own type extends it ("2067" to "March 4, 2067");
    one that overlaps several, all of its type, joins them (a number and its extension), except
    names and dates, which may be two people or the ends of a range. Otherwise, the parts of a
    mention that no winner covers become mentions of their own.
    """
    owners: list[Mention | None] = [None] * len(tokens.words)
    for mention in mentions:
        winners = {id(owner): owner for owner in owners[mention.start : mention.end] if owner}
        agreeing = [winner for winner in winners.values() if winner.label == mention.label]
        for winner in agreeing:
            winner.agree(mention)
        joins = len(agreeing) == 1 or mention.label not in _SIDE_BY_SIDE
        if agreeing and len(agreeing) == len(winners) and joins:
            winner = max(agreeing, key=lambda owner: owner.score)
            for other in agreeing:
                winner.agree(other)
            winner.start = min(mention.start, *(owner.start for owner in agreeing))
            winner.end = max(mention.end, *(owner.end for owner in agreeing))
            owners[winner.start : winner.end] = [winner] * (winner.end - winner.start)
            continue
        for start, end in _free_runs(tokens, owners, mention):
            sources = list(mention.sources)
            part = Mention(start, end, mention.label, mention.id, sources, mention.score)
            owners[start:end] = [part] * (end - start)
    return _in_order(owners)


def by_priority(tokens: Tokens, mentions: Iterable[Mention]) -> list[Mention]:
    """Drop mentions that overlap a more trusted one (Liu et al. 2015)."""
    owners: list[Mention | None] = [None] * len(tokens.words)
    for mention in mentions:
        winners = [owner for owner in owners[mention.start : mention.end] if owner]
        for winner in winners:
            if winner.label == mention.label:
                winner.agree(mention)
        if not winners:
            owners[mention.start : mention.end] = [mention] * (mention.end - mention.start)
    return _in_order(owners)


def by_union(tokens: Tokens, mentions: Iterable[Mention]) -> list[Mention]:
    """A token is PHI if any detector says so, with the most trusted type (Dernoncourt et al. 2017).

    Adjacent tokens of one type form one mention if any mention of that type covers both.
    """
    covering: list[list[Mention]] = [[] for _ in tokens.words]
    for mention in mentions:
        for i in range(mention.start, mention.end):
            covering[i].append(mention)
    runs: list[list[int]] = []
    for i, found in enumerate(covering):
        before = covering[i - 1][0].label if i and covering[i - 1] else ""
        if found and any(m.start < i and m.label == found[0].label == before for m in found):
            runs[-1].append(i)
        elif found:
            runs.append([i])
    trimmed = (trim_punctuation(tokens, run[0], run[-1] + 1) for run in runs)
    return [_of_run(start, end, covering) for start, end in trimmed if start < end]


STRATEGIES: Mapping[str, Strategy] = {"cover": by_cover, "priority": by_priority, "union": by_union}
"""Values of the setting `strategy` of `phi_merger`."""


def _of_run(start: int, end: int, covering: list[list[Mention]]) -> Mention:
    """The mention over a run of tokens, with all detectors that agree on its type."""
    label = covering[start][0].label
    agreeing = [m for i in range(start, end) for m in covering[i] if m.label == label]
    sources = list(dict.fromkeys(source for m in agreeing for source in m.sources))
    return Mention(start, end, label, agreeing[0].id, sources, max(m.score for m in agreeing))


def _in_order(owners: list[Mention | None]) -> list[Mention]:
    return [owner for i, owner in enumerate(owners) if owner and owner.start == i]


def _free_runs(
    tokens: Tokens, owners: list[Mention | None], mention: Mention
) -> list[tuple[int, int]]:
    """The trimmed parts of `mention` that no winner covers, without bare punctuation."""
    runs = []
    start = mention.start
    for i in range(mention.start, mention.end + 1):
        if i == mention.end or owners[i] is not None:
            runs.append(trim_punctuation(tokens, start, i))
            start = i + 1
    return [(start, end) for start, end in runs if start < end]
