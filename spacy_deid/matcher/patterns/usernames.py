"""Rules for the names of users."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..rule import Rule
from ..words import is_common


def _is_handle(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a user's name is no everyday word."""
    return not is_common(vocab, match["phi"])


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
        "name.user_after_credential",
        "USERNAME",
        0.8,
        "rn md np pa do lpn pharmd",
        r"(?i:rn|md|np|pa|do|lpn|pharmd)[ ,/|\[(]{1,3}(?P<phi>[a-z]{3,12}[0-9]{1,4})(?![\w%-])",
    ),
)
"""Rules for USERNAME."""
