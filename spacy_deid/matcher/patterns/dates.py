"""Rules for dates in digits. The numbers must be a day and a month that exist.

A date without a year looks like a score, a ratio, a strength or a blood pressure; there the words
around it decide.
"""

from __future__ import annotations

from ...english import RANGE
from ..rule import Rule
from .common import ALONE, END, any_of
from .date_guards import (
    BIOPSIES,
    CAPITAL_STUDIES,
    CULTURES,
    FRACTION,
    SLASHED,
    STUDIES,
    STUDY_DAY,
    has_compact_day,
    has_day,
    is_in_column,
    is_in_series,
    is_no_fraction,
    is_no_triple,
    is_range,
    is_study_day,
    is_unusual_fraction,
)

NUMERIC = (
    r"[0-9]{1,2}(?:/[0-9]{1,2}/|-[0-9]{1,2}-|\.[0-9]{1,2}\.)"
    r"(?:(?:19|20)[0-9]{2}|[0-9]{2}(?![0-9/-]|\.[0-9]))"
)
ISO = r"(?:1[89]|20)[0-9]{2}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}(?![0-9/-])"
_ROMAN_MONTHS = "i ii iii iv v vi vii viii ix x xi xii"
_ROMAN = "|".join(_ROMAN_MONTHS.split())
_CUES = (
    "on since until till through thru from by dated date before after starting beginning ending "
    "due dos dob doa dod lmp edd edc admitted discharged started stopped between signed seen "
    "reassess week wk dx"
)

RULES: tuple[Rule, ...] = (
    Rule("date.mdy", "DATE", 0.97, "DATED NUMBER", rf"{ALONE}(?P<phi>{NUMERIC})", is_no_triple),
    Rule("date.iso", "DATE", 0.97, "DATED", rf"{ALONE}(?P<phi>{ISO})", has_day),
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
        has_compact_day,
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
        is_no_fraction,
    ),
    Rule(
        "date.slashed",
        "DATE",
        0.76,
        "SLASHED",
        rf"{ALONE}(?P<phi>{SLASHED})(?!\w)",
        is_unusual_fraction,
    ),
    Rule(
        "date.slashed_after_study",
        "DATE",
        0.85,
        f"{CULTURES} {BIOPSIES} {STUDIES} {CAPITAL_STUDIES.lower()}",
        STUDY_DAY.pattern,
        is_study_day,
    ),
    Rule(
        "date.slashed_in_series",
        "DATE",
        0.76,
        "SLASHED",
        FRACTION.pattern,
        is_in_series,
    ),
    Rule(
        "date.slashed_in_column",
        "DATE",
        0.72,
        "SLASHED",
        rf"(?:(?<=\n)|(?<=\n ))(?P<phi>{SLASHED})(?=[ ]{{2,40}}\S|\t)",
        is_in_column,
    ),
    Rule(
        "date.slashed_before_time",
        "DATE",
        0.85,
        "SLASHED",
        rf"{ALONE}(?P<phi>{SLASHED})(?= (?:at |@ ?)?(?:[01][0-9]|2[0-3]):?[0-5][0-9](?![0-9])|"
        rf" [0-9]{{1,2}}(?::[0-9]{{2}})? ?[ap]\.?m)",
        has_day,
    ),
    Rule(
        "date.range",
        "DATE",
        0.93,
        "SLASHED",
        rf"{ALONE}(?P<phi>{SLASHED}){RANGE}(?P<phi2>{NUMERIC}|{SLASHED}){END}",
        is_range,
    ),
)
"""Rules for DATE in digits."""
