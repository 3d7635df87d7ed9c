"""Every rule alone: what it must find, what it must leave, and that it cannot blow up."""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.language import Language

from spacy_deid.matcher.patterns import RULES
from spacy_deid.matcher.pipe import PhiMatcher
from spacy_deid.matcher.rule import Rule

if sys.version_info >= (3, 11):
    from re import _constants, _parser
else:
    import sre_constants as _constants
    import sre_parse as _parser

FILES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
CASES = {path.stem: list(srsly.read_jsonl(path)) for path in FILES}
MATCHERS = {rule.id: PhiMatcher(rules=[rule]) for rule in RULES}
MOST_REPEATS = 1000
MOST_STEPS = 100_000
UNBOUNDED = MOST_STEPS + 1


@pytest.mark.parametrize("kind", CASES)
def test_rules_find_just_this(blank, kind):
    assert [case for case in CASES[kind] if matches(blank, case) != case["phi"]] == []


def matches(blank: Language, case: dict[str, Any]) -> list[str]:
    """What the rule of a case matches in its text."""
    doc = blank(case["text"])
    found = {(finding.start, finding.end) for finding in MATCHERS[case["rule"]].find(doc)}
    return [doc[start:end].text for start, end in sorted(found)]


@pytest.mark.parametrize("hit", [True, False], ids=["hits", "near misses"])
def test_every_rule_has_cases(hit):
    cases = [case for file in CASES.values() for case in file]
    counts = Counter(case["rule"] for case in cases if bool(case["phi"]) is hit)
    assert set(counts) == set(MATCHERS)
    assert [rule for rule, count in counts.items() if count < 2] == []


def test_rules_are_well_formed():
    assert len(MATCHERS) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[a-z]+\.[a-z0-9_]+", rule.id)
        assert 0 < rule.score <= 1
        assert rule.groups, rule.id


@pytest.mark.parametrize(
    "triggers, pattern, error",
    [
        ("NUMBR", "(?P<phi>[0-9])", "trigger 'NUMBR'"),
        ("badge Badge[ ]", "(?P<phi>[0-9])", "trigger 'Badge'"),
        (" ", "(?P<phi>[0-9])", "no trigger"),
        ("badge", "badge (?P<pih>[0-9])", "no group of PHI"),
    ],
)
def test_rules_that_would_find_nothing_are_refused(triggers, pattern, error):
    with pytest.raises(ValueError, match=error):
        Rule("ids.badge", "IDNUM", 0.9, triggers, pattern)


def test_repeats_are_bounded():
    """No repeat without an upper bound, so that each try takes a bounded number of steps."""
    steps = {rule.id: deepest_product(_parser.parse(rule.pattern)) for rule in RULES}
    assert {rule: count for rule, count in steps.items() if count > MOST_STEPS} == {}


def deepest_product(parsed) -> int:
    """The greatest product of the bounds of repeats within each other."""
    deepest = 1
    for operator, argument in parsed:
        if operator in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            _, most, inner = argument
            bound = int(most) if most <= MOST_REPEATS else UNBOUNDED
            deepest = max(deepest, bound * deepest_product(inner))
        elif operator is _constants.BRANCH:
            deepest = max([deepest, *map(deepest_product, argument[1])])
        elif operator is _constants.SUBPATTERN:
            deepest = max(deepest, deepest_product(argument[3]))
        elif operator in (_constants.ASSERT, _constants.ASSERT_NOT):
            deepest = max(deepest, deepest_product(argument[1]))
        else:
            assert operator in (
                _constants.LITERAL,
                _constants.NOT_LITERAL,
                _constants.ANY,
                _constants.IN,
                _constants.AT,
                _constants.GROUPREF,
                _constants.GROUPREF_EXISTS,
            )
    return deepest
