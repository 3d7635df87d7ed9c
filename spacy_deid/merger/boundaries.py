"""Boundaries of mentions: the shortest complete mention, by i2b2 2014's conventions."""

from __future__ import annotations

import re

from ..annotation.phi import CATEGORY, PERSONS, PHI_TYPES
from ..text.day_ranges import find_day_ranges
from ..text.english import MONTH_WORDS
from ..text.names import POSSESSIVES
from ..text.titles import TITLES
from ..text.tokenizer import LETTER
from ..text.tokens import Tokens
from .recurrence import AFTER_NAMES

_ABBREVIATION = re.compile(r"[A-Z]|(?i:jr|sr|st|ave|rd|blvd|ln|ct|pl|hwy|inc|co|corp|ltd|univ)")
_LATIN = re.compile(LETTER)
_MONTHS = frozenset(MONTH_WORDS)
_BETWEEN_DAYS = frozenset((",", "-", "\u2013", "and", "&"))
_AFTER_DAYS = frozenset(("", ",", ";", ".", ")", "and", "&"))
_CODES = frozenset((*PHI_TYPES["ID"], "USERNAME", "ROOM"))
_INSTITUTIONS = frozenset(("HOSPITAL", "ORGANIZATION"))
_LABEL = re.compile(r"(?:[A-Za-z/&]{1,20} ){1,4}(?:\.{3,40} )?:")
_LONGEST_TAIL = 2  # letters
# Words that neither begin nor end a mention; in capitals, "IN" and "HI" are states.
_LOOSE_WORDS = frozenset("in of at by on to for from and with or the is was hi Hi".split())
_INITIAL = re.compile("[A-Z]")
_SIGNS_OF_NOTES = frozenset("AFILMOPQRSTX")  # a word, sex, side, heading or vital sign
_AFTER_INITIAL = re.compile(r"\s*|[,;)\]\"]|(?:[01][0-9]|2[0-3])[0-5][0-9]")
"""After an initial without a period: not "Ruiz, C spine"."""
_SIGNS = frozenset(("+", "'", "\u2019"))
_BRACKETS = {"(": ")", "[": "]"}


def set_bounds(tokens: Tokens, start: int, end: int, label: str) -> tuple[int, int]:
    """Trim a mention, and complete cut-off words and codes.

    RETURNS (tuple[int, int]): The new first token and end; equal if no letter or digit is left, or
        if it is a tag of a note that was redacted before.
    """
    if label in _INSTITUTIONS:
        end = end_of_line(tokens, start, end)
    start, end = trim_mention(tokens, start, end, label)
    if start == end or is_tag(tokens, start, end):
        return start, start
    start, end = extend_word(tokens, start, end)
    if label in PERSONS:
        return start, extend_name(tokens, start, end)
    if label == "DATE":
        return start, extend_days(tokens, start, end)
    return start, extend_code(tokens, end) if label in _CODES else end


def is_tag(tokens: Tokens, start: int, end: int) -> bool:
    """Whether tokens `start` to `end` are the PHI type in a tag: "[DOCTOR]"."""
    around = tokens.words[max(start - 1, 0) : end + 1]
    return len(around) == 3 and around[0] == "[" and around[1] in CATEGORY and around[2] == "]"


def end_of_line(tokens: Tokens, start: int, end: int) -> int:
    """The end of a mention before a blank line, or a label in the next line ("Nursing:")."""
    for i in range(start + 1, end):
        if "\n" in tokens.words[i] and (
            tokens.words[i].count("\n") > 1 or _LABEL.match(" ".join(tokens.words[i + 1 : i + 6]))
        ):
            return i
    return end


def trim_mention(tokens: Tokens, start: int, end: int, label: str) -> tuple[int, int]:
    """Trim punctuation from tokens `start` to `end`; of people, also titles and "'s".

    A title on its own is kept: a bare "Dr" may be somebody's initials.
    """
    start, end = trim_punctuation(tokens, start, end)
    while label in PERSONS and end > start and tokens.words[end - 1] in POSSESSIVES:
        start, end = trim_punctuation(tokens, start, end - 1)
    while (
        label in PERSONS and end - start > 1 and tokens.words[start].lower().rstrip(".") in TITLES
    ):
        start, end = trim_punctuation(tokens, start + 1, end)
    return start, end


def trim_punctuation(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Trim white space, punctuation and words like "in" or "Hi" from tokens `start` to `end`.

    Also trims a leading "'s". Keeps a bracket whose counterpart is inside, the sign before a number
    ("+1", "'89") and the period of an initial or abbreviation.
    """
    while end > start and not _ends_mention(tokens, start, end):
        end -= 1
    while end > start and not _begins_mention(tokens, start, end):
        start += 1
    return start, end


def extend_word(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Extend tokens `start` to `end` to whole words that contain letters of another script.

    The clinical tokenizer splits words at such letters: "L|\u0431|pez".
    """
    while start > 0 and _is_cut(tokens, start - 1):
        start -= 1
    while end < len(tokens.words) and _is_cut(tokens, end - 1):
        end += 1
    return start, end


def extend_code(tokens: Tokens, end: int) -> int:
    """The end of a code with the letters and digits attached to it: "N417" + "RX".

    A word run together with a number ("7712345Weight") is not part of the code.
    """
    while end < len(tokens.words) and not tokens.spaced[end - 1] and tokens.words[end].isalnum():
        rest, last = tokens.words[end], tokens.words[end - 1]
        if rest.isalpha() and (len(rest) > _LONGEST_TAIL or not rest.isupper()):
            break
        if not last[-1].isalnum() or last[-1].isdigit() == rest[0].isdigit():
            break
        end += 1
    return end


def extend_days(tokens: Tokens, start: int, end: int) -> int:
    """The end of a day with the days of its month that follow: "3/4-9/67", "Jan 4, 6 and 8"."""
    words = [*tokens.words[start : end + 8], "", "", ""]
    last = end - start - 1
    if "/" in words[last] and any(find_day_ranges("".join(words[last : last + 3]))):
        return end + 2
    day = _day_of(words[last], words[last - 1] if last else "")
    while day and words[last + 1] in _BETWEEN_DAYS and words[last + 2].isdecimal():
        later, after = int(words[last + 2]), words[last + 3]
        if not day < later <= 31 or not (after.isspace() or after in _AFTER_DAYS):
            break
        day, last = later, last + 2
    return start + last + 1


def _day_of(word: str, before: str) -> int:
    """The day in the last word of "3/4" or "Jan 4"; 0 if there is none."""
    month, slash, day = word.rpartition("/")
    is_day = month.isdecimal() if slash else before.lower() in _MONTHS
    return int(day) if is_day and day.isdecimal() and len(day) < 3 else 0


def extend_name(tokens: Tokens, start: int, end: int) -> int:
    """The end of a name with what follows it: "Jr.", ", III", the initial of "Tran, H."."""
    rest = [*tokens.words[end : end + 4], "", "", ""]
    at = 1 if rest[0] == "," else 0
    if not rest[at] or not tokens.spaced[end + at - 1]:
        return end
    dotted = rest[at + 1] == "." and not tokens.spaced[end + at]
    after = at + 1 + dotted
    if _is_part(rest[at], rest[after], end - start, bool(at), dotted):
        return end + after
    return end


def _is_part(word: str, after: str, length: int, comma: bool, dotted: bool) -> bool:
    """Whether a word between a name of `length` tokens and the token `after` is part of it."""
    if word in ("Jr", "JR"):
        return True
    if (after[:1].isalpha() and after not in AFTER_NAMES) or after in ("-", "/"):
        return False  # "Sr resident", "III nerve", "E. coli", "L. Roe"
    if word in ("Sr", "II", "III"):
        return word == "Sr" or length > 1  # not "per Lopez II"
    if not comma or length > 1 or not _INITIAL.fullmatch(word):
        return False
    return dotted or (word not in _SIGNS_OF_NOTES and _AFTER_INITIAL.fullmatch(after) is not None)


def _is_cut(tokens: Tokens, i: int) -> bool:
    """Whether a word is cut between token `i` and the next."""
    last, first = tokens.words[i][-1], tokens.words[i + 1][0]
    return (
        not tokens.spaced[i]
        and last.isalpha()
        and first.isalpha()
        and not (_LATIN.fullmatch(last) and _LATIN.fullmatch(first))
    )


def _begins_mention(tokens: Tokens, start: int, end: int) -> bool:
    text = tokens.words[start]
    if _holds_alnum(text):
        return text not in POSSESSIVES and text not in _LOOSE_WORDS
    if text in _BRACKETS:
        return any(tokens.words[i] == _BRACKETS[text] for i in range(start + 1, end))
    return text in _SIGNS and end - start > 1 and tokens.words[start + 1][0].isdigit()


def _ends_mention(tokens: Tokens, start: int, end: int) -> bool:
    text = tokens.words[end - 1]
    if _holds_alnum(text):
        return text not in _LOOSE_WORDS
    if end - start < 2:
        return False
    if text == ".":
        before = tokens.words[end - 2]
        return not tokens.spaced[end - 2] and _ABBREVIATION.fullmatch(before) is not None
    return any(
        text == closing and any(tokens.words[i] == opening for i in range(start, end - 1))
        for opening, closing in _BRACKETS.items()
    )


def _holds_alnum(text: str) -> bool:
    return any(map(str.isalnum, text))
