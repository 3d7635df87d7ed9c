"""Rules for telephone and fax numbers, e-mail and web addresses."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule
from .common import ALONE, ANSWER, END, left_of

_EXTENSION = r"(?:[ ,;]{0,3}(?:(?i:extension|ext)[.:]?|[xX]\.?)[ #]{0,2}[0-9]{1,6}(?![0-9/%]))?"
_US = (
    rf"(?:\+?1[-. ]{{0,2}})?(?:\([0-9]{{3}}\)[-. ]{{0,2}}|[0-9]{{3}}[-. /]{{1,2}})"
    rf"[0-9]{{3}}[-. ]{{1,2}}[0-9]{{4}}{END}"
)
_SEVEN = rf"[0-9]{{3}}[-. ][0-9]{{4}}{END}"
_GROUPS = r"[0-9]{2,5}(?:[ -]{1,2}[0-9]{2,5}){1,4}"
_ABROAD = (
    rf"(?:\+[1-9][0-9]{{0,2}}[ .-]{{0,2}}(?:\(0?[0-9]{{0,4}}\)[ .-]{{0,2}})?[0-9]{{1,5}}"
    rf"(?:[ .-]{{0,2}}[0-9]{{2,4}}){{1,5}}|\(0[0-9]{{1,4}}\) ?{_GROUPS}|"
    rf"0[0-9]{{2,5}}[ -]{_GROUPS}|0[1-9][0-9]{{8,9}}|1[38]00 [0-9]{{3}} [0-9]{{3}}){END}"
)
_FULL = rf"(?:{_US}|[0-9]{{10}}{END}|{_ABROAD}|{_SEVEN}){_EXTENSION}"
_TO_NUMBER = (
    r"(?:[ \t]{0,2}(?i:#|nos?\.|numbers?|no|line|phone|is|at|to|on|it to|report to)"
    rf"(?![a-z])){{0,3}}(?:{ANSWER}|[ \t]{{0,3}}[:.#]{{0,2}}\s{{0,12}})"
)
_WEB_END = r"[\w/#&=%~+-]"
_TOP_LEVEL = r"(?:com|org|net|edu|gov|health|info|example|(?:co|org|ac|nhs)\.uk|com\.au|gov\.au|ca)"
"""Last labels that make a host of any word."""


_ROUND_RANGE = re.compile(r"([0-9]{3})-([0-9]{4})")
_PHONE_CUE = re.compile(
    r"(?:number|desk|office|clinic|pharmacy|store|lab)(?: is)?[ \t:#]{1,4}\Z", re.IGNORECASE
)


def _is_ip(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the four parts of an address are bytes, the first of them not 0."""
    parts = [int(part) for part in match["phi"].split("/")[0].split(".")]
    return parts[0] > 0 and max(parts) < 256


def _is_no_range(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether seven digits are no range of doses or counts: "650-1000", "500-1200"."""
    parts = _ROUND_RANGE.fullmatch(match["phi"])
    if parts is None or _PHONE_CUE.search(left_of(match, 30, "phi")):
        return True
    first, second = int(parts[1]), int(parts[2])
    return not (first < second and first % 25 == 0 and second % 50 == 0)


RULES: tuple[Rule, ...] = (
    Rule(
        "contact.email",
        "EMAIL",
        0.99,
        "MAIL",
        r"(?P<phi>[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})",
        reach=6,
    ),
    Rule(
        "contact.url",
        "URL",
        0.99,
        "WEB",
        rf"(?P<phi>(?i:(?:https?|s?ftp)://|www\.)[^\s<>\"']{{1,999}}{_WEB_END})",
    ),
    Rule(
        "contact.domain",
        "URL",
        0.9,
        "WEB",
        rf"(?<![@\w.-])(?P<phi>[A-Za-z0-9][\w-]{{0,62}}(?:\.[\w-]{{1,63}}){{0,3}}\.{_TOP_LEVEL}"
        rf"(?:/(?:[^\s<>\"']{{0,500}}{_WEB_END})?)?)(?![\w@])",
    ),
    Rule(
        "contact.ip",
        "IPADDR",
        0.97,
        "DOTTED",
        rf"{ALONE}(?P<phi>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?:/[0-9]{{1,2}})?)(?![0-9.]\w)",
        _is_ip,
    ),
    Rule(
        "contact.ip6",
        "IPADDR",
        0.95,
        "NUMBER CLOCK fe fd fc",
        r"(?<![\w:.])(?P<phi>(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|"
        r"(?=[0-9:]{0,9}[0-9a-fA-F])[0-9a-fA-F]{3,4}(?::[0-9a-fA-F]{1,4}){0,6}::"
        r"(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,6})?)(?![\w:])",
    ),
    Rule(
        "contact.seven",
        "PHONE",
        0.76,
        "GROUPED",
        rf"{ALONE}(?P<phi>{_SEVEN}{_EXTENSION})(?! ?m)",
        _is_no_range,
    ),
    Rule(
        "contact.phone_label",
        "PHONE",
        0.95,
        "phone phones telephone tel tele ph cell cellphone mobile home work office callback "
        "hotline pager beeper call called contact reach reached line direct dial text",
        r"(?i:tele(?:phone)?|phones?|tel|ph|cell(?:phone)?|mobile|home|work|office|callback|"
        r"hotline|pager|beeper|call(?:ed)?|contact|reach(?:ed)?|line|direct|dial|text)(?![a-z])"
        rf"\.?\)?{_TO_NUMBER}(?P<phi>{_FULL})",
    ),
    Rule(
        "contact.extension",
        "PHONE",
        0.88,
        "x ext extn extension",
        rf"(?:(?i:(?<!flex/)(?:extension|extn|ext))(?![a-z])\.?[ \t]{{0,2}}[:#]?[ \t]{{0,2}}|"
        # No range of motion: "ext 0-130", "ext 5-110".
        rf"(?<![\w)] )(?<![\w)])[xX])(?!0-|5-1[0-4][05](?![0-9]))"
        rf"(?P<phi>[0-9]-?[0-9]{{3,5}}|(?<=[a-z.:# ])[0-9]{{3,6}}){END}(?![a-z%]| ?(?:deg|\u00b0))",
    ),
    Rule(
        "contact.fax",
        "FAX",
        0.98,
        "fax fx faxed facsimile f",
        r"(?:(?i:fax(?:ed)?|fx|facsimile)(?![a-z])|[fF](?=[.:] ?\(?[0-9]))\.?\)?"
        rf"(?:[ ]?(?i:machine|line|results|records|this)){{0,2}}{_TO_NUMBER}(?P<phi>{_FULL})",
    ),
)
"""Rules for PHONE, FAX, EMAIL, URL and IPADDR."""
