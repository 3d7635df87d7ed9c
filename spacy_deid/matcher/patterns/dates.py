"""Rules for dates in digits. The numbers must be a day and a month that exist.

A date without a year looks like a score, a ratio, a strength or a blood pressure; there the words
around it decide.
"""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule
from .common import ALONE, END, any_of

NUMERIC = (
    r"[0-9]{1,2}(?:/[0-9]{1,2}/|-[0-9]{1,2}-|\.[0-9]{1,2}\.)"
    r"(?:(?:19|20)[0-9]{2}|[0-9]{2}(?![0-9/-]|\.[0-9]))"
)
ISO = r"(?:1[89]|20)[0-9]{2}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}(?![0-9/-])"
SLASHED = r"(?:0?[1-9]|[12][0-9]|3[01])/(?:0?[1-9]|[12][0-9]|3[01])(?![0-9/%]|\.[0-9]|-[0-9]{3})"
_TO = r"[ ]?(?:-|\u2013|\u2014|to|thru|through|until|and)[ ]?"
_ROMAN_MONTHS = "i ii iii iv v vi vii viii ix x xi xii"
_ROMAN = "|".join(_ROMAN_MONTHS.split())
_CUES = (
    "on since until till through thru from by dated date before after starting beginning ending "
    "due dos dob doa dod lmp edd edc admitted discharged started stopped between signed seen "
    "reassess week wk dx"
)
_LEFT_OF_FRACTION = re.compile(
    r"\b(?:bp|pressures?|strength|scores?|pain|motor|murmur|reflex(?:es)?|pulses?|acuity|vision|"
    r"vas|gcs|gds|mdq|slums|delay|scale|grade|power|nyha|apgars?|intensity|rat(?:ed|ing)|level|"
    r"o[dsu]|about|ratio|"
    r"hgb|cage|moca|mmse|phq|epworth|nodes?|stage|cycle|dose|week|peep|vc|tidal|step|fio2|only|"
    r"least|most|nearly|almost|remain(?:s|ed)?|p/f|kt/v|visit|N[0-3][abc]?)[\s:=,(]{1,4}"
    r"(?:(?:is|was|of|at|a|an|to|as|out)\s){0,2}\Z|[0-9)] ?= ?\Z",
    re.IGNORECASE,
)
_RIGHT_OF_FRACTION = re.compile(
    r"\+[1-9]|[\s-]{0,2}(?:strength|systolic|diastolic|murmur|mm|motor|power|pain|intensity|scale|"
    r"in all|in (?:his|her|both|severity|the)|throughout|bilat|ppd|pack|cups?|tab|inch|cm|nodes|"
    r"correct|of |positive|brisk|reflex|pulses|visits|sessions|doses?|weeks?|days|hours|x\b|"
    r"on (?:the|a)|yellow|red|ago|lymph|hr?s?\b)|[ ]?[%>]|-?[a-z]{3}",
    re.IGNORECASE,
)
_USUAL_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 7, 8, 10, 12))
"""Of scores, strengths, murmurs, shares; 7 and 12 are days of a week and months of a year."""


def is_date(text: str) -> bool:
    """Whether a text is a numeric date with a day and a month that exist."""
    match = re.fullmatch(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{2}|[0-9]{4})", text)
    return match is not None and _day_exists(match[1], match[3])


def _day_exists(first: str, second: str) -> bool:
    """Whether two numbers are a month and a day, in either order."""
    low, high = sorted((int(first), int(second)))
    return 1 <= low <= 12 and high <= 31


def _has_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the first two numbers of a date (its last two, after a year) exist as a day."""
    numbers = re.findall(r"[0-9]{1,4}", match["phi"])
    if len(numbers[0]) == 4:
        return _day_exists(numbers[1], numbers[2]) and int(numbers[1]) <= 12
    return _day_exists(numbers[0], numbers[1])


def _has_compact_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the digits after the year are a month and a day, and no everyday word follows."""
    digits = match["phi"]
    return 1 <= int(digits[4:6]) <= 12 and 1 <= int(digits[6:8]) <= 31


def _is_no_fraction(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "8/27" exists as a day and the words around it do not make it a fraction."""
    text, start = match.string, match.start("phi")
    return (
        _has_day(match, vocab)
        and not _RIGHT_OF_FRACTION.match(text, match.end())
        and not _LEFT_OF_FRACTION.search(text[max(0, start - 32) : start])
    )


def _is_unusual_fraction(match: re.Match[str], vocab: Vocab) -> bool:
    """The same where no word speaks for a date, so that it must not look like a usual fraction."""
    first, second = (int(number) for number in match["phi"].split("/"))
    return first != second and second not in _USUAL_DENOMINATORS and _is_no_fraction(match, vocab)


def _is_in_column(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether another day begins a line nearby, as in a table with a line for each day."""
    start, end = match.span("phi")
    around = match.string[max(0, start - 200) : start] + match.string[end : end + 200]
    others = re.findall(rf"\n ?({SLASHED})(?=[ ]{{2}}|\t)", around)
    return _is_no_fraction(match, vocab) and any(
        other != match["phi"] and other.split("/")[0] == match["phi"].split("/")[0]
        for other in others
    )


def _is_range(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether two days exist and are not two fractions of the same whole, "4/5 to 5/5"."""
    first, second = (re.findall("[0-9]{1,4}", match[group]) for group in ("phi", "phi2"))
    return (
        first[1] != second[1]
        and _day_exists(first[0], first[1])
        and _day_exists(second[0], second[1])
        and _is_no_fraction(match, vocab)
    )


RULES: tuple[Rule, ...] = (
    Rule("date.mdy", "DATE", 0.97, "DATED NUMBER", rf"{ALONE}(?P<phi>{NUMERIC})", _has_day),
    Rule("date.iso", "DATE", 0.97, "DATED", rf"{ALONE}(?P<phi>{ISO})", _has_day),
    Rule(
        "date.roman_month",
        "DATE",
        0.95,
        _ROMAN_MONTHS,
        rf"{ALONE}(?P<phi>(?:0?[1-9]|[12][0-9]|3[01])(?:\.(?i:{_ROMAN})\.|/(?i:{_ROMAN})/|"
        rf"-(?i:{_ROMAN})-)(?:1[89]|20)?[0-9]{{2}}){END}",
        reach=2,
    ),
    Rule(
        "date.compact",
        "DATE",
        0.76,
        "NUMBER",
        r"(?<![\w/.#-])(?<![#:] )(?P<phi>(?:19[2-9]|20[0-9])[0-9]{5}"
        r"(?:(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?)?)(?![\w/.-])",
        _has_compact_day,
    ),
    Rule(
        "date.month_year",
        "DATE",
        0.92,
        "SLASHED NUMBER",
        rf"{ALONE}(?P<phi>(?:0?[1-9]|1[0-2])[/-](?:19[2-9]|20[0-9])[0-9])(?![\w/]|-[0-9])"
        r"(?! ?m[glc])",
    ),
    Rule(
        "date.slashed_after_cue",
        "DATE",
        0.9,
        _CUES,
        rf"{any_of(_CUES)}(?: of)?:?[ ]{{1,2}}"
        rf"(?:(?i:the|about|or about) )?(?P<phi>{SLASHED})",
        _is_no_fraction,
    ),
    Rule(
        "date.slashed",
        "DATE",
        0.76,
        "SLASHED",
        rf"{ALONE}(?P<phi>{SLASHED})(?!\w)",
        _is_unusual_fraction,
    ),
    Rule(
        "date.slashed_in_column",
        "DATE",
        0.72,
        "SLASHED",
        rf"(?:(?<=\n)|(?<=\n ))(?P<phi>{SLASHED})(?=[ ]{{2,40}}\S|\t)",
        _is_in_column,
    ),
    Rule(
        "date.slashed_before_time",
        "DATE",
        0.85,
        "SLASHED",
        rf"{ALONE}(?P<phi>{SLASHED})(?= (?:at |@ ?)?(?:[01][0-9]|2[0-3]):?[0-5][0-9](?![0-9])|"
        rf" [0-9]{{1,2}}(?::[0-9]{{2}})? ?[ap]\.?m)",
        _has_day,
    ),
    Rule(
        "date.range",
        "DATE",
        0.93,
        "SLASHED",
        rf"{ALONE}(?P<phi>{SLASHED}){_TO}(?P<phi2>{NUMERIC}|{SLASHED}){END}",
        _is_range,
    ),
)
"""Rules for DATE in digits."""
