"""The words of a person's full name, as a database or a user writes it."""

from __future__ import annotations

import re

from ..text.titles import CREDENTIALS, SUFFIXES, SURE_CREDENTIALS, TITLES

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_BRACKETS = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_BREAK = re.compile(r"/|(?<=\.)(?=\w\w)")  # "MD/PhD", "Dr.Bell"
_NEVER_NAMES = frozenset("dr drs mr mrs ms mx prof".split())
_NAMES_TOO = frozenset(("ii", "iii", "iv"))
"""Suffixes that in title case are last names: "Iv", "Ii"."""
_AFTER_NAMES = CREDENTIALS | SURE_CREDENTIALS | SUFFIXES


def name_words(name: str) -> list[str]:
    """The words of a full name ("Dr. Maria T. Lopez, MD", "Lopez, Maria (daughter)").

    Titles, credentials and suffixes are left out, and in brackets what is in lower case. What may
    be a name is one: "Do, Anh", "KIM, DO".
    """
    words: list[str] = []
    if not name.islower():
        name = _BRACKETS.sub(_without_lower_case, name)
    for part in name.split(","):
        written = _BREAK.sub(" ", part).split()
        while written and _is_title(written[0], alone=len(written) == 1, first=not words):
            del written[0]
        apart = all(_key(each) in _AFTER_NAMES for each in written)
        capitals = name.isupper()
        while written:
            before = len(words) + len(written) - 1
            if not _is_after_name(written[-1], before, capitals=capitals, apart=apart):
                break
            del written[-1]
        words += (word for each in written for word in _WORD.findall(each))
    return words


def _is_title(word: str, *, alone: bool, first: bool) -> bool:
    """Whether the first word of a part of a name is a title.

    alone (bool): Whether it is the only word: "Bell, Dr.", but "Patel, Shri" has a given name.
    first (bool): Whether no word of the name comes before it.
    """
    key = _key(word)
    return key in TITLES and (not alone or (not first and key in _NEVER_NAMES))


def _without_lower_case(brackets: re.Match[str]) -> str:
    """What stands in brackets, if it may be a name: "(Bill)", but not "(daughter)"."""
    words = _WORD.findall(brackets[0])
    return f" {' '.join(word for word in words if not word.islower())} "


def _is_after_name(word: str, before: int, *, capitals: bool, apart: bool) -> bool:
    """Whether the last word of a part of a name is a credential or a suffix.

    before (int): The number of words before it.
    capitals (bool): Whether the whole name is in capitals, so that those of a credential say
        nothing.
    apart (bool): Whether a comma is before it, or before others like it.
    """
    key = _key(word)
    if not before or key not in _AFTER_NAMES:
        return False
    if key in SUFFIXES:
        return key not in _NAMES_TOO or not word.istitle()
    letters = word.replace(".", "")
    if letters.istitle() or letters.islower():
        return False
    if key in SURE_CREDENTIALS:
        return True
    return apart and (before > 1 or not capitals)


def _key(word: str) -> str:
    """A word as lists have it: in lower case, without periods and hyphens."""
    return word.lower().replace(".", "").replace("-", "")
