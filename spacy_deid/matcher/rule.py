"""The rules of the matcher: their data, triggers and scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from spacy.vocab import Vocab

from ..annotation.phi import CATEGORY, normalize_type
from ..text.gazetteers import WORD_LISTS

Guard = Callable[[re.Match[str], Vocab], bool]
"""Whether a match is plausible: an existing day, a word that is not common."""

Cut = Callable[[str, Vocab], int]
"""How many leading characters of a group are PHI; 0 for none."""

SHAPES: Mapping[str, re.Pattern[str]] = {
    "NUMBER": re.compile(r"[0-9]{1,20}"),
    "LONG": re.compile(r"[0-9]{7,20}"),
    "FOUR": re.compile(r"[0-9]{4}"),
    "SLASHED": re.compile(r"[0-9]{1,3}/[0-9]{1,4}"),
    "DATED": re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}"),
    "GROUPED": re.compile(r"(?:1[-.])?[0-9]{3}([-.])(?:[0-9]{2,3}\1)?[0-9]{4}"),
    "DOTTED": re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"),
    "CLOCK": re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"),
    "WEB": re.compile(r"(?i:https?://|s?ftp://|www\.|[\w-]{1,63}\.[\w-]{1,63})[^\s]{0,999}"),
    "MAIL": re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}"),
}
"""Token shapes, matched against the whole token of the clinical tokenizer."""

_TRIGGERS = frozenset((*SHAPES, *map(str.upper, WORD_LISTS)))
_TYPES = {name.lower().replace("-", "_"): name for name in CATEGORY}  # by the names of groups
_OWN = ("phi", "phi2")  # groups of the rule's own type
_GROUP = re.compile(r"\(\?P<(\w+)>")


@dataclass(frozen=True)
class Rule:
    """A rule: a pattern that is matched only at its trigger tokens.

    id (str): Category and name, "date.mdy"; the `id_` of the spans.
    type (str): PHI type of the pattern's groups "phi" and "phi2".
    score (float): Confidence: `CERTAIN`, `SURE`, `LIKELY` or `UNSURE` of `annotation.candidates`.
    triggers (str): Trigger tokens, separated by blanks: lower-case words, names of `SHAPES`, or
        names of `gazetteers.WORD_LISTS` in upper case for the capitalised words of a list. In
        brackets, the characters one of which must begin the next token: "NUMBER[/-]".
    pattern (str): Regular expression, matched from the first character of the trigger; a
        look-behind sees the text before. Every repeat must have an upper bound. The groups "phi"
        and "phi2" are PHI of the rule's type; a group named after another type ("state", "zip") is
        PHI of that type.
    guard (Guard | None): An additional check of matches.
    reach (int): Number of tokens before the trigger where the pattern may begin as well; the match
        must include the trigger. The first match with PHI counts.
    cut (Cut | None): Limits groups of the rule's own type, where the pattern cannot tell the end of
        a name from the words after it.
    RAISES (ValueError): If it would find nothing: without a trigger, with one that is neither in
        lower case nor the name of a shape or a list, or without a group that holds PHI.
    """

    id: str
    type: str
    score: float
    triggers: str
    pattern: str
    guard: Guard | None = None
    reach: int = 0
    cut: Cut | None = None

    def __post_init__(self) -> None:
        if not self.triggers.split():
            raise ValueError(f"the rule '{self.id}' has no trigger")
        for trigger in self.triggers.split():
            name = trigger.partition("[")[0]
            if name != name.lower() and name not in _TRIGGERS:
                raise ValueError(
                    f"the trigger '{name}' of the rule '{self.id}' is neither in lower case nor "
                    f"one of {', '.join(sorted(_TRIGGERS))}"
                )
        if {*_OWN, *_TYPES}.isdisjoint(_GROUP.findall(self.pattern)):
            raise ValueError(
                f"the pattern of the rule '{self.id}' has no group of PHI, such as (?P<phi>...)"
            )

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)

    @cached_property
    def groups(self) -> tuple[tuple[int, str], ...]:
        """Number and PHI type of each group of the pattern that holds PHI."""
        types = {**_TYPES, **dict.fromkeys(_OWN, self.type)}
        return tuple(
            (number, normalize_type(types[name]))
            for name, number in self.regex.groupindex.items()
            if name in types
        )
