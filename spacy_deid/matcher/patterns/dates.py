"""Rules for dates: days that exist, in digits or with the name of a month."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ... import english
from ...english import RANGE
from ..rule import Rule
from .common import ALONE, any_of, left_of

SLASHED = r"(?:0?[1-9]|[12][0-9]|3[01])/(?:0?[1-9]|[12][0-9]|3[01])(?![0-9/%]|\.[0-9]|-[0-9]{3})"
_LEFT_OF_FRACTION = re.compile(
    r"\b(?:bp|pressures?|strength|scores?|pain|motor|murmur|reflex(?:es)?|pulses?|acuity|vision|"
    r"vas|gcs|gds|mdq|slums|delay|scale|grade|power|nyha|apgars?|intensity|rat(?:ed|ing)|level|"
    r"o[dsu]|about|ratio|"
    r"hgb|cage|moca|mmse|phq|epworth|nodes?|stage|cycle|dose|week|peep|vc|tidal|step|fio2|only|"
    r"least|most|nearly|almost|remain(?:s|ed)?|p/f|kt/v|visit|N[0-3][abc]?|"
    r"epds|braden|hads(?:-[ad])?|crafft|ishihara|plates?|dtrs?|aims|cows|ciwa|flacc|rass|tinetti|"
    r"mrc|ess|cdr|nihss|snellen|prisms?|norco|percocet|vicodin|i:c|icr|"
    r"(?:phq|gad|gds|audit|dast|cam|mini)-[0-9a-z]{1,3})"
    r"[\s:=,(]{1,4}(?:(?:is|was|of|at|a|an|to|as|out)\s){0,2}\Z|[0-9)] ?= ?\Z|"
    r"\b(?:teeth|tooth)[\s#]{1,2}(?:[0-9]{1,2}(?:-[0-9]{1,2})?(?:, ?| and | & |, and )){0,4}\Z",
    re.IGNORECASE,
)
_RIGHT_OF_FRACTION = re.compile(
    r"\+[1-9]|[\s-]{0,2}(?:strength|systolic|diastolic|murmur|mm|motor|power|pain|intensity|scale|"
    r"in all|in (?:his|her|both|severity|the)|throughout|bilat|ppd|pack|cups?|tab|inch|cm|nodes|"
    r"correct|of |positive|brisk|reflex|pulses|visits|sessions|doses?|weeks?|days|hours|x\b|"
    r"on (?:the|a)|yellow|red|ago|lymph|hr?s?\b|(?:(?:blood|culture|core|gram) )?(?:bottles?|sets?|"
    r"slices?|images?|views?|cores?|pads?|trials?|occasions?|attempts?|checks?|tubes?|lumens?|"
    r"quadrants?|limbs?|items?|questions?|registration|recall|orientation)\b|"
    r"n\.?s\b|sem\b|hsm\b)|[ ]?[%>]|-?[a-z]{3}",
    re.IGNORECASE,
)
_SAME_SCALE = re.compile(
    r" (?:(?:down|up|back) )?(?:to|->|\u2192) ?[0-9]{1,2}/([0-9]{1,2})(?![0-9/])"
)
"""Behind the first of two values of one scale: "from 7/10 to 3/10"."""
_STREET = re.compile(
    r" (?:[A-Z][a-z]{1,20} ){1,3}(?:(?:Street|Road|Rd|Drive|Avenue|Ave|Parade|Pde|Lane|Crescent|"
    r"Cres|Boulevard|Blvd|Terrace|Close|Highway|Hwy)\b|(?:St|Dr|Way|Court|Ct)\b(?!\.? [A-Z]))"
)
"""Behind the unit and number of an address, "3/22 Acacia Street"; "Saw Dr Shah" is none."""
_USUAL_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 7, 8, 10, 12))
"""Of scores, strengths, murmurs, shares; 7 and 12 are days of a week and months of a year."""

_SHARES = {"bottles": frozenset((2, 4)), "cores": frozenset((6, 8, 10, 12, 14))}
"""Denominators of shares of samples, by the group of a pattern that names the sample."""
_SCALES = frozenset((2, 3, 4, 5, 6, 7, 10, 12))
"""Denominators that scores or durations of the same value may have: murmur 2/6, "past 2/7"."""

_RIGHT_OF_CARB_RATIO = re.compile(
    r" (?:at |for |with )?(?:breakfast|lunch|dinner|supper|snacks?)\b"
)
"""Behind units of insulin for grams of carbohydrate, "1/8 breakfast, 1/10 lunch"."""
_METRIC_ACUITY = frozenset((6, 9, 12, 18, 24))
"""Denominators of visual acuity at 6 metres."""

CULTURES = "bcx bcxs ucx cx cxs blood urine sputum stool csf culture cultures swab"
STUDIES = (
    "cxr kub cta mri mra tte tee echo ekg ecg eeg veeg egd ercp lp uds utox ua bmp cbc abg lfts "
    "xr xray mammo mammogram colonoscopy bronch paracentesis thoracentesis picc foley "
    "ett rij lij cvl clinic readmit readmitted readmission extubated intubated diff"
)
_LEFT_OF_BOTTLES = re.compile(rf"{any_of(CULTURES)}[ :(]{{1,3}}\Z")
_LEFT_OF_SERIES = re.compile(r"\b(?:day|ribs?|toes?|discs?)[ :]{1,2}\Z|[0-9] \Z", re.IGNORECASE)
"""No day of a series: of a course ("day 3/7"), neighbours ("ribs 5/6"), weeks ("31 1/7")."""
BIOPSIES = "biopsy biopsies bx"
CAPITAL_STUDIES = "CT US ED PET"
"""Everyday words in small letters."""
_REGIONS = (
    "head brain neck chest abd abdomen pelvis a/p c/a/p spine heart liver renal knee hip shoulder "
    "foot ankle wrist left right w/o w/ without with contrast con visit"
)
_RESULT = re.compile(r" ?(?:pos(?:itive)?|neg(?:ative)?|ngtd|no growth|normal)\b", re.IGNORECASE)
_DOSES = re.compile(r"[ -]?(?:units?(?! (?:of |p?rbc|ffp|plt|blood))|u(?!/))\b", re.IGNORECASE)
_DOSES_OR_TIMES = re.compile(r" ?(?:mg|mcg|ml|weeks?|wks?|reps)\b")
_LEFT_OF_TRIPLE = re.compile(
    r"\b(?:section|sections|version|ver|chapter|protocol|firmware|software)[ :]{1,2}v?\.?\Z|"
    r"\b(?:insulin|humalog|novolog|lispro|aspart|glulisine|apidra)(?: [a-z]{1,8}){0,2}[ :]{1,2}\Z",
    re.IGNORECASE,
)
_DATE_CUE = re.compile(
    r"\b(?:on|since|started|stopped|begun|dated?|until|from|by)[ :]{1,2}\Z", re.IGNORECASE
)


def is_date(text: str) -> bool:
    """Whether a text is a numeric date with a day and a month that exist."""
    match = re.fullmatch(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{2}|[0-9]{4})", text)
    return match is not None and _day_exists(match[1], match[3])


def _day_exists(first: str, second: str) -> bool:
    """Whether two numbers are a month and a day, in either order."""
    low, high = sorted((int(first), int(second)))
    return 1 <= low <= 12 and high <= 31


def has_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the first two numbers of a date (its last two, after a year) exist as a day."""
    numbers = re.findall(r"[0-9]{1,4}", match["phi"])
    if len(numbers[0]) == 4:
        return _day_exists(numbers[1], numbers[2]) and int(numbers[1]) <= 12
    return _day_exists(numbers[0], numbers[1])


def is_no_triple(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a day exists and the numbers are no doses of a day or section of a document."""
    text, (start, end) = match.string, match.span("phi")
    before = text[max(0, start - 32) : start]
    left = _LEFT_OF_TRIPLE.search(before) and not _DATE_CUE.search(before)
    right = _DOSES.match(text, end) or _DOSES_OR_TIMES.match(text, end)
    return has_day(match, vocab) and ("/" in match["phi"] or not (left or right))


def is_no_fraction(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "8/27" exists as a day and the words around it do not make it a fraction."""
    text, start = match.string, match.start("phi")
    return (
        has_day(match, vocab)
        and not _RIGHT_OF_FRACTION.match(text, match.end())
        and not _LEFT_OF_FRACTION.search(text[max(0, start - 32) : start])
        and not _STREET.match(text, match.end("phi"))
        and not _has_same_scale(match)
    )


def _has_same_scale(match: re.Match[str]) -> bool:
    """Whether the value of a scale is followed by the one that it changed to."""
    other = _SAME_SCALE.match(match.string, match.end("phi"))
    second = match["phi"].split("/")[1]
    return other is not None and other[1] == second and int(second) in _USUAL_DENOMINATORS


def is_unusual_fraction(match: re.Match[str], vocab: Vocab) -> bool:
    """The same where no word speaks for a date, so that it must not look like a usual fraction."""
    first, second = (int(number) for number in match["phi"].split("/"))
    return first != second and second not in _USUAL_DENOMINATORS and is_no_fraction(match, vocab)


def is_study_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "4/10" behind a study or specimen is no share of bottles or of cores."""
    first, second = (int(number) for number in match["phi"].split("/"))
    if first <= second and any(match[part] and second in _SHARES[part] for part in _SHARES):
        return False
    if _RESULT.match(match.string, match.end()):
        return has_day(match, vocab)
    return is_no_fraction(match, vocab)


def is_in_series(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether days of the same month are nearby: "1/6 Na 128, 1/7 Na 131, 1/8 Na 135".

    Scores share the second number instead. Two scores of the same value on unlike scales would
    look like two days, so that a pair needs one day that ends no scale, or a study.
    """
    if not _may_be_listed(match, vocab):
        return False
    (start, end), month = match.span("phi"), int(match["phi"].split("/")[0])
    days = {
        int(other["phi"].split("/")[1])
        for other in FRACTION.finditer(match.string, max(0, start - 100), end + 100)
        if int(other["phi"].split("/")[0]) == month and _may_be_listed(other, vocab)
    }
    if month == 6:
        days -= _METRIC_ACUITY
    return (
        len(days) > 2
        or (len(days) == 2 and any(day < month or day not in _SCALES for day in days))
        or _follows_study_day(match, vocab)
    )


def _follows_study_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether another day of the month stands behind a study: "KUB 3/4 normal, 3/6 ileus"."""
    month, day = match["phi"].split("/")
    before = left_of(match, 60).split("\n")[-1]
    return any(
        other["phi"].split("/")[0] == month
        and other["phi"].split("/")[1] != day
        and is_study_day(other, vocab)
        for other in STUDY_DAY.finditer(before)
    )


def _may_be_listed(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "4/2" may be one of a few days: no "1/2", "31 1/7", share of bottles or score."""
    first, second = (int(number) for number in match["phi"].split("/"))
    before = left_of(match, 16)
    is_share = (
        first < second <= 4
        or (first < second <= 10 and _LEFT_OF_SERIES.search(before))
        or (first == 1 and _RIGHT_OF_CARB_RATIO.match(match.string, match.end()))
        or (first <= second and second in _SHARES["bottles"] and _LEFT_OF_BOTTLES.search(before))
    )
    return not is_share and is_no_fraction(match, vocab)


FRACTION = re.compile(rf"{ALONE}(?P<phi>{SLASHED})(?!\w)")
STUDY_DAY = re.compile(
    rf"(?<!\w\w)(?<!/)(?:(?P<bottles>{any_of(CULTURES)})|(?P<cores>{any_of(BIOPSIES)})|"
    rf"{any_of(STUDIES)}|(?:{'|'.join(CAPITAL_STUDIES.split())})(?!\w))"
    rf"(?: {any_of(_REGIONS)}){{0,4}},? {{1,2}}\(?(?P<phi>{SLASHED})(?!\w)"
)


MONTHS = (
    "january jan february feb march mar april apr may june jun july jul august aug september sept "
    "sep october oct november nov december dec"
)
MONTH = rf"{any_of(MONTHS)}\.?"


_MEASURE = re.compile(
    r"\b(?:bp|sbp|dbp|map|hr|rr|dose|wt|weight|rate|temp|hgb|hct|plts?|wbc|cr|na|k)s? \Z",
    re.IGNORECASE,
)
_DECREASE = re.compile(
    r" (?:points?|pts?|beats|bpm|lbs?|kg|degrees)\b| to [0-9]{1,4} ?(?:mg|mcg|ml|units|lbs?|kg)\b",
    re.IGNORECASE,
)
_AFTER_VERB = re.compile(
    r"\s{1,8}(?:be|have|not|need|also|require|return|take|use|help|cause|go|start|stop|"
    r"well|repeat)\b",
    re.I,
)


def names_month(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a month is a date's: with a capital if it is a verb as well, unpointed if whole."""
    month = re.search(rf"(?<![A-Za-z]){MONTH}", match.string[match.start("phi") : match.end()])
    word = month.group() if month else match["phi"]
    goes_on = month is not None and month.end() < len(match["phi"])
    if goes_on and word[-1] == "." and word[:-1].title() in english.MONTHS:
        return False  # a sentence ends, a list goes on: "by January.\n2. Diuretics"
    word = word.removesuffix(".")
    if word == match["phi"].removesuffix(".") and _is_abbreviation(word, match):
        return False
    if word == "dec" and _is_decrease(match):
        return False
    if word.lower() == "may" and _AFTER_VERB.match(match.string, match.end()):
        return False
    return word[0].isupper() or word[:3] in ("jan", "feb", "jul", "sep", "oct", "nov", "dec")


def _is_abbreviation(word: str, match: re.Match[str]) -> bool:
    """Whether capitals are a medication record, or a tomography or a potential without "in"."""
    cue = match.string[match.start() : match.start("phi")].lower()
    return word == "MAR" or (
        word in ("OCT", "SEP") and not re.match(r"(?:in|since|until|by|early|late|mid)\b", cue)
    )


def _is_decrease(match: re.Match[str]) -> bool:
    """Whether "dec 10" is short for "decrease": "BP dec 10 points", "dose dec 20 to 10 mg"."""
    before = left_of(match, 12)
    return bool(_MEASURE.search(before) or _DECREASE.match(match.string, match.end("phi")))


NUMERIC = (
    r"[0-9]{1,2}(?:/[0-9]{1,2}/|-[0-9]{1,2}-|\.[0-9]{1,2}\.)"
    r"(?:(?:19|20)[0-9]{2}|[0-9]{2}(?![0-9/-]|\.[0-9]))"
)
ISO = r"(?:1[89]|20)[0-9]{2}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}(?![0-9/-])"


_YEAR = r"(?:1[89][0-9]{2}|20[0-9]{2}|2100)(?![0-9])"
_SHORT_YEAR = r"['\u2019][0-9]{2}(?![0-9\w])"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?![0-9:/%]|[.,][0-9])(?:[ ]?(?i:st|nd|rd|th)(?![a-z]))?"
_PLAIN_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])"

_OF_YEAR = rf"(?:,? (?:of )?|,|-|/)?[ \n]{{0,2}}(?:{_YEAR}|{_SHORT_YEAR})"


RULES: tuple[Rule, ...] = (
    Rule("date.mdy", "DATE", 0.97, "DATED NUMBER", rf"{ALONE}(?P<phi>{NUMERIC})", is_no_triple),
    Rule("date.iso", "DATE", 0.97, "DATED", rf"{ALONE}(?P<phi>{ISO})", has_day),
    Rule(
        "date.month_year",
        "DATE",
        0.92,
        "SLASHED NUMBER",
        rf"{ALONE}(?P<phi>(?:0?[1-9]|1[0-2])[/-](?:19[2-9]|20[0-9])[0-9])(?![\w/]|-[0-9])"
        r"(?! ?m[glc])",
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
        "date.slashed_in_series",
        "DATE",
        0.76,
        "SLASHED",
        FRACTION.pattern,
        is_in_series,
    ),
    Rule(
        "date.year_month_day",
        "DATE",
        0.98,
        MONTHS,
        rf"(?<![\w-])(?P<phi>{_YEAR}(?:[-/]{MONTH}[-/]|[ ](?=[A-Z]){MONTH}[ ]){_DAY})(?!\w)",
        reach=2,
    ),
    Rule(
        "date.month_days",
        "DATE",
        0.98,
        MONTHS,
        rf"(?P<phi>{MONTH} ?{_DAY}){RANGE}(?P<phi2>{_DAY}(?:{_OF_YEAR})?)"
        r"(?!\w| ?(?:mg|mcg|ml|%|units))",
        names_month,
    ),
    Rule(
        "date.days_month",
        "DATE",
        0.98,
        "NUMBER",
        rf"{ALONE}(?P<phi>{_PLAIN_DAY}(?i:st|nd|rd|th)?)"
        r"(?:[-\u2013]|(?<=[a-zA-Z])[ ]?[-\u2013][ ]?)"
        rf"(?P<phi2>{_PLAIN_DAY}(?i:st|nd|rd|th)? ?(?:of )?{MONTH}(?:{_OF_YEAR})?)(?!\w)",
        names_month,
    ),
)
