"""phi_matcher: the rule-based detector.

It takes time linear in the text. No pattern is searched for: each token's word type triggers a few
rules (cached per type), which are matched only there. Since every repeat in a pattern is bounded,
each attempt costs a bounded amount of work.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spacy.attrs import IDX, ORTH
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..annotation.candidates import UntrainedDetector, write_candidates
from ..text.gazetteers import WORD_LISTS, word_mask
from ..text.tokens import text_of
from .patterns import RULES
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


Triggered = tuple[Rule, str]
"""A rule, and the characters one of which must begin the next token; "" for any."""


@Language.factory("phi_matcher", assigns=["doc.spans"])
def make_phi_matcher(nlp: Language, name: str) -> PhiMatcher:
    """Make the rule-based detector."""
    return PhiMatcher(name)


class PhiMatcher(UntrainedDetector):
    """Writes the matches of the rules to `doc.spans[name]`, without overlap; `id_` is the rule id.

    The rules use the gazetteers of the vocab, if any.

    name (str): Name of the pipe.
    rules (Iterable[Rule]): The rules.
    """

    def __init__(self, name: str = "phi_matcher", rules: Iterable[Rule] = RULES) -> None:
        self.name = name
        self.rules = tuple(rules)
        self._by_trigger: dict[str, list[Triggered]] = defaultdict(list)
        for rule in self.rules:
            for trigger in rule.triggers.split():
                name, _, following = trigger.rstrip("]").partition("[")
                self._by_trigger[name].append((rule, following))
        self._by_orth: dict[int, tuple[Triggered, ...]] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """The PHI types of the rules, sorted."""
        return tuple(sorted({phi_type for rule in self.rules for _, phi_type in rule.groups}))

    def __call__(self, doc: Doc) -> Doc:
        """Match the rules in a doc, which must be tokenized, and return it."""
        spans = (
            (Span(doc, start, end, label=phi_type, span_id=rule.id), rule.score)
            for start, end, phi_type, rule in keep_best(self.find(doc))
        )
        write_candidates(doc, self.name, spans)
        return doc

    def find(self, doc: Doc) -> list[RuleMatch]:
        """All matches of all rules in a doc, overlaps included, in no particular order."""
        text = text_of(doc)
        array = doc.to_array([ORTH, IDX])
        starts = array[:, 1].tolist()
        firsts = [*map(text.__getitem__, starts[1:]), ""]
        found: list[RuleMatch] = []
        for i, orth in enumerate(array[:, 0].tolist()):
            rules = self._by_orth.get(orth)
            if rules is None:
                rules = self._cache_rules(orth, doc.vocab)
            for rule, following in rules:
                if not following or firsts[i] in following:
                    found.extend(_apply(rule, doc.vocab, text, starts, i))
        return found

    def _cache_rules(self, orth: int, vocab: Vocab) -> tuple[Triggered, ...]:
        """The rules that a word type triggers."""
        if len(self._by_orth) >= MAX_TYPES:
            self._by_orth.clear()
        word = vocab.strings[orth]
        triggers = [word.lower(), *(name for name in SHAPES if SHAPES[name].fullmatch(word))]
        mask = word_mask(vocab, word.lower()) if word[0].isupper() else 0
        triggers += [name.upper() for bit, name in enumerate(WORD_LISTS) if mask >> bit & 1]
        rules = (rule for trigger in triggers for rule in self._by_trigger.get(trigger, ()))
        return self._by_orth.setdefault(orth, tuple(dict.fromkeys(rules)))


def keep_best(matches: Iterable[RuleMatch]) -> list[RuleMatch]:
    """Matches without overlap, in order: the best score wins, then the longest."""
    taken: set[int] = set()
    kept = []
    for match in sorted(matches, key=_rank):
        tokens = range(match.start, match.end)
        if taken.isdisjoint(tokens):
            taken.update(tokens)
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)


def _rank(match: RuleMatch) -> tuple[float, int, int, str]:
    return -match.rule.score, match.start - match.end, match.start, match.rule.id


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
            and (found := list(_groups(rule, vocab, text, starts, match)))
        ):
            return found
    return []


def _groups(
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
