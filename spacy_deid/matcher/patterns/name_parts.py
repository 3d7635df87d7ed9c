"""What persons' names are made of."""

from __future__ import annotations

from ...tokenizer import LOWER, UPPER

_MARK = r"['\u2019]"
_TITLE_CASE = (
    rf"(?:[DLO]{_MARK}|Ma?c|[DL][aeiu]|V[ao]n|Fitz|Ben|Ste?)?{UPPER}(?:{_MARK}?{LOWER}){{1,20}}"
)
_CAPITALS = rf"(?:[DLO]{_MARK})?(?:M[AaCc]{{1,2}})?{UPPER}{{2,20}}(?!{LOWER})"
_SYLLABLE = rf"(?!like|type|free|only|aged?|old|up|out|in|on|off|to|and|or){LOWER}{{2,4}}(?!\w)"
WORD = (
    rf"(?:{_TITLE_CASE}|{_CAPITALS})(?:[-\u2013](?:{_TITLE_CASE}|{_CAPITALS}|{_SYLLABLE})){{0,2}}"
    r"(?!\w|@)"
)
_INITIAL = rf"{UPPER}(?:\.{UPPER})?(?:\.|(?!\w|[-/&@]|{_MARK}))"
_PARTICLE = (
    r"(?:(?i:van|von|de|del|della|der|den|la|las|los|le|du|da|dos|di|bin|ibn|al|el|ter|ten|zu|y|"
    r"san|santa|abu)[ -]){0,2}"
)
_NEXT_FIELD = r"[A-Z][A-Za-z]{0,20}(?: [a-z]{1,15}){0,2}[ ]?:"
GAP = (
    rf"(?:[ ](?![ ])|[ ]{{2}}(?!{_NEXT_FIELD})|"
    rf"[ ]?\n[ ]{{0,8}}(?![A-Z]{{2,20}}, ?[A-Z]{{2}}|{_NEXT_FIELD}))"
)
"""Between the parts of a name. After a wide gap or on the next line, "BUI, DUC" is another's name,
"Service:" and "Code status:" are other fields."""
PART = rf"{_PARTICLE}(?:{WORD}|{_INITIAL})"
_NICKNAME = rf"(?:[ ][\"\u201c(]{WORD}[\"\u201d)])?"
_SUFFIX = r"(?:,? (?:(?:Jr|Sr|JR|SR)(?!\w)\.?|I{2,3}(?!\w)|IV(?!\w)))?"
NAME = rf"{PART}(?:{_NICKNAME}{GAP}{PART}){{0,3}}{_SUFFIX}"
"""A name as it is spoken: "Maria de la Cruz", "J. R. O'BRIEN-LEE, Jr"."""

LAST = rf"{_PARTICLE}{WORD}(?:[ ]{WORD})?"
GIVEN = rf"{WORD}(?:[ ]{_INITIAL})?"
LAST_FIRST = rf"{LAST}{_SUFFIX},[ ]{{0,2}}{PART}(?:[ ]{PART}){{0,2}}"
"""A name as forms have it: "WHITACRE, ORVILLE T"."""

EVERYDAY = rf"(?:Will|WILL|May|MAY|Lane|LANE)(?:[ ]{_INITIAL})?[ ]{WORD}"
"""A name that begins with a word of every sentence: "Will Tate"."""
