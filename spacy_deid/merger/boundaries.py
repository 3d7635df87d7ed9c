"""Boundaries of mentions: the shortest complete mention, by i2b2 2014's conventions."""

from __future__ import annotations

import re

from spacy.tokens import Doc, Token

from ..annotation.phi import PERSONS, PHI_TYPES
from ..text.titles import TITLES
from ..text.tokenizer import LETTER

_ABBREVIATION = re.compile(r"[A-Z]|(?i:jr|sr|st|ave|rd|blvd|ln|ct|pl|hwy|inc|co|corp|ltd|univ)")
_LATIN = re.compile(LETTER)
_CODES = frozenset((*PHI_TYPES["ID"], "USERNAME", "ROOM"))
_LONGEST_TAIL = 2  # letters
_POSSESSIVES = frozenset(("'s", "\u2019s", "'S", "\u2019S"))
# Words that neither begin nor end a mention; in capitals, "IN" and "HI" are states.
_LOOSE_WORDS = frozenset("in of at by on to for from and with or the is was hi Hi".split())
_SIGNS = frozenset(("+", "'", "\u2019"))
_BRACKETS = {"(": ")", "[": "]"}


def set_bounds(doc: Doc, start: int, end: int, label: str) -> tuple[int, int]:
    """Trim a mention, and complete cut-off words and codes.

    RETURNS (tuple[int, int]): The new first token and end; equal if no letter or digit is left.
    """
    start, end = trim_mention(doc, start, end, label)
    if start == end:
        return start, end
    start, end = extend_word(doc, start, end)
    return start, extend_code(doc, end) if label in _CODES else end


def trim_mention(doc: Doc, start: int, end: int, label: str) -> tuple[int, int]:
    """Trim punctuation from tokens `start` to `end`; of people, also titles and "'s".

    A title on its own is kept: a bare "Dr" may be somebody's initials.
    """
    start, end = trim_punctuation(doc, start, end)
    while label in PERSONS and end > start and doc[end - 1].text in _POSSESSIVES:
        start, end = trim_punctuation(doc, start, end - 1)
    while label in PERSONS and end - start > 1 and doc[start].lower_.rstrip(".") in TITLES:
        start, end = trim_punctuation(doc, start + 1, end)
    return start, end


def trim_punctuation(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Trim white space, punctuation and words like "in" or "Hi" from tokens `start` to `end`.

    Also trims a leading "'s". Keeps a bracket whose counterpart is inside, the sign before a number
    ("+1", "'89") and the period of an initial or abbreviation.
    """
    while end > start and not _ends_mention(doc, start, end):
        end -= 1
    while end > start and not _begins_mention(doc, start, end):
        start += 1
    return start, end


def extend_word(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Extend tokens `start` to `end` to whole words that contain letters of another script.

    The clinical tokenizer splits words at such letters: "L|\u0431|pez".
    """
    while start > 0 and _is_cut(doc[start - 1], doc[start]):
        start -= 1
    while end < len(doc) and _is_cut(doc[end - 1], doc[end]):
        end += 1
    return start, end


def extend_code(doc: Doc, end: int) -> int:
    """The end of a code with the letters and digits attached to it: "N417" + "RX".

    A word run together with a number ("7712345Weight") is not part of the code.
    """
    while end < len(doc) and not doc[end - 1].whitespace_ and doc[end].text.isalnum():
        rest, last = doc[end].text, doc[end - 1].text
        if rest.isalpha() and (len(rest) > _LONGEST_TAIL or not rest.isupper()):
            break
        if not last[-1].isalnum() or last[-1].isdigit() == rest[0].isdigit():
            break
        end += 1
    return end


def _is_cut(token: Token, following: Token) -> bool:
    last, first = token.text[-1], following.text[0]
    return (
        not token.whitespace_
        and last.isalpha()
        and first.isalpha()
        and not (_LATIN.fullmatch(last) and _LATIN.fullmatch(first))
    )


def _begins_mention(doc: Doc, start: int, end: int) -> bool:
    text = doc[start].text
    if _holds_alnum(text):
        return text not in _POSSESSIVES and text not in _LOOSE_WORDS
    if text in _BRACKETS:
        return any(doc[i].text == _BRACKETS[text] for i in range(start + 1, end))
    return text in _SIGNS and end - start > 1 and doc[start + 1].text[0].isdigit()


def _ends_mention(doc: Doc, start: int, end: int) -> bool:
    text = doc[end - 1].text
    if _holds_alnum(text):
        return text not in _LOOSE_WORDS
    if end - start < 2:
        return False
    if text == ".":
        before = doc[end - 2]
        return not before.whitespace_ and _ABBREVIATION.fullmatch(before.text) is not None
    return any(
        text == closing and any(doc[i].text == opening for i in range(start, end - 1))
        for opening, closing in _BRACKETS.items()
    )


def _holds_alnum(text: str) -> bool:
    return any(map(str.isalnum, text))
