"""Rules for telephone and fax numbers, e-mail addresses and URLs."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...annotation.candidates import CERTAIN, LIKELY, SURE
from ..rule import Rule
from .common import ALONE, ANSWER, END, any_of, in_list

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
_SPELLED = rf"[0-9](?:[- ][0-9]){{6}}(?:(?:[- ][0-9]){{3}})?{END}(?![- ][0-9])"
_FULL = rf"(?:{_US}|[0-9]{{10}}{END}|{_SPELLED}|{_ABROAD}|{_SEVEN}){_EXTENSION}"
_TO_NUMBER = (
    r"(?:[ \t]{0,2}(?i:#|nos?\.|numbers?|no|line|phone|is|at|to|on|it to|report to)"
    rf"(?![a-z])){{0,3}}(?:{ANSWER}|[ \t]{{0,3}}[:.#]{{0,2}}\s{{0,12}})"
)
_PROVIDER = "(?i:gmail|googlemail|hotmail|outlook|yahoo|ymail|icloud|aol|protonmail)"
_DOT_COM = r"(?: ?[.,] ?| (?i:dot) )(?i:com|net|org|co\.uk|ca)(?![\w-])"
_WEB_END = r"[\w/#&=%~+-]"
_TOP_LEVEL = r"(?:com|org|net|edu|gov|health|info|example|(?:co|org|ac|nhs)\.uk|com\.au|gov\.au|ca)"
"""Top-level domains that make any word a host."""
_LABEL = r"[a-z0-9][a-z0-9-]{1,62}\."
_LINK = (
    rf"(?:(?:bit\.ly|doxy\.me|forms\.gle|gofund\.me|goo\.gl|linktr\.ee|wa\.me|youtu\.be)|"
    rf"(?:{_LABEL}){{2,4}}(?:us|me|gl|gle|co|ly|ee|tv|app|blog))"
)
"""Hosts of links: "clear.co/wheezes" lacks blanks, "craig.zoom.us/j/9" does not."""
_OWNERS = (
    "pt patient wife husband hubby spouse partner mom mother dad father son dtr daughter sister "
    "brother bro sis aunt uncle cousin neighbor friend home hm work wk cell mobile"
)


def _is_ip(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the four parts of an address are bytes, the first one not 0."""
    parts = [int(part) for part in match["phi"].split("/")[0].split(".")]
    return parts[0] > 0 and max(parts) < 256


RULES: tuple[Rule, ...] = (
    Rule(
        "contact.email",
        "EMAIL",
        CERTAIN,
        "MAIL",
        r"(?P<phi>[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})",
        reach=6,
    ),
    Rule(
        "contact.email_spelled",
        "EMAIL",
        CERTAIN,
        "at",
        r"(?P<phi>[\w.+%'-]{1,64} ?[\[(](?i:at)[\])] ?"
        r"[\w-]{1,63}(?:(?: ?[\[(](?i:dot)[\])] ?|\.(?![A-Z][a-z]))[\w-]{1,63}){1,5})",
        reach=6,
    ),
    Rule(
        "contact.email_provider",
        "EMAIL",
        CERTAIN,
        "gmail googlemail hotmail outlook yahoo ymail icloud aol protonmail WEB",
        # "jo.lee (at) gmail", "jo at gmail dot com"
        r"(?P<phi>[\w.+%'-]{1,64}(?:(?: ?@ ?| ?[\[(](?i:at)[\])] ?)"
        rf"{_PROVIDER}(?![\w-])(?:{_DOT_COM})?| (?i:at) {_PROVIDER}{_DOT_COM}))",
        reach=8,
    ),
    Rule(
        "contact.handle",
        "USERNAME",
        CERTAIN,
        "instagram insta ig snapchat snap tiktok wechat chat telegram discord venmo cashapp cash "
        "skype gamertag psn kik",
        # A handle has a digit, an underscore, or a point or capital inside.
        r"(?i:instagram|insta|ig|snap(?:chat)?|tiktok|wechat|telegram|discord|venmo|cash ?app|"
        r"skype|gamertag|psn|kik)(?![\w-])"
        r"(?: (?i:acct|account|handle|user(?:name)?|id|name|is)){0,2}[ :]{1,3}"
        r"(?P<phi>[@$]?[A-Za-z](?=\w{0,30}(?:[0-9_]|[a-z][A-Z]|\.\w))[\w.]{2,30}\w)",
        reach=1,
    ),
    Rule(
        "contact.url",
        "URL",
        CERTAIN,
        "WEB",
        rf"(?P<phi>(?i:(?:https?|s?ftp)://|www\.)[^\s<>\"']{{1,999}}{_WEB_END})",
    ),
    Rule(
        "contact.link",
        "URL",
        CERTAIN,
        "be[/] ee[/] ly[/] me[/] gl[/] gle[/] us[/] co[/] tv[/] app[/] blog[/]",
        rf"(?<![@\w.-])(?P<phi>{_LINK}/(?=[\w@?#])[^\s<>\"']{{0,99}}{_WEB_END})",
        reach=10,
    ),
    Rule(
        "contact.host",
        "URL",
        CERTAIN,
        "app blog us",
        rf"(?<![@\w.-])(?P<phi>(?:{_LABEL}){{1,3}}(?:app|blog)|(?:{_LABEL}){{0,2}}zoom\.us)"
        r"(?![\w@/-]|\.\w)",
        reach=10,
    ),
    Rule(
        "contact.domain",
        "URL",
        SURE,
        "WEB",
        rf"(?<![@\w.-])(?P<phi>[A-Za-z0-9][\w-]{{0,62}}(?:\.[\w-]{{1,63}}){{0,3}}\.{_TOP_LEVEL}"
        rf"(?:/(?:[^\s<>\"']{{0,500}}{_WEB_END})?)?)(?![\w@])",
    ),
    Rule(
        "contact.ip",
        "IPADDR",
        CERTAIN,
        "DOTTED",
        rf"{ALONE}(?P<phi>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?:/[0-9]{{1,2}})?)(?![0-9.]\w)",
        _is_ip,
    ),
    Rule(
        "contact.ip6",
        "IPADDR",
        SURE,
        "NUMBER[:abcdefABCDEF] CLOCK fe fd fc",
        r"(?<![\w:.])(?P<phi>(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|"
        r"(?=[0-9:]{0,9}[0-9a-fA-F])[0-9a-fA-F]{3,4}(?::[0-9a-fA-F]{1,4}){0,6}::"
        r"(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,6})?)(?![\w:])",
    ),
    Rule(
        "contact.seven",
        "PHONE",
        LIKELY,
        "GROUPED",
        # Not "650-1000": ranges of doses or counts have round ends.
        rf"{ALONE}(?![0-9]{{2}}[05]-[1-9][0-9][05]0)(?P<phi>{_SEVEN}{_EXTENSION})(?! ?m)",
    ),
    Rule(
        "contact.uk_mobile",
        "PHONE",
        CERTAIN,
        "NUMBER",
        rf"{ALONE}(?P<phi>07[0-9]{{3}}[ -]?[0-9]{{3}}[ -]?[0-9]{{3}}){END}",
    ),
    Rule(
        "contact.phone_label",
        "PHONE",
        SURE,
        "phone phones telephone tel tele ph cell cellphone mobile home work office callback "
        "hotline pager beeper call called contact reach reached line direct dial text",
        r"(?i:tele(?:phone)?|phones?|tel|ph|cell(?:phone)?|mobile|home|work|office|callback|"
        r"hotline|pager|beeper|call(?:ed)?|contact|reach(?:ed)?|line|direct|dial|text)(?![a-z])"
        rf"\.?\)?{_TO_NUMBER}(?P<phi>{_FULL})",
    ),
    Rule(
        "contact.extension",
        "PHONE",
        LIKELY,
        "x ext extn extension",
        r"(?:(?i:extension|extn|ext)(?![a-z])\.?[ \t]{0,2}[:#]?[ \t]{0,2}|"
        r"(?<![\w)] )(?<![\w)])[xX])"
        rf"(?P<phi>[0-9]-?[0-9]{{3,5}}|(?<=[a-z.:# ])[0-9]{{3,6}}){END}(?![a-z%])",
    ),
    Rule(
        "contact.pagers",
        "PHONE",
        CERTAIN,
        "NUMBER",
        rf"{ALONE}(?P<phi>[0-9]{{3,6}}){END}",
        in_list(
            r"(?:pagers|bleeps|beepers)(?: are)?:?",
            r"[0-9]{3,6}(?:[,;] ?| ?[/&] ?|,? (?:and|or) )",  # "pagers 4410, 4423 or "
        ),
    ),
    Rule(
        "contact.handset",
        "PHONE",
        CERTAIN,
        "vocera ascom spectralink",
        r"(?i:vocera|ascom|spectralink)(?: (?i:phone|no\.?|ext\.?))?[ :#]{1,3}"
        # four digits may be a time
        rf"(?P<phi>[0-9]-[0-9]{{3,5}}|[0-9]{{5,6}}|(?!(?:[01][0-9]|2[0-3])[0-5])[0-9]{{4}}){END}",
    ),
    Rule(
        "contact.tail",
        "PHONE",
        CERTAIN,
        "GROUPED",
        # "555-0142/0143", "555-0142 (pt), 0143 (wife)"
        r"(?:[0-9]{3}[-.]){1,2}[0-9]{4}(?:/|(?: \(?[A-Za-z]{1,10}\)?)?(?:[,;]| or) "
        rf"(?=[0-9]{{4}} \(?{any_of(_OWNERS)}\)?(?:[.,;\n]|\Z)))"
        rf"(?P<phi>(?!(?:1[0-9]|2[0-3])[0-5])[0-9]{{4}})(?![\w/-])",
    ),
    Rule(
        "contact.fax",
        "FAX",
        CERTAIN,
        "fax fx faxed facsimile f",
        r"(?:(?i:fax(?:ed)?|fx|facsimile)(?![a-z])|[fF](?=[.:] ?\(?[0-9]))\.?\)?"
        rf"(?:[ ]?(?i:machine|line|results|records|this)){{0,2}}{_TO_NUMBER}(?P<phi>{_FULL})",
    ),
)
"""Rules for PHONE, FAX, EMAIL, URL and IPADDR."""
