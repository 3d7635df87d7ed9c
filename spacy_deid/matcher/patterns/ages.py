"""Rules for ages: the number alone is PHI, as in i2b2 ("67" of "67-year-old")."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule
from .common import left_of

_NUMBER = r"(?<![\w/.-])(?P<phi>[0-9]{1,3})"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = "one two three four five six seven eight nine"
_TEENS = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen thirties "
    "forties fifties sixties seventies eighties nineties twenties teens"
)
_TO_99 = (
    rf"(?:(?:{'|'.join(_TENS.split())})(?:[- ](?:{'|'.join(_UNITS.split())}))?|"
    rf"{'|'.join(_TEENS.split()[:10])}|{'|'.join(_UNITS.split())})"
)
_SPELLED = (
    rf"(?<!hundred )(?<!hundred-)(?<!hundred and )(?i:one hundred(?:(?:[- ]and)?[- ]{_TO_99})?|"
    rf"{_TO_99})(?![a-z])"
)
_OLD = r"[- \n]{0,2}(?i:old|of age|young)(?![a-z])"
_SEX = r"(?:(?:RH|LH|[WBHAC]|AA|HF|y/?o?)?[MFmf])(?![\w/]|['\u2019])"
_OVER_89 = r"(?:9[0-9]|10[0-9]|11[0-5])"
_PERSON = (
    r"(?:s?he|i|pt|patient|wom[ae]n|m[ae]n|lady|gentleman|mom|mum|mother|dad|father|wife|husband|"
    r"who|aunt|uncle|grand(?:mother|father|ma|pa))"
)
_BLACK = r"B(?!M (?:today|daily|per|in|since|overnight|x|a |on ))"
"""Of "93 BM", not of bowel movements."""
_NO_UNIT = (
    r"(?![0-9%:/]|[.,-][0-9]|[- ]?(?i:mg|mcg|ml|cc|g|kg|cm|mm|units?|hours?|hrs?|h|minutes?|min|"
    r"days?|weeks?|wks?|months?|mos?|pounds|lbs?|percent|degrees|bpm|x|times|am|pm|a\.m|p\.m|"
    r"beats|feet|points|out of|of|st|nd|rd|th)(?![a-z]))"
)
_SIZED = r"(?i:foley|cath|french|sheath|tube|needle|drain|pig|introd|stent|ng|og|tc)"
"""What begins right behind a French size, or behind "99m" for technetium."""
_BODY_HEAT = re.compile(
    r"\b(?:fevers?|febrile|tmax|temps?|temperatures?|(?<!['\u2019])t|axillary|"
    r"warmed|cooled)\b",
    re.IGNORECASE,
)
_DEVICE = (
    r"(?i:drains?|argyle|tubes?|peg|[a-z]{0,9}scopes?|sheaths?|bougies?|dilators?|blake|"
    r"thal|pigtail|trocars?|amplatz|savary|maloney|foley|cath(?:eter)?s?|stents?|coude|malecot|"
    r"chest tubes?|introducers?)(?![a-z]|[ -]depend)"
)
_DILATOR = re.compile(r"savary|maloney|bougie|dilat", re.IGNORECASE)
_LEFT_OF_FRENCH = re.compile(
    rf"(?<![A-Za-z])(?:{_DEVICE}|(?i:dilated|dilatation|dilation))(?:[\s,:(#]|[0-9]{{2}} ?F|"
    r"(?:size|to|was|is|placed|of|a|upsized|and|with) ){0,12}\Z"
)
_RIGHT_OF_FRENCH = re.compile(
    rf"[ -](?:(?!with|s/p|w/|has|and|for|who|on|presents)[A-Za-z-]{{1,14}} ){{0,3}}{_DEVICE}"
)
"""A device, and what may stand between it and its size; a patient "with" one is no device."""


def _is_age(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether somebody can be that old."""
    return all(int(number) < 125 for number in re.findall(r"[0-9]{1,9}", match["phi"]))


def _is_adult(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "67F" is no temperature and no French size of a catheter, nor "5M" a million."""
    number, is_female = int(match["phi"]), match.group().endswith(("F", "f"))
    return 13 <= number < 110 and not (
        is_female and (_is_temperature(match, number) or _is_french_size(match, number))
    )


def _is_temperature(match: re.Match[str], number: int) -> bool:
    """Whether a number is degrees Fahrenheit: of a room, or of a body with or without fever."""
    before = left_of(match, 25)
    return "temp" in before[-20:].lower() or (number >= 90 and bool(_BODY_HEAT.search(before)))


def _is_french_size(match: re.Match[str], number: int) -> bool:
    """Whether a device before or behind a number has that size: up to 36, dilators up to 60."""
    before = left_of(match, 40)
    device = _LEFT_OF_FRENCH.search(before) or _RIGHT_OF_FRENCH.match(match.string, match.end())
    return device is not None and number <= (60 if _DILATOR.search(device.group()) else 36)


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
        "age.infant_sex",
        "AGE",
        0.85,
        "NUMBER",
        rf"{_NUMBER}[- ]?(?:d|day|wk|week|mo|month)s? (?:old )?"
        r"(?:[MF](?=[ ,.;])|(?:male|female|boy|girl|infant|well[- ](?:child|baby|check|visit))"
        r"(?![a-z]))",
        _is_age,
    ),
    Rule(
        "age.years_over_89",
        "AGE",
        0.85,
        "NUMBER",
        rf"(?<!for )(?<!last )(?<!past )(?<!next )(?<!over )(?<!in )(?<!within )(?<![\w/.-])"
        rf"(?P<phi>{_OVER_89}) (?:years|yrs)(?=[.,;)\n]|$| and (?!older|over|above|up|under))",
    ),
    Rule(
        "age.near_over_89",
        "AGE",
        0.85,
        "almost nearly over about will now",
        rf"(?:(?<![A-Za-z])(?i:{_PERSON}(?: is|'s|\u2019s|'m| am| was)?) "
        r"(?:now )?(?:almost|nearly|over|about)|"
        r"(?:(?<=\n)|(?<=\. )|^)(?:Almost|Nearly|Over)"
        r"(?= [0-9]{2,3} and (?!over|above|under|below|up))|"
        rf"(?i:about to|will(?: soon)?|soon to|going to) turn) (?P<phi>{_OVER_89}){_NO_UNIT}"
        r"(?= ?[.,;)\n]|$| and [a-z]| (?:next|this|soon|tomorrow|lives) )",
        reach=3,
    ),
    Rule(
        "age.will_be_over_89",
        "AGE",
        0.85,
        "will",
        rf"(?:(?<=he )|(?<=who )|(?<=[Pp]t )|(?<=\. )|(?<=\n)|(?<![\s\S]))(?i:will)(?: soon)? be "
        rf"(?P<phi>{_OVER_89}){_NO_UNIT}(?= (?:next|this|soon|tomorrow|in|on) | tomorrow|$|\.)",
    ),
    Rule(
        "age.group_word",
        "AGE",
        0.92,
        "septuagenarian octogenarian nonagenarian centenarian supercentenarian",
        r"(?P<phi>(?i:(?:septua|octo|nona|(?:super)?cente)(?:ge)?narian))(?![a-z])",
    ),
    Rule(
        "age.sex",
        "AGE",
        0.8,
        "NUMBER",
        rf"{_NUMBER}(?:{_SEX}|[ ]?/[ ]?[MF](?!\w)|"
        rf" (?:RH|AA|W|{_BLACK})?[MF](?=[ ,.;:)](?!\d| ?{_SIZED})))(?! ?{_SIZED})",
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
