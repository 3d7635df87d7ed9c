"""What a rule of the matcher is, and what may set it off."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from spacy.vocab import Vocab

from ..annotation.phi import CATEGORY, normalize_type

Guard = Callable[[re.Match[str], Vocab], bool]
"""Whether a match is plausible: a day that exists, a word that is no common one."""

Cut = Callable[[str, Vocab], int]
"""How many of the first characters of what a group holds are PHI; 0 where none are."""

SHAPES: Mapping[str, re.Pattern[str]] = {
    "NUMBER": re.compile(r"[0-9]{1,20}"),
    "SLASHED": re.compile(r"[0-9]{1,3}/[0-9]{1,4}"),
    "DATED": re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}"),
    "GROUPED": re.compile(r"(?:1[-.])?[0-9]{3}([-.])(?:[0-9]{2,3}\1)?[0-9]{4}"),
    "DOTTED": re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"),
    "CLOCK": re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"),
    "WEB": re.compile(r"(?i:https?://|s?ftp://|www\.|[\w-]{1,63}\.[\w-]{1,63})[^\s]{0,999}"),
    "MAIL": re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}"),
}
"""Kinds of tokens, by their whole text, as the clinical tokenizer cuts them."""


CERTAIN = 0.98
"""The form alone decides: a check digit, an address of the web, a label that means one thing."""

SURE = 0.93
"""A label or a form that seldom means anything else. The tagger must agree that there is PHI."""

LIKELY = 0.85
"""The words around decide. The tagger knows type and bounds better."""

UNSURE = 0.6
"""A form that much else has: a bare number."""


@dataclass(frozen=True)
class Rule:
    """A rule: at the tokens that set it off, its pattern is tried, and nowhere else.

    id (str): Category and name, "date.mdy". It becomes the `id_` of the spans.
    type (str): PHI type of the pattern's groups "phi" and "phi2".
    score (float): Confidence: `CERTAIN`, `SURE`, `LIKELY` or `UNSURE`.
    triggers (str): Tokens that set the rule off, separated by blanks: lower-case words, names of
        `SHAPES`, or names of `gazetteers.WORD_LISTS` in capitals for the words of a list.
    pattern (str): Regular expression, matched from the first character of the trigger; a
        look-behind sees the text before. Each repeat in it has an upper bound. What the groups
        "phi" and "phi2" hold is PHI of the rule's type; a group named after another type
        ("state", "zip") is PHI of that type.
    guard (Guard | None): What a match must pass besides.
    reach (int): Tokens before the trigger at which the pattern may begin as well. The match must
        then hold the trigger. The first that leaves PHI counts.
    cut (Cut | None): How much of the groups of the rule's own type to keep, where the pattern
        cannot tell the end of a name from the words after it.
    """

    id: str
    type: str
    score: float
    triggers: str
    pattern: str
    guard: Guard | None = None
    reach: int = 0
    cut: Cut | None = None

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)

    @cached_property
    def groups(self) -> tuple[tuple[int, str], ...]:
        """Number and PHI type of each group of the pattern that holds PHI."""
        types = {"phi": self.type, "phi2": self.type}
        types.update((name.lower().replace("-", "_"), name) for name in CATEGORY)
        return tuple(
            (number, normalize_type(types[name]))
            for name, number in self.regex.groupindex.items()
            if name in types
        )
