"""Rules for the names of users."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule
from ..words import is_common, is_medical

_SERVICE = (
    # "IG" is a globulin as well, and a snap a sound.
    r"(?:(?:[Ss]nap|IG)(?=[ ]?[:=]| (?:is|as|account|handle|name|user) )|"
    r"(?i:snap ?chat|insta(?:gram)?|gamer ?tag|psn|xbox(?: live)?|play ?station|discord|tik ?tok|"
    r"venmo|cash ?app|twitter|roblox|reddit|telegram|kik))"
)
_SURE_HANDLE = re.compile(r"(?=.{0,30}[a-z])(?=.{0,30}(?:[0-9_]|[a-z][A-Z]))")
"""A token of mixed capitals, or with digits or a line in it: no word."""

_NO_HANDLE = re.compile(
    r"[Ii]g[GAMDE]|q[0-9]|(?:YouTube|WhatsApp|LinkedIn|FaceTime|iPhone|iPad|TikTok|PlayStation)\b"
)
_NEXT_WORD = re.compile(" [a-z]")


def _is_handle(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a user's name is no everyday word."""
    return not is_common(vocab, match["phi"])


def _is_service_handle(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a user's name is no word; right after a colon, no everyday one nor the first of
    several ("Twitter: posted daily").
    """
    value = match["phi"]
    if _NO_HANDLE.match(value):
        return False
    if _SURE_HANDLE.match(value):
        return True
    sentence = value.isalpha() and _NEXT_WORD.match(match.string, match.end())
    return bool(match["colon"] and not sentence) and not (
        is_common(vocab, value) or is_medical(vocab, value)
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "name.handle",
        "USERNAME",
        0.85,
        "@",
        r"(?<![\w.)-])@(?P<phi>[A-Za-z][A-Za-z0-9_]{3,30}(?:\.[A-Za-z0-9_]{2,20})?)(?![\w@])",
        _is_handle,
    ),
    Rule(
        "name.user_label",
        "USERNAME",
        0.92,
        "username user userid login logon portal handle screen",
        r"(?i:user(?: ?(?:name|id))?|log(?:in|on)(?: (?:id|name))?|portal (?:id|user(?:name)?)|"
        r"handle|screen ?name)(?:[ ]?[:=#][ ]{0,8}| is )\(?(?P<phi>[A-Za-z][\w.-]{2,30}[\w])",
        _is_handle,
    ),
    Rule(
        "name.service_handle",
        "USERNAME",
        0.9,
        "snap snapchat insta instagram ig gamer gamertag psn xbox playstation play discord tiktok "
        "tik venmo cash cashapp twitter roblox reddit telegram kik",
        rf"(?<![\w@]){_SERVICE}(?![a-z])(?: (?i:account|id|name|tag|user(?:name)?|handle|profile))?"
        r"(?:(?P<colon>[ ]?[:=][ ]{0,3})| (?:(?:is|as|under) )?)[@$]?"
        r"(?P<phi>[A-Za-z_][\w.]{1,29}(?:#[0-9]{4}|\w\w))(?![\w@%-])",
        _is_service_handle,
    ),
    Rule(
        "name.user_after_credential",
        "USERNAME",
        0.8,
        "rn md np pa do lpn pharmd",
        r"(?i:rn|md|np|pa|do|lpn|pharmd)[ ,/|\[(]{1,3}(?P<phi>[a-z]{3,12}[0-9]{1,4})(?![\w%-])",
    ),
)
"""Rules for USERNAME."""
