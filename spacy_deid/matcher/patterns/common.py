"""Building blocks shared by several modules of rules."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ..rule import Guard

ALONE = r"(?<![\w/.-])"
"""Before a number that is not part of another one."""

END = r"(?![0-9]|[/.-][0-9])"
"""After such a number."""

ANSWER = r"\?\s{1,4}(?:[A-Z][A-Za-z]{1,15}:[ ]?)?(?:(?i:it's|it is|that's|yes|sure)[,.]? ){0,2}"
"""Between question and answer in a dialogue: "?", a line break, "Customer:"."""

BARE_WORD = re.compile(r"[^\s,;()\"\u201c\u201d]{1,60}")
"""A word without the brackets, quotes and commas beside it."""


def any_of(words: str) -> str:
    """A case-insensitive pattern for any of the words."""
    return rf"(?i:{'|'.join(words.split())})(?![a-z])"


def left_of(match: re.Match[str], length: int, group: str | int = 0) -> str:
    """At most `length` characters before a match or one of its groups."""
    start = match.start(group)
    return match.string[max(0, start - length) : start]


def in_list(label: str, number: str) -> Guard:
    """A guard for a number in a list that a label begins: "nos. 1234, 1240 and 1251".

    label (str): Pattern of the label, in any case.
    number (str): Pattern of a number before it, with what separates it from the next.
    """
    before = re.compile(rf"(?<![A-Za-z])(?i:{label}) {{1,2}}(?:{number}){{0,12}}\Z")
    return partial(_follows, before=before)


def _follows(match: re.Match[str], vocab: Vocab, before: re.Pattern[str]) -> bool:
    return bool(before.search(left_of(match, 160)))
