"""Applies the rules to docs, in time linear in the text.

No pattern is searched for: each token's word type triggers a few rules (cached per type), which are
matched only there. Since every repeat in a pattern is bounded, each attempt costs a bounded amount
of work.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spacy.attrs import IDX, ORTH
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..text.gazetteers import WORD_LISTS, word_mask
from .rule import SHAPES, Rule

MAX_TYPES = 50_000
"""Maximum number of cached word types; beyond it the cache is cleared."""


class RuleMatch(NamedTuple):
    """A match of a rule.

    start (int): First token.
    end (int): One past the last token.
    type (str): PHI type.
    rule (Rule): The rule.
    """

    start: int
    end: int
    type: str
    rule: Rule


class Engine:
    """Applies rules to docs.

    rules (Iterable[Rule]): The rules.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.by_trigger: dict[str, list[Rule]] = defaultdict(list)
        for rule in self.rules:
            for trigger in rule.triggers.split():
                self.by_trigger[trigger].append(rule)
        self.by_orth: dict[int, tuple[Rule, ...]] = {}

    def find(self, doc: Doc) -> list[RuleMatch]:
        """All matches of all rules, overlaps included, in no particular order.

        doc (Doc): The doc.
        RETURNS (list[RuleMatch]): The matches.
        """
        text, strings, by_orth = doc.text, doc.vocab.strings, self.by_orth
        array = doc.to_array([ORTH, IDX])
        starts = array[:, 1].tolist()
        found: list[RuleMatch] = []
        for i, orth in enumerate(array[:, 0].tolist()):
            rules = by_orth.get(orth)
            if rules is None:
                rules = self._remember(orth, strings[orth], doc.vocab)
            for rule in rules:
                found.extend(_apply(rule, doc.vocab, text, starts, i))
        return found

    def rules_of(self, word: str, vocab: Vocab) -> tuple[Rule, ...]:
        """The rules that a word triggers, without repeats."""
        rules = list(self.by_trigger.get(word.lower(), ()))
        for shape, regex in SHAPES.items():
            if regex.fullmatch(word):
                rules.extend(self.by_trigger.get(shape, ()))
        mask = word_mask(vocab, word.lower())
        for bit, word_list in enumerate(WORD_LISTS):
            if mask >> bit & 1:
                rules.extend(self.by_trigger.get(word_list.upper(), ()))
        return tuple(dict.fromkeys(rules))

    def _remember(self, orth: int, word: str, vocab: Vocab) -> tuple[Rule, ...]:
        if len(self.by_orth) >= MAX_TYPES:
            self.by_orth.clear()
        return self.by_orth.setdefault(orth, self.rules_of(word, vocab))


def keep_best(findings: Iterable[RuleMatch]) -> list[RuleMatch]:
    """Matches without overlap, in order: the best score wins, then the longest."""
    taken: set[int] = set()
    kept = []
    for finding in sorted(findings, key=_rank):
        tokens = range(finding.start, finding.end)
        if taken.isdisjoint(tokens):
            taken.update(tokens)
            kept.append(finding)
    return sorted(kept, key=lambda finding: finding.start)


def _rank(finding: RuleMatch) -> tuple[float, int, int, str]:
    length = finding.end - finding.start
    return -finding.rule.score, -length, finding.start, finding.rule.id


def _apply(
    rule: Rule, vocab: Vocab, text: str, starts: Sequence[int], trigger: int
) -> list[RuleMatch]:
    """The matches of a rule at a trigger, tried from the farthest permitted start."""
    match_at, place = rule.regex.match, starts[trigger]
    for i in range(max(0, trigger - rule.reach), trigger + 1):
        match = match_at(text, starts[i])
        if (
            match is not None
            and match.end() > place
            and (not rule.guard or rule.guard(match, vocab))
            and (found := list(_findings(rule, vocab, text, starts, match)))
        ):
            return found
    return []


def _findings(
    rule: Rule, vocab: Vocab, text: str, starts: Sequence[int], match: re.Match[str]
) -> Iterator[RuleMatch]:
    """Yield the groups of a match that hold PHI, trimmed by the rule's `cut`."""
    for group, phi_type in rule.groups:
        start, end = match.span(group)
        if rule.cut and phi_type == rule.type:
            end = start + rule.cut(text[start:end], vocab)
        if start < end:
            first, last = bisect_right(starts, start) - 1, bisect_left(starts, end)
            yield RuleMatch(first, last, phi_type, rule)
