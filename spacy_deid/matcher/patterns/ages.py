"""Rules for ages that are too short or too rare for the tagger: units of a letter, decades."""

from __future__ import annotations

from ...annotation.candidates import CERTAIN
from ..rule import Rule
from .common import ALONE, any_of

_SEX = r"(?= (?:[MF]|male|female|boy|girl)(?![\w/.-]))"
_CHILDREN = "sibs siblings kids children sons daughters dtrs"
_DECADES = """
sexagenarian septuagenarian octogenarian octagenarian nonagenarian nonogenarian centenarian
supercentenarian
"""
_YEARS = r"(?:[1-9]|[1-9][0-9])"
_THOUSANDS = r"[0-9]{1,2},?[0-9]{3}"
_END = r"(?=[,.;)/]{0,3}(?:\s|\Z))(?! ?[A-Za-z%+])"
_WEEKS = r"w/o(?=[,.;\n]|\Z| (?:[MF]|male|female|boy|girl|infant|baby|newborn|neonate)(?![\w/.-]))"

RULES: tuple[Rule, ...] = (
    Rule(
        "age.unit",
        "AGE",
        CERTAIN,
        "NUMBER[dwmyDWMY]",
        # "10 d/o", "058Y", "2y 3m F", "7m M"; not "94 w/o oxygen"
        rf"{ALONE}(?:(?P<phi>[0-9]{{1,3}})"
        rf"(?: ?(?:[dm]/o(?!\w)|{_WEEKS})|(?<=0[0-9]{{2}})Y(?!\w)|[dwmyY]{_SEX})|"
        rf"(?P<phi2>[0-9]{{1,2}}) ?y(?:rs?)?\.?,? ?(?P<age>[0-9]{{1,2}}) ?mo?s?\.?{_SEX})",
    ),
    Rule(
        "age.well_visit",
        "AGE",
        CERTAIN,
        "wcc wcv wce well",
        # "6 mo WCC"; not "6 week check", which counts from a birth or an operation
        rf"{ALONE}(?P<phi>[0-9]{{1,2}}) ?-?(?i:m|mo|month|wk|week|y|yr|year)s?\.?[ -]?(?:old )?"
        r"(?i:wc[cve](?![ :=]{1,3}[0-9])|well[ -](?:child|baby|visit|check|exam))(?!\w)",
        reach=5,
    ),
    Rule(
        "age.milestone",
        "AGE",
        CERTAIN,
        "menarche coitarche thelarche",
        r"(?i:menarche|coitarche|thelarche)\.?(?: (?:at|age|aged|@)){0,2}[ :]{1,2}"
        rf"(?P<phi>(?![1-7](?![0-9])){_YEARS}){_END}",
    ),
    Rule(
        "age.children",
        "AGE",
        CERTAIN,
        _CHILDREN,
        # "sibs: 9, 6, 2", "kids (7, 4)"; not "sons 2, daughters 3"
        rf"{any_of(_CHILDREN)}(?::[ ]|[ ]\()(?P<phi>{_YEARS})(?:, ?| ?& ?| and )"
        rf"(?P<phi2>{_YEARS})(?:(?:, ?(?:and )?| and )(?P<age>{_YEARS}))?{_END}",
    ),
    Rule(
        "age.decade",
        "AGE",
        CERTAIN,
        " ".join(f"{word} {word}s" for word in _DECADES.split()),
        r"(?P<phi>[A-Za-z]{1,20})",
    ),
    Rule(
        "age.months",
        "AGE",
        CERTAIN,
        "month months week weeks day days",
        # "1,104 months old", "died at age 1,092 months"
        rf"{ALONE}(?:(?P<phi>{_THOUSANDS})[ -](?i:month|week|day)s?[ -](?i:old|of age)(?!\w)|"
        rf"(?i:aged?)(?: of)?:? (?P<phi2>{_THOUSANDS})[ -](?i:month|week|day)s?(?!\w))",
        reach=5,
    ),
)
"""Rules for AGE."""
