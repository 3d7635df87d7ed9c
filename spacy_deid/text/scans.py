"""Misread characters of scanned notes: O and l for 0 and 1 in numbers, and the other way in words.

Letters in a number break up dates and identifiers. A note is taken for a scan only if characters
are misread where nothing else explains them; "2l" may be two litres otherwise.
"""

from __future__ import annotations

import re
from itertools import islice

_EVIDENCE = 2
"""Misread characters that make a note a scan; other notes have at most one that looks so."""

_MISREAD = re.compile(
    # Each branch begins with a character, not with what precedes it: that is ten times as fast.
    r"[OoIl](?=\d)(?<=\d.)"  # 2O24
    r"|[l0](?=[A-Z])(?:(?<=[A-Z][A-Z].)|(?=[A-Z][A-Z])(?<=[A-Z].))"  # HOSPlTAL, REGI0NAL
    r"|[01](?=[a-z])(?:(?<=[a-z][a-z].)|(?=[a-z][a-z])(?<=[a-z].))"  # metf0rmin
)

_PART = r"[OoIl]{0,3}\d[\dOoIl]*|[OoIl]{1,3}"
_NUMBER = re.compile(
    # "ll26" may be the beginning of a postcode
    rf"(?<!\w)(?:[OoIl]{{1,3}}[/.,-]){{0,4}}[OoIl]?[OI]?\d[\dOoIl]*(?:[/.,-](?:{_PART})){{0,8}}(?!\w)"
)
_CAPITALS = re.compile(r"\b(?=\w{3})[l0]?[A-Z]+(?:[l0]{1,2}[A-Z]+)*l?\b(?! ?\d[A-Z]\d)")
_SMALL = re.compile(r"\b(?=\w{4})[A-Za-z][a-z]*(?:(?:0|11?)[a-z]+)+\b")
_CAPITAL_I = re.compile(r"\bl(?=[b-df-hj-km-np-tv-xz][a-z]{3})")

_TO_DIGITS = str.maketrans("OoIl", "0011")
_TO_CAPITALS = str.maketrans("l0", "IO")
_CONSONANTS = frozenset("bcdfghjkmnpqrstvwxz")
_OXYGEN = frozenset(("O2", "o2"))


def repair_scan(text: str) -> str:
    """Correct the misread characters of a scan, one for one; other texts stay as they are.

    text (str): The text.
    RETURNS (str): A text of the same length.
    """
    if len(list(islice(_MISREAD.finditer(text), _EVIDENCE))) < _EVIDENCE:
        return text
    text = _NUMBER.sub(_to_digits, text)
    text = _CAPITALS.sub(lambda word: word.group().translate(_TO_CAPITALS), text)
    text = _SMALL.sub(_to_small, text)
    return _CAPITAL_I.sub("I", text)


def _to_digits(number: re.Match[str]) -> str:
    text = number.group()
    return text if text in _OXYGEN else text.translate(_TO_DIGITS)


def _to_small(word: re.Match[str]) -> str:
    """Letters for digits: 1 is an i between two consonants ("dr1ver"), otherwise an l."""
    text = word.group().replace("0", "o")
    return "".join(
        char if char != "1" else "i" if _CONSONANTS.issuperset(text[i - 1 : i + 2 : 2]) else "l"
        for i, char in enumerate(text)
    )
