"""What a date in words must not be: the guards of the rules for months, years and decades."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ... import english
from ...gazetteers import in_word_list
from ...tokenizer import LETTER
from .common import any_of, left_of

MONTHS = (
    "january jan february feb march mar april apr may june jun july jul august aug september sept "
    "sep october oct november nov december dec"
)
MONTH = rf"{any_of(MONTHS)}\.?"

_CLOCK_OR_YEAR = re.compile(r"(?:19|20)[0-5][0-9]|2100")
"""A year that is a time of day as well: "NPO since 2000"."""
_CLOCK = re.compile(
    r"(?<![\w/.,$-])(?:0[0-9][0-5][0-9]|1[0-8](?:[0-5][1-9]|[1-4]0))(?![\w/.,-][0-9]|\w| ?m[lgc])|"
    r"\bat (?:1[0-9]|2[0-3])[0-5][0-9]\b",
    re.IGNORECASE,
)
"""A time of day that is no year, nor a round amount, "Keppra 1500"."""
_LEFT_OF_CLOCK = re.compile(
    r"\bat (?:(?:about|around) )?(?:[0-9]{4}(?: and |, | or |-| - ))?\Z|"
    r"\b(?:npo|dtv|due to void|voided|asleep|awake|last dose|next dose|shift)\b[^.;\n]{0,12} "
    r"(?:by|at|since|until|till|before|around|after|from|to)\s\Z",
    re.IGNORECASE,
)
_CLOCK_CUE = re.compile(
    r"\b(?:since|until|till|from|by|before|after|around|and|to) \Z", re.IGNORECASE
)
_BY = re.compile(r"\b(?:by|until|till|before) \Z", re.IGNORECASE)
_VALID = re.compile(r"\b(?:due (?!to void)|valid|expir|licen[cs]e|repeat|next)", re.IGNORECASE)
_FAR_YEAR = re.compile(r"1900|20[3-5][0-9]|2100")
"""Years that notes hardly name, and that are times of day as well."""
_LEFT_OF_AMOUNT = re.compile(
    r"\b(?:ferritin|c?pk|ck|creatine kinase|bnp|probnp|troponins?|lactate|ldh|ast|alt|lipase|"
    r"amylase|wbc|anc|alc|plts?|platelets?|counts?|cd4|viral load|uf|uop|output|intake|"
    r"volumes?|net|drain(?:ed|age)?|bolus|fluids?|calories|b12|d-?dimer|crp|hcg|"
    r"trig(?:lyceride)?s?|titers?|levels?|tidal|ige|myoglobin|goal)\b[^.;\n]{0,18}\b"
    r"(?:(?<![0-9] )to|of|over|about|around|approximately|near|was|is) \Z",
    re.IGNORECASE,
)

_LEFT_OF_YEAR = re.compile(rf"(?<![A-Za-z])([A-Z](?:{LETTER}|[-'\u2019]){{1,24}}),? \Z")
"""A capitalised word before a year."""

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


def is_year(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether no year of a match is a time of day or an amount."""
    return all(
        _may_be_year(match.string, *match.span(group))
        for group in ("phi", "phi2")
        if group in match.re.groupindex
    )


def _may_be_year(text: str, start: int, end: int) -> bool:
    """Whether a year at a place of a text is no time of day and no amount."""
    before, year = text[max(0, start - 48) : start], text[start:end]
    if _LEFT_OF_AMOUNT.search(before):
        return False
    if not _CLOCK_OR_YEAR.fullmatch(year):
        return True
    if _LEFT_OF_CLOCK.search(before):
        return False
    if _BY.search(before) and _FAR_YEAR.fullmatch(year):
        return bool(_VALID.search(before))
    around = re.split(r"[.\n]", before[-30:])[-1] + re.split(r"[.\n]", text[end : end + 30])[0]
    return not (_CLOCK_CUE.search(before) and _CLOCK.search(around))


def is_lone_year(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a year is one and does not stand after a surname, as in "(Rouse 2008)"."""
    if not is_year(match, vocab):
        return False
    word = _LEFT_OF_YEAR.search(left_of(match, 30, "phi"))
    return word is None or not _may_be_author(word[1], vocab)


def _may_be_author(word: str, vocab: Vocab) -> bool:
    lists = ("common_word", "medical_term", "drug_word")
    lower = word.lower()
    if any(in_word_list(vocab, lower, name) for name in lists):
        return False
    return in_word_list(vocab, lower, "family_name")


def is_ordinal_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "the fifth" is a day: "on the first" and "for the second" are more often not."""
    cue = match.group().split()[0].lower()
    early = match["phi"].lower() in ("first", "second", "third")
    return not early or cue in ("by", "since", "until")


def _is_capital(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the date begins with a capital."""
    return match["phi"][0].isupper()


def are_months(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a capital begins two months; "Jun-jun" is a name."""
    return _is_capital(match, vocab) and match["phi"].lower() != match["phi2"].lower()


def is_decade(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "80s" is no rate, pressure or age: those are "in the 80s" and "in her 80s"."""
    before = left_of(match, 60).lower()
    return not re.search(
        r"rate|puls|pressure|systol|diastol|sat|sugar|glucose|hr|bp|map|o2|weigh|"
        r"\b(?:wt|(?:lv)?ef|temps?|fev1)\b",
        before,
    )
