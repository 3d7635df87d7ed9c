"""Matching of gold and system PHI in a note, by the definitions of the i2b2 2014 evaluation.

Follows Stubbs, Kotfila & Uzuner 2015 as computed by their published script. Every criterion
compares two sets of spans or tokens, so duplicates count once.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import product
from typing import NamedTuple

from ..annotation.notes import PhiSpan
from ..annotation.phi import LabelSet, is_hipaa

_TOKEN = re.compile("[A-Za-z0-9]+")
_SLACK = 2

MEASURES = ("token", "strict", "relaxed")
"""Tokens in spans; spans with exact boundaries; spans whose end may be off by two characters."""
SCHEMES = ("i2b2", "hipaa")
"""All PHI types, or the HIPAA subset, filtered on each side by its own types."""
VIEWS = ("typed", "binary")
"""Whether the type has to agree or is ignored."""


class Criterion(NamedTuple):
    """One way to compare gold with system: a measure, a scheme and a view."""

    measure: str
    scheme: str = "i2b2"
    view: str = "typed"


CRITERIA = tuple(Criterion(*names) for names in product(MEASURES, SCHEMES, VIEWS))
"""All twelve criteria, in the order of the tables."""

Item = tuple[int, int, str]
"""First character, one past the last, and the type, which is empty in the binary view."""

Outcome = tuple[list[Item], list[Item], list[Item]]
"""True positives, false positives and false negatives."""


class Matcher:
    """Compares gold and system spans of a note.

    label_set (LabelSet | None): The label set of the gold types, if not the project's.
    """

    def __init__(self, label_set: LabelSet | None = None) -> None:
        self._to_phi: Callable[[str], str | None] = label_set.to_phi if label_set else str
        self._from_phi: Callable[[str], str | None] = label_set.from_phi if label_set else str
        self.agrees: Callable[[str, str], bool] = label_set.agrees if label_set else operator.eq

    def gold_name(self, phi_type: str) -> str:
        """The gold label for a type of the system."""
        return self._from_phi(phi_type) or phi_type

    def compare(
        self, text: str, gold: Iterable[PhiSpan], system: Iterable[PhiSpan]
    ) -> dict[Criterion, Outcome]:
        """True positives, false positives and false negatives in a note, by every criterion."""
        sides = {"i2b2": (list(gold), list(system))}
        sides["hipaa"] = (
            [span for span in sides["i2b2"][0] if is_hipaa(self._to_phi(span.type) or "")],
            [span for span in sides["i2b2"][1] if is_hipaa(span.type)],
        )
        return {
            criterion: self._match(text, *sides[criterion.scheme], criterion)
            for criterion in CRITERIA
        }

    def _match(
        self, text: str, gold: list[PhiSpan], system: list[PhiSpan], criterion: Criterion
    ) -> Outcome:
        typed = criterion.view == "typed"
        slack = _SLACK if criterion.measure == "relaxed" else 0
        golds, systems = (
            _collapse(sorted(set(_items(text, spans, criterion.measure, typed))), slack)
            for spans in (gold, system)
        )
        return _match_items(golds, systems, slack, self.agrees if typed else operator.eq)


def span_tokens(text: str, span: PhiSpan) -> list[tuple[int, int]]:
    """First character and one past the last of each alphanumeric run in a span.

    A span without any counts as one empty token at its end, as in the published script.
    """
    tokens = [match.span() for match in _TOKEN.finditer(text, span.start, span.end)]
    return tokens or [(span.end, span.end)]


def _items(text: str, spans: list[PhiSpan], measure: str, typed: bool) -> Iterable[Item]:
    """The items that a measure compares: spans, or the tokens in them."""
    for span in spans:
        bounds = span_tokens(text, span) if measure == "token" else [(span.start, span.end)]
        for start, end in bounds:
            yield (start, end, span.type if typed else "")


def _collapse(items: list[Item], slack: int) -> list[Item]:
    """Drop items that equal an earlier one of the same side, given the slack."""
    if not slack:
        return items
    kept: list[Item] = []
    last_end: dict[tuple[int, str], int] = {}
    for start, end, phi_type in items:
        if end - last_end.get((start, phi_type), -slack - 1) > slack:
            last_end[start, phi_type] = end
            kept.append((start, end, phi_type))
    return kept


def _match_items(
    gold: list[Item], system: list[Item], slack: int, agrees: Callable[[str, str], bool]
) -> Outcome:
    """Match gold and system items by position and type.

    With slack, one item may match two of the other side: together they are one true positive.
    """
    starting: defaultdict[int, list[Item]] = defaultdict(list)
    for found in system:
        starting[found[0]].append(found)
    hits: list[Item] = []
    missed: list[Item] = []
    matched: set[Item] = set()
    for item in gold:
        start, end, phi_type = item
        partners = [
            found
            for found in starting.get(start, ())
            if abs(end - found[1]) <= slack and agrees(phi_type, found[2])
        ]
        if not partners:
            missed.append(item)
        elif not matched.issuperset(partners):
            hits.append(item)
        matched.update(partners)
    return hits, [found for found in system if found not in matched], missed
