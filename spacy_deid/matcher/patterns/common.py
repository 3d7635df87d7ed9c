"""Building blocks that several categories of rules share."""

from __future__ import annotations

import re

ALONE = r"(?<![\w/.-])"
"""Left of a number: no other number that it might be a part of."""

END = r"(?![0-9]|[/.-][0-9])"
"""Right of a number: the same."""

ANSWER = r"\?\s{1,4}(?:[A-Z][A-Za-z]{1,15}:[ ]?)?(?:(?i:it's|it is|that's|yes|sure)[,.]? ){0,2}"
"""Between a question and its answer in a dialogue: "?", a line break, "Customer:"."""


def any_of(words: str) -> str:
    """A pattern for any of some words, whatever their capitals."""
    return rf"(?i:{'|'.join(words.split())})(?![a-z])"


def left_of(match: re.Match[str], length: int, group: str | int = 0) -> str:
    """The characters before a match, or before one of its groups: at most so many."""
    start = match.start(group)
    return match.string[max(0, start - length) : start]
