"""Rules for ages: the number alone is PHI, as in i2b2 ("67" of "67-year-old")."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule

_NUMBER = r"(?<![\w/.-])(?P<phi>[0-9]{1,3})"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = "one two three four five six seven eight nine"
_TEENS = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen thirties "
    "forties fifties sixties seventies eighties nineties twenties teens"
)
_SPELLED = (
    rf"(?i:(?:{'|'.join(_TENS.split())})(?:[- ](?:{'|'.join(_UNITS.split())}))?|"
    rf"{'|'.join(_TEENS.split()[:10])}|{'|'.join(_UNITS.split())})(?![a-z])"
)
_OLD = r"[- \n]{0,2}(?i:old|of age|young)(?![a-z])"
_SEX = r"(?:(?:RH|LH|[WBHAC]|AA|HF|y/?o?)?[MFmf])(?![\w/]|['\u2019])"
_NO_UNIT = (
    r"(?![0-9%:/]|[.,-][0-9]|[- ]?(?i:mg|mcg|ml|cc|g|kg|cm|mm|units?|hours?|hrs?|h|minutes?|min|"
    r"days?|weeks?|wks?|months?|mos?|pounds|lbs?|percent|degrees|bpm|x|times|am|pm|a\.m|p\.m|"
    r"beats|feet|points|out of|of|st|nd|rd|th)(?![a-z]))"
)


def _is_age(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether somebody can be that old."""
    return all(int(number) < 125 for number in re.findall(r"[0-9]{1,9}", match["phi"]))


def _is_adult(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "67F" is not a temperature, nor of the size of catheters, nor "5M" a million."""
    before = match.string[max(0, match.start() - 20) : match.start()]
    return 13 <= int(match["phi"]) < 110 and "temp" not in before.lower()


_LIFE_EVENTS = (
    "died passed menarche menopause deceased diagnosed death dx onset cancer ca carcinoma "
    "depression depressed stroke cva cabg colonoscopy mammogram diabetes seizure seizures married "
    "divorced widowed hysterectomy"
)


RULES: tuple[Rule, ...] = (
    Rule(
        "age.years_old",
        "AGE",
        0.97,
        "NUMBER",
        rf"{_NUMBER}[- \n]{{0,2}}(?i:years?|yrs?|y|months?|mos?|m|weeks?|wks?|days?)\.?{_OLD}",
        _is_age,
    ),
    Rule(
        "age.yo",
        "AGE",
        0.96,
        "NUMBER",
        rf"{_NUMBER}[- ]{{0,2}}(?i:y[./]?[ ]?o|m/o|yr/o|yrs/o)(?![a-z/])",
        _is_age,
    ),
    Rule(
        "age.year_sex",
        "AGE",
        0.92,
        "NUMBER",
        rf"{_NUMBER}[- ]{{0,2}}(?i:years?|yrs?|y)\.?[- ]"
        r"(?i:(?:white|black|african[- ]american|hispanic|caucasian|asian|right[- ]handed) )?"
        r"(?:(?i:male|female|man|woman|boy|girl|gentleman|lady)|[MF])(?!\w)",
        _is_age,
    ),
    Rule(
        "age.sex",
        "AGE",
        0.8,
        "NUMBER",
        rf"{_NUMBER}(?:{_SEX}|[ ]?/[ ]?[MF](?!\w)|"
        r" (?:RH)?[MF](?=[ ,.;:)](?!\d| ?(?i:foley|cath|french|sheath|tube|needle|drain|pig|"
        r"introd))))(?! ?(?i:foley|cath|french|sheath|tube|needle|drain|pig|introd|stent|ng|og|"
        r"tc))",
        _is_adult,
    ),
    Rule(
        "age.spelled",
        "AGE",
        0.96,
        f"{_TENS} {_TEENS} {_UNITS}",
        rf"(?<![\w-])(?P<phi>{_SPELLED})[- \n](?i:years?|months?|weeks?|days?){_OLD}",
    ),
    Rule(
        "age.label",
        "AGE",
        0.93,
        "age aged",
        rf"(?<!gestational )(?<!Gestational )(?<!GESTATIONAL )(?i:aged?)(?![a-z])[ \t]{{0,2}}"
        rf"(?:[:=]|of|is|was|at|about|around|approximately|in years)?\s{{0,12}}"
        rf"(?P<phi>[0-9]{{1,3}}){_NO_UNIT}(?![\w])",
        _is_age,
    ),
    Rule(
        "age.label_spelled",
        "AGE",
        0.85,
        "age aged",
        rf"(?i:aged?)(?![a-z])(?: of)? (?P<phi>{_SPELLED})(?! (?:hours|days|weeks))",
    ),
    Rule(
        "age.range",
        "AGE",
        0.94,
        "age aged ages",
        rf"(?i:age[ds]?)(?: of| from| between)? (?P<phi>[0-9]{{1,3}})"
        rf"(?: ?[-\u2013] ?| to | and | or |, )(?P<phi2>[0-9]{{1,3}}){_NO_UNIT}(?!\w)",
        _is_age,
    ),
    Rule(
        "age.decade",
        "AGE",
        0.92,
        "his her their my",
        r"(?i:his|her|their|my)[ \n](?:(?i:early|mid|late|very|middle)"
        rf"(?: to (?i:mid|late))?[- ]){{0,2}}(?P<phi>[2-9]0['\u2019]?s|"
        rf"100s|(?i:{'|'.join(_TEENS.split()[10:])}))(?!\w)",
    ),
    Rule(
        "age.life_event",
        "AGE",
        0.8,
        _LIFE_EVENTS,
        rf"(?i:{'|'.join(_LIFE_EVENTS.split())})(?: away)?"
        rf"(?: (?:of|from|with) [\"\u201c]?[a-z]{{1,15}}"
        rf"(?: [a-z]{{1,15}}){{0,2}}[\"\u201d]?)? at (?:age |about |around )?"
        rf"(?P<phi>[0-9]{{1,3}}){_NO_UNIT}(?!\w)",
        _is_age,
    ),
    Rule(
        "age.birthday",
        "AGE",
        0.85,
        "NUMBER turned turning turns",
        r"(?:(?i:turn(?:ed|ing|s)) (?P<phi>[0-9]{1,3})"
        r"(?![\w%:/-]|[.,][0-9]| degrees| times| hours)|(?<![\w/.-])"
        r"(?P<phi2>[0-9]{1,3}(?:st|nd|rd|th))[ ](?:birthday|year of life))",
    ),
)
"""Rules for AGE."""
