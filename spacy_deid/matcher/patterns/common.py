"""Building blocks that several categories of rules share."""

from __future__ import annotations

import re

from ...text.tokenizer import LETTER

ALONE = r"(?<![\w/.-])"
"""Left of a number: no other number that it might be a part of."""

END = r"(?![0-9]|[/.-][0-9])"
"""Right of a number: the same."""

ANSWER = r"\?\s{1,4}(?:[A-Z][A-Za-z]{1,15}:[ ]?)?(?:(?i:it's|it is|that's|yes|sure)[,.]? ){0,2}"
"""Between a question and its answer in a dialogue: "?", a line break, "Customer:"."""

LABEL_END = (
    r"(?:[ \t]{0,2}(?:#s?|(?i:nos?|num|nbr|numbers?|id|ids|code)(?![a-z])\.?)){0,2}"
    r"(?:[ \t]{1,2}(?i:is|was|of|on file|ending in|ends in)(?![a-z])){0,2}"
    rf"(?:{ANSWER}|[ \t]{{0,3}}[:=#]{{0,2}}\s{{0,20}}\(?)"
)
"""Between a label ("MRN") and its value: "#", "number is", a colon, blanks."""

MARKED_LABEL_END = (
    r"(?:[ \t]{0,2}(?:#s?|(?i:nos?|num|nbr|numbers?|id|ids|code)(?![a-z])\.?|:)){1,3}"
    rf"(?:{ANSWER}|(?:[ \t]{{1,2}}(?i:is|was)(?![a-z]))?\s{{0,20}}\(?)"
)
"""The same after a label that is an everyday word ("visit"): there must be "#", "no.", a colon."""


CODE = (
    rf"(?:[A-Z]{{1,4}} (?=[0-9]))?(?=[A-Za-z]{{0,6}}(?:-[A-Za-z]{{0,4}})?[0-9])"
    rf"[A-Za-z0-9]{{1,20}}(?:[-/][A-Za-z0-9]{{1,20}}|[. ][0-9]{{2,20}}){{0,5}}"
    rf"(?:[ ][A-Z](?![\w]))?(?!{LETTER}|[0-9])"
)
"""An identifier of letters and digits, the first digit near its beginning."""


def any_of(words: str) -> str:
    """A pattern for any of some words, whatever their capitals."""
    return rf"(?i:{'|'.join(words.split())})(?![a-z])"


def left_of(match: re.Match[str], length: int, group: str | int = 0) -> str:
    """The characters before a match, or before one of its groups: at most so many."""
    start = match.start(group)
    return match.string[max(0, start - length) : start]
