"""Rules for dates with words: months, weekdays, seasons, holidays, years and decades."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule
from .common import ALONE, any_of
from .dates import ISO, NUMERIC, SLASHED

_YEAR = r"(?:1[89][0-9]{2}|20[0-9]{2}|2100)(?![0-9])"
_SHORT_YEAR = r"['\u2019][0-9]{2}(?![0-9\w])"
_MONTHS = (
    "january jan february feb march mar april apr may june jun july jul august aug september sept "
    "sep october oct november nov december dec"
)
_MONTH = rf"{any_of(_MONTHS)}\.?"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?![0-9:/%]|[.,][0-9])(?:[ ]?(?i:st|nd|rd|th)(?![a-z]))?"
_PLAIN_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])"
_ORDINAL_CUES = "on for by until since"
_ORDINALS = (
    "twenty thirty first second third fourth fifth sixth seventh eighth ninth tenth eleventh "
    "twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
    "thirtieth"
)
_ORDINAL = rf"(?i:(?:twenty|thirty)[- ])?(?i:{'|'.join(_ORDINALS.split()[2:])})(?![a-z])"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_SHORT_WEEKDAYS = "mon tue tues wed thu thur thurs fri sat sun"
_WEEKDAY = rf"{any_of(f'{_WEEKDAYS} {_SHORT_WEEKDAYS}')}\.?"

_OF_YEAR = rf"(?:,? (?:of )?|,|-|/)?[ \n]{{0,2}}(?:{_YEAR}|{_SHORT_YEAR})"
_MONTH_DAY = rf"{_MONTH}[ -]{{0,2}}\n?[ ]?(?:the )?(?:{_DAY}|{_ORDINAL})(?!\w)(?:{_OF_YEAR})?"
_DAY_MONTH = (
    rf"(?:{_DAY}|{_ORDINAL})[ -]?\n?(?:(?:day )?of )?{_MONTH}(?:{_OF_YEAR}|-?[0-9]{{2}}(?![0-9:]))?"
)
_DATE = rf"(?:{NUMERIC}|{ISO}|{_MONTH_DAY}|{_DAY_MONTH}|{SLASHED})"
_TO = r"[ ]?(?:-|\u2013|\u2014|to|thru|through|until|and)[ ]?"
_FOREIGN_MONTH = (
    r"(?i:(?:(?:de )?(?:janvier|f[e\u00e9]vrier|mars|avril|mai|juin|juillet|ao[u\u00fb]t|septembre|"
    r"octobre|novembre|d[e\u00e9]cembre)|de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"sep?tiembre|octubre|noviembre|diciembre)))(?!\w)"
)
"""Months in French, and in Spanish behind "de"."""
_SEASONS = "spring summer autumn fall winter springtime summertime wintertime"
_SEASON = r"(?i:spring|summer|autumn|fall|winter)(?i:time)?(?![a-z])"

_CUES = (
    "in since until till through thru from by before after during late early mid last next this "
    "past of each every over on around approximately circa between and to for the dx"
)
_NOT_A_YEAR = (
    r"(?![ -]?(?i:mg|mcg|ml|cc|g|gm|grams?|kg|cm|mm|units?|u|iu|meq|mmol|cal(?:ories|s)?|kcal|"
    r"cells?|hours?|hrs?|h|feet|ft|steps|meters?|m|lbs?|pounds|rads?|c?gy|lit(?:er|re)s?|l|ng|"
    r"pg|k|people|patients|times|watts|dollars|beats|copies|per|x|american|diet|ada)(?![a-z]))"
    r"(?!['%:/]|[.,-][0-9])"
)

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

_HOLIDAYS = (
    r"christmas(?: eve| day)?|xmas|thanksgiving(?: day)?|easter(?: sunday| monday)?|"
    r"new year['\u2019]?s(?: eve| day)?|(?:labor|labour|memorial|independence|"
    r"veterans?['\u2019]?|columbus|presidents?['\u2019]?|mother['\u2019]?s|father['\u2019]?s|"
    r"valentine['\u2019]?s|boxing|canada|anzac|australia|mlk|martin luther king(?: jr\.?)?|"
    r"indigenous peoples['\u2019]?|(?:st|saint)\.? patrick['\u2019]?s|groundhog|victoria|"
    r"remembrance) day|halloween|good friday|palm sunday|ash wednesday|mardi gras|cinco de mayo|"
    r"juneteenth|kwanzaa|hanuk{1,2}ah|chanukah|passover|purim|yom kippur|rosh hashanah|"
    r"ramadan|eid(?: al[- ]fitr| al[- ]adha)?|diwali|(?:lunar|chinese) new year|fourth of july|"
    r"4th of july|super bowl sunday|all saints['\u2019]? day"
)
_HOLIDAY_WORDS = (
    "christmas xmas thanksgiving easter new labor labour memorial independence veterans veteran "
    "columbus presidents president mother father valentine boxing canada anzac australia mlk "
    "martin indigenous st saint groundhog victoria remembrance halloween good palm ash mardi cinco "
    "juneteenth kwanzaa hanukah hanukkah chanukah passover purim yom rosh ramadan eid diwali lunar "
    "chinese fourth super all mothers fathers valentines"
)


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


def _names_month(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether words that are verbs or names as well ("may", "march") have a month's capital."""
    month = re.search(rf"(?<![A-Za-z]){_MONTH}", match["phi"])
    word = month.group() if month else match["phi"]
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
    before = match.string[max(0, match.start() - 12) : match.start()]
    return bool(_MEASURE.search(before) or _DECREASE.match(match.string, match.end("phi")))


def _is_year(match: re.Match[str], vocab: Vocab) -> bool:
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


def _is_ordinal_day(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "the fifth" is a day: "on the first" and "for the second" are more often not."""
    cue = match.group().split()[0].lower()
    early = match["phi"].lower() in ("first", "second", "third")
    return not early or cue in ("by", "since", "until")


def _is_capital(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the date begins with a capital."""
    return match["phi"][0].isupper()


def _are_months(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a capital begins two months; "Jun-jun" is a name."""
    return _is_capital(match, vocab) and match["phi"].lower() != match["phi2"].lower()


def _is_decade(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "80s" is no rate, pressure or age: those are "in the 80s" and "in her 80s"."""
    before = match.string[max(0, match.start() - 60) : match.start()].lower()
    return not re.search(
        r"rate|puls|pressure|systol|diastol|sat|sugar|glucose|hr|bp|map|o2|weigh|"
        r"\b(?:wt|(?:lv)?ef|temps?|fev1)\b",
        before,
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "date.month_day",
        "DATE",
        0.97,
        _MONTHS,
        rf"(?<!\w)(?P<phi>{_MONTH_DAY})(?!\w| ?(?:mg|mcg|ml|%|units|x ))",
        _names_month,
    ),
    Rule(
        "date.year_month_day",
        "DATE",
        0.98,
        _MONTHS,
        rf"(?<![\w-])(?P<phi>{_YEAR}(?:[-/]{_MONTH}[-/]|[ ](?=[A-Z]){_MONTH}[ ]){_DAY})(?!\w)",
        reach=2,
    ),
    Rule(
        "date.month_days",
        "DATE",
        0.98,
        _MONTHS,
        rf"(?P<phi>{_MONTH} ?{_DAY}){_TO}(?P<phi2>{_DAY}(?:{_OF_YEAR})?)"
        r"(?!\w| ?(?:mg|mcg|ml|%|units))",
        _names_month,
    ),
    Rule(
        "date.day_month",
        "DATE",
        0.97,
        f"NUMBER {_ORDINALS}",
        rf"{ALONE}(?P<phi>{_DAY_MONTH})(?![a-z])",
        _names_month,
    ),
    Rule(
        "date.days_month",
        "DATE",
        0.98,
        "NUMBER",
        rf"{ALONE}(?P<phi>{_PLAIN_DAY}[-\u2013]{_PLAIN_DAY} ?{_MONTH}(?:{_OF_YEAR})?)(?!\w)",
        _names_month,
    ),
    Rule(
        "date.day_foreign_month",
        "DATE",
        0.95,
        "NUMBER",
        rf"{ALONE}(?P<phi>{_PLAIN_DAY}(?: ?(?:er|\u00ba))? {_FOREIGN_MONTH}"
        rf"(?:,? (?:del? )?{_YEAR})?)(?!\w)",
    ),
    Rule(
        "date.ordinal_day",
        "DATE",
        0.72,
        _ORDINAL_CUES,
        rf"{any_of(_ORDINAL_CUES)} the (?P<phi>{_ORDINAL})(?=[.;:)]|,(?! (?:and |or )?{_ORDINAL})|"
        r"\n|$| at [0-9n]| of (?:the|this|next|last) month)",
        _is_ordinal_day,
    ),
    Rule(
        "date.month_year_words",
        "DATE",
        0.94,
        _MONTHS,
        rf"(?<!\w)(?P<phi>{_MONTH}{_OF_YEAR})",
    ),
    Rule(
        "date.months",
        "DATE",
        0.93,
        _MONTHS,
        rf"(?<!\w)(?P<phi>{_MONTH}){_TO}(?P<phi2>{_MONTH}(?:{_OF_YEAR})?)(?!\w)",
        _are_months,
    ),
    Rule(
        "date.month",
        "DATE",
        0.85,
        "january february july september october november december",
        rf"(?<!\w)(?P<phi>{any_of('january february july september october november december')})",
    ),
    Rule(
        "date.month_after_cue",
        "DATE",
        0.8,
        f"{_CUES} due (",
        rf"(?:{any_of(f'{_CUES} due')} {{1,2}}|\()(?:the )?"
        rf"(?:{any_of('early mid late middle end')}[- ])?(?:of )?(?P<phi>{_MONTH})(?![\w-]|"
        r"['\u2019]s)",
        _names_month,
    ),
    Rule(
        "date.weekday",
        "DATE",
        0.85,
        f"{_WEEKDAYS} {_WEEKDAYS.replace('day', 'days')}",
        rf"(?<!\w)(?P<phi>(?i:{'|'.join(_WEEKDAYS.split())})(?i:s)?)(?![a-z])",
    ),
    Rule(
        "date.weekday_with_date",
        "DATE",
        0.98,
        f"{_WEEKDAYS} {_SHORT_WEEKDAYS}",
        rf"(?<!\w)(?P<phi>{_WEEKDAY},?[ ]{{1,2}}(?:the )?{_DATE})(?![\w%])",
    ),
    Rule(
        "date.weekday_short",
        "DATE",
        0.8,
        f"{_CUES} due qhs",
        rf"{any_of(f'{_CUES} due')} (?:the )?(?P<phi>"
        r"(?:Mon|Tue|Wed|Thu|Thur|Fri|Sat|Sun|MON|TUE|WED|THU|FRI|tues|thurs|mon|fri|wed|weds|"
        rf"Tues|Thurs|Weds))(?![A-Za-z]|[ ]?[0-9]{{2}}%)",
    ),
    Rule(
        "date.weekday_short_capital",
        "DATE",
        0.65,
        "mon tue tues wed thu thurs fri",
        r"(?<![\w.-])(?P<phi>Mon|Tues?|Wed|Thurs?|Fri|tues|thurs)(?![\w-])",
    ),
    Rule(
        "date.weekday_letters",
        "DATE",
        0.8,
        "mwf mwfs tts tths ttsa tthsa m t tuths",
        r"(?<![\w/-])(?P<phi>MWFS?|TTH?SA?|TThSa?|TuThSa?|M[-/]W[-/]F|T[-/]Th?[-/]Sa?)(?![\w/-])"
        r"(?! (?i:balloon|dilat|clip|stent|brush))",  # through the scope
    ),
    Rule(
        "date.season_year",
        "DATE",
        0.95,
        _SEASONS,
        rf"(?<!\w)(?P<phi>{_SEASON}(?: of|,)? {{1,2}}(?:{_YEAR}|{_SHORT_YEAR}))",
    ),
    Rule(
        "date.season",
        "DATE",
        0.76,
        "in since until last this next past early late mid during over by",
        rf"{any_of('in since until last this next past early late mid during over by')}[- ]"
        r"(?:the )?(?:(?i:early|late|mid|last|next|this)[- ])?"
        r"(?P<phi>(?i:spring|summer|autumn|winter)(?i:time)?)(?![a-z]| (?:\d|ligament|coil))",
    ),
    Rule(
        "date.fall",
        "DATE",
        0.7,
        "in next early late since",
        r"(?i:(?:in|since) (?:the )?(?:early|late|mid)|early|late|next|in the)[- ]"
        r"(?P<phi>(?i:fall))(?=[.,;]| (?:of|semester|and (?:winter|spring)))",
    ),
    Rule(
        "date.holiday", "DATE", 0.9, _HOLIDAY_WORDS, rf"(?<!\w)(?P<phi>(?i:{_HOLIDAYS}))(?![a-z])"
    ),
    Rule(
        "date.year_after_cue",
        "DATE",
        0.88,
        _CUES,
        rf"{any_of(_CUES)}\s{{1,2}}(?:(?i:about|around|approximately|early|late|mid|the year)"
        rf"[- ]){{0,2}}(?P<phi>{_YEAR}){_NOT_A_YEAR}",
        _is_year,
    ),
    Rule(
        "date.years",
        "DATE",
        0.85,
        "NUMBER",
        rf"{ALONE}(?<!\$)(?P<phi>{_YEAR}){_TO}(?P<phi2>{_YEAR}){_NOT_A_YEAR}",
        _is_year,
    ),
    Rule(
        "date.year_alone",
        "DATE",
        0.7,
        "NUMBER",
        r"(?:(?<=[a-z] )|(?<=[(~])|(?<=[a-z], )|(?<=\n)|(?<=- ))"
        rf"(?P<phi>19[6-9][0-9]|20[0-9]{{2}})(?!;[0-9])"
        rf"(?=[).,;\n:]|$| [-\u2013(] ?|, ){_NOT_A_YEAR}",
        _is_year,
    ),
    Rule(
        "date.year_in_list",
        "DATE",
        0.7,
        "NUMBER",
        # 1960 to 1999 are no times of day, as their minutes would be 60 and more
        rf"(?<=[A-Za-z)] )(?P<phi>19[6-9][0-9])(?= [A-Za-z]){_NOT_A_YEAR}",
    ),
    Rule(
        "date.short_year",
        "DATE",
        0.8,
        f"{_CUES} class",
        rf"(?:{any_of(_CUES)}|class of) (?P<phi>{_SHORT_YEAR})",
    ),
    Rule(
        "date.decade",
        "DATE",
        0.85,
        "NUMBER ' \u2019",
        r"(?<![\w/.-])(?P<phi>(?:1[89]|20)[0-9]0['\u2019]?s|['\u2019][0-9]0['\u2019]?s)(?!\w)",
    ),
    Rule(
        "date.decade_short",
        "DATE",
        0.7,
        "early late mid back",
        r"(?i:early|late|mid|back in)[- ](?:the )?(?P<phi>[4-9]0['\u2019]?s)(?!\w)",
        _is_decade,
    ),
)
"""Rules for DATE with words."""
