"""Rules for dates with words: months, weekdays, seasons, holidays, years and decades."""

from __future__ import annotations

from ...english import DAYS, RANGE
from ..rule import Rule
from .calendar_guards import (
    MONTH,
    MONTHS,
    are_months,
    is_decade,
    is_lone_year,
    is_ordinal_day,
    is_year,
    names_month,
)
from .common import ALONE, any_of
from .dates import ISO, NUMERIC, SLASHED

_YEAR = r"(?:1[89][0-9]{2}|20[0-9]{2}|2100)(?![0-9])"
_SHORT_YEAR = r"['\u2019][0-9]{2}(?![0-9\w])"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?![0-9:/%]|[.,][0-9])(?:[ ]?(?i:st|nd|rd|th)(?![a-z]))?"
_PLAIN_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])"
_ORDINAL_CUES = "on for by until since"
_ORDINALS = [day for day in DAYS if "-" not in day]
_ORDINAL = rf"(?i:(?:twenty|thirty)[- ])?(?i:{'|'.join(_ORDINALS)})(?![a-z])"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_SHORT_WEEKDAYS = "mon tue tues wed thu thur thurs fri sat sun"
_WEEKDAY = rf"{any_of(f'{_WEEKDAYS} {_SHORT_WEEKDAYS}')}\.?"

_OF_YEAR = rf"(?:,? (?:of )?|,|-|/)?[ \n]{{0,2}}(?:{_YEAR}|{_SHORT_YEAR})"
_MONTH_DAY = (
    rf"{MONTH}[ -]{{0,2}}(?:\n(?! ?[0-9]{{1,2}}[.)]))?[ ]?(?:the )?(?:{_DAY}|{_ORDINAL})(?!\w)"
    rf"(?:{_OF_YEAR})?"
)
_DAY_MONTH = (
    rf"(?:{_DAY}|{_ORDINAL})[ -]?\n?(?:(?:day )?of )?{MONTH}(?:{_OF_YEAR}|-?[0-9]{{2}}(?![0-9:]))?"
)
_DATE = rf"(?:{NUMERIC}|{ISO}|{_MONTH_DAY}|{_DAY_MONTH}|{SLASHED})"
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

RULES: tuple[Rule, ...] = (
    Rule(
        "date.month_day",
        "DATE",
        0.97,
        MONTHS,
        rf"(?<!\w)(?P<phi>{_MONTH_DAY})(?!\w| ?(?:mg|mcg|ml|%|units|x ))",
        names_month,
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
        "date.day_month",
        "DATE",
        0.97,
        f"NUMBER twenty thirty {' '.join(_ORDINALS)}",
        rf"{ALONE}(?P<phi>{_DAY_MONTH})(?![a-z])",
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
        is_ordinal_day,
    ),
    Rule(
        "date.month_year_words",
        "DATE",
        0.94,
        MONTHS,
        rf"(?<!\w)(?P<phi>{MONTH}{_OF_YEAR})",
    ),
    Rule(
        "date.months",
        "DATE",
        0.93,
        MONTHS,
        rf"(?<!\w)(?P<phi>{MONTH}){RANGE}(?P<phi2>{MONTH}(?:{_OF_YEAR})?)(?!\w)",
        are_months,
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
        rf"(?:{any_of('early mid late middle end')}[- ])?(?:of )?(?P<phi>{MONTH})(?![\w-]|"
        r"['\u2019]s)",
        names_month,
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
        is_year,
    ),
    Rule(
        "date.years",
        "DATE",
        0.85,
        "NUMBER",
        rf"{ALONE}(?<!\$)(?P<phi>{_YEAR}){RANGE}(?P<phi2>{_YEAR}){_NOT_A_YEAR}",
        is_year,
    ),
    Rule(
        "date.year_alone",
        "DATE",
        0.7,
        "NUMBER",
        r"(?:(?<=[a-z] )|(?<=[(~])|(?<=[a-z], )|(?<=\n)|(?<=- ))"
        rf"(?P<phi>19[6-9][0-9]|20[0-9]{{2}})(?!;[0-9])"
        rf"(?=[).,;\n:]|$| [-\u2013(] ?|, ){_NOT_A_YEAR}",
        is_lone_year,
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
        is_decade,
    ),
)
"""Rules for DATE with words."""
