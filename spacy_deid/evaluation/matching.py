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
from ..annotation.phi import HIPAA_TYPES, LabelSet

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

Agrees = Callable[[str, str], bool]
"""Whether a gold label and a label of the system agree."""


def covered_types(label_set: LabelSet | None, label: str) -> tuple[str, ...]:
    """The PHI types that a label covers, the most common one first; without a set, it is one."""
    return label_set.types.get(label, ()) if label_set else (label,)


def agreement(gold: LabelSet | None, system: LabelSet | None = None) -> Agrees:
    """How labels of these sets (by default the project's types) agree.

    Those of the same set are compared as they are, those of two sets by whether they share a type.
    """
    if gold == system:
        return operator.eq

    def agrees(label: str, found: str) -> bool:
        types = covered_types(gold, label)
        return any(phi_type in types for phi_type in covered_types(system, found))

    return agrees


def match_note(
    text: str,
    gold: Iterable[PhiSpan],
    system: Iterable[PhiSpan],
    label_set: LabelSet | None = None,
    system_label_set: LabelSet | None = None,
) -> dict[Criterion, Outcome]:
    """True positives, false positives and false negatives in a note, by every criterion."""
    sides = {"i2b2": (list(gold), list(system))}
    sides["hipaa"] = (
        [span for span in sides["i2b2"][0] if _is_hipaa(span, label_set)],
        [span for span in sides["i2b2"][1] if _is_hipaa(span, system_label_set)],
    )
    agreeing = agreement(label_set, system_label_set)
    result = {}
    for criterion in CRITERIA:
        typed = criterion.view == "typed"
        slack = _SLACK if criterion.measure == "relaxed" else 0
        golds, systems = (
            _collapse(sorted(set(_items(text, spans, criterion.measure, typed))), slack)
            for spans in sides[criterion.scheme]
        )
        agrees = agreeing if typed else operator.eq
        result[criterion] = _match_items(golds, systems, slack, agrees)
    return result


def span_tokens(text: str, span: PhiSpan) -> list[tuple[int, int]]:
    """The bounds of each alphanumeric run in a span, or else of an empty token at its end.

    So does the published script.
    """
    tokens = [match.span() for match in _TOKEN.finditer(text, span.start, span.end)]
    return tokens or [(span.end, span.end)]


def _is_hipaa(span: PhiSpan, label_set: LabelSet | None) -> bool:
    """Whether the most common type of a span's label is in the HIPAA subset."""
    return not HIPAA_TYPES.isdisjoint(covered_types(label_set, span.type)[:1])


def _items(text: str, spans: list[PhiSpan], measure: str, typed: bool) -> Iterable[Item]:
    for span in spans:
        bounds = span_tokens(text, span) if measure == "token" else [(span.start, span.end)]
        for start, end in bounds:
            yield (start, end, span.type if typed else "")


def _collapse(items: list[Item], slack: int) -> list[Item]:
    """Drop items that equal an earlier one of the same side, given the slack."""
    kept: list[Item] = []
    last_end: dict[tuple[int, str], int] = {}
    for start, end, phi_type in items:
        if end - last_end.get((start, phi_type), -slack - 1) > slack:
            last_end[start, phi_type] = end
            kept.append((start, end, phi_type))
    return kept


def _match_items(gold: list[Item], system: list[Item], slack: int, agrees: Agrees) -> Outcome:
    """Match gold and system items by position and type.

    With slack, one item may match two of the other side: together they are one true positive.
    """
    starting: defaultdict[int, list[Item]] = defaultdict(list)
    for item in system:
        starting[item[0]].append(item)
    hits: list[Item] = []
    missed: list[Item] = []
    matched: set[Item] = set()
    for item in gold:
        start, end, label = item
        partners = [
            (start, other_end, phi_type)
            for _, other_end, phi_type in starting[start]
            if abs(end - other_end) <= slack and agrees(label, phi_type)
        ]
        if not partners:
            missed.append(item)
        elif not matched.issuperset(partners):
            hits.append(item)
        matched.update(partners)
    return hits, [item for item in system if item not in matched], missed
