"""Rules for ages that are too short for the tagger: units of a letter, lists, milestones."""

from __future__ import annotations

from ..rule import CERTAIN, Rule
from .common import ALONE, any_of

_SEX = r"(?= (?:[MF]|male|female|boy|girl)(?![\w/.-]))"
_YEARS = r"(?:[1-9]|[1-9][0-9])(?![\w%/-]|[.,][0-9]| ?(?:%|mg|mos?\b|wks?\b|y(?:ea)?rs?\b))"
_AND = r"(?:, ?(?:and )?| ?& ?| and )"

RULES: tuple[Rule, ...] = (
    Rule(
        "age.unit",
        "AGE",
        CERTAIN,
        "NUMBER[dwmyDWMY]",
        # "10 d/o", "058Y", "2y 3m F", "7m M"
        rf"{ALONE}(?:(?P<phi>[0-9]{{1,3}})"
        rf"(?: ?[dwm]/o(?!\w)|(?<=0[0-9]{{2}})Y(?!\w)|[dwmyY]{_SEX})|"
        rf"(?P<phi2>[0-9]{{1,2}}) ?y(?:rs?)?\.?,? ?(?P<age>[0-9]{{1,2}}) ?mo?s?\.?{_SEX})",
    ),
    Rule(
        "age.milestone",
        "AGE",
        CERTAIN,
        "menarche menopause menop coitarche thelarche",
        r"(?i:menarche|menopause|menop|coitarche|thelarche)\.?(?: (?:at|age|aged|@)){0,2}[ :]{1,2}"
        rf"(?P<phi>(?![1-7](?![0-9])){_YEARS})",
    ),
    Rule(
        "age.children",
        "AGE",
        CERTAIN,
        "sibs siblings kids children sons daughters dtrs",
        rf"{any_of('sibs siblings kids children sons daughters dtrs')}:?[ ]\(?(?P<phi>{_YEARS})"
        rf"{_AND}(?P<phi2>{_YEARS})(?:{_AND}(?P<age>{_YEARS}))?",
    ),
)
"""Rules for AGE."""
