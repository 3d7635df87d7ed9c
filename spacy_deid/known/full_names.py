"""The words of a person's full name, as a database or a user writes it."""

from __future__ import annotations

import re

from ..text.titles import CREDENTIALS, SUFFIXES, SURE_CREDENTIALS, TITLES

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_BRACKETS = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_BREAK = re.compile(r"/|(?<=\.)(?=\w\w)")  # "MD/PhD", "Dr.Bell"
_AFTER_NAMES = CREDENTIALS | SURE_CREDENTIALS | SUFFIXES


def name_words(name: str) -> list[str]:
    """The words of a full name ("Dr. Maria T. Lopez, MD", "Lopez, Maria (daughter)").

    Titles, credentials and suffixes are left out, and in brackets what is in lower case. What may
    be a name is one: "Do, Anh", "KIM, DO".
    """
    words: list[str] = []
    for part in _BRACKETS.sub(_without_lower_case, name).split(","):
        written = _BREAK.sub(" ", part).split()
        while written and _key(written[0]) in TITLES and (words or len(written) > 1):
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
        return True
    letters = word.replace(".", "")
    if letters.istitle() or letters.islower():
        return False
    if key in SURE_CREDENTIALS:
        return True
    return apart + (before > 1) + (not capitals) >= 2


def _key(word: str) -> str:
    """A word as lists have it: in lower case, without periods and hyphens."""
    return word.lower().replace(".", "").replace("-", "")
