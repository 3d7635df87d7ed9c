"""Numbers said digit by digit: their pattern, and the guards that tell telephones from codes."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...english import DIGITS
from .common import left_of

_SAID = rf"(?:[0-9]|(?i:oh|{'|'.join(DIGITS)}))(?![\w%/]|\.[0-9])"
_NEXT = r"(?:[ ]|,[ ]|[ ](?i:dash)[ ]|[ ]-[ ])"
SPOKEN_TRIGGERS = f"NUMBER oh {' '.join(DIGITS)}"
SPOKEN = rf"(?<![\w.,/:-])(?P<phi>{_SAID}(?:{_NEXT}{_SAID}){{6,19}})(?!{_NEXT}{_SAID})"
"""Seven to twenty digits, each on its own: "2 0 8, 5 5 5, 0 1 1 4", "two oh eight ..."."""

_VALUES = {"oh": "0", **{word: str(digit) for digit, word in enumerate(DIGITS)}}
_LEFT_OF_SPOKEN = re.compile(rf"{_SAID}{_NEXT}\Z")
_PHONE_LENGTHS = (7, 10, 11)


def is_spoken_phone(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether digits said one by one are as many as a telephone number has."""
    return len(_digits(match)) in _PHONE_LENGTHS


def is_spoken_code(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether digits said one by one are more or fewer than those of a telephone number."""
    return len(_digits(match)) not in (0, *_PHONE_LENGTHS)


def _digits(match: re.Match[str]) -> str:
    """The digits of a match of `SPOKEN`; empty if it begins in the midst of them, or they count."""
    if _LEFT_OF_SPOKEN.search(left_of(match, 12)):
        return ""
    words = re.findall(r"[0-9]|[a-z]+", match["phi"].lower())
    digits = "".join(_VALUES.get(word, word) for word in words if word != "dash")
    steps = {int(b) - int(a) for a, b in zip(digits, digits[1:], strict=False)}
    return digits if len(steps) > 2 else ""
