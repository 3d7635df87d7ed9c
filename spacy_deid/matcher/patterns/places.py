"""Rules for streets, hospitals, organizations, and address formats."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from string import ascii_uppercase

from spacy.vocab import Vocab

from ...annotation.candidates import CERTAIN, LIKELY, SURE
from ...text.gazetteers import PHRASE_TYPES, in_word_list, phrase_mask
from ...text.tokenizer import LOWER, UPPER
from ...tsv import read_rows
from ..rule import Rule
from .common import ALONE, BARE_WORD

_CAPITAL = (
    rf"(?:{UPPER}['\u2019]?{LOWER}{{1,20}}(?:{UPPER}{LOWER}{{1,20}})?|"
    rf"{UPPER}{{2,20}}(?!{LOWER})|(?:St|Mt|Ft|ST|MT|FT)\.|{UPPER}\.?(?= ))"
)
PLACE_WORD = rf"{_CAPITAL}(?:-{_CAPITAL})?(?:['\u2019][sS]|s['\u2019])?(?!\w)"
LINK = r"(?:[ ]{1,2}(?:&|and|of|the|for|de|del|la)){0,2}[ ]{1,2}"
HEADED = rf"{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{0,4}}[ ]{{1,2}}"
CITY = rf"{PLACE_WORD}(?:[ -]{PLACE_WORD}){{0,2}}"


_LINKS = frozenset("of and for at the".split())
_SENTENCE_WORDS = frozenset(
    "to was is has had been at in from by he she they with no not any".split()
)
"""Words that show an upper-case sentence: "RUSHED TO THE HOSPITAL"."""


def _words(text: str) -> list[str]:
    """The words of a text, lower-case, without punctuation at their ends."""
    return [word.strip(".,'\u2019").lower() for word in text.split()]


def _entry_length(text: str, vocab: Vocab, phrase_type: str) -> int:
    """Length of the longest gazetteer entry at the beginning of a text, in whole words; or 0."""
    bit = 1 << PHRASE_TYPES.index(phrase_type)
    ends = [word.end() for word in BARE_WORD.finditer(text)]
    return next((end for end in reversed(ends) if phrase_mask(vocab, text[:end]) & bit), 0)


_SUFFIXES = (
    "street st avenue ave av road rd lane ln drive dr boulevard blvd parkway pkwy highway hwy "
    "court ct terrace ter trail trl place pl way circle cir square sq plaza loop turnpike tpke "
    "route row alley crescent close heights run point pike path crossing xing expressway freeway"
)
_SOFT_SUFFIXES = "Parade Pde Grove Gardens Mews Esplanade Approach Quay Rise Walk"
"""Words with other meanings in lower case: "walk 20 Feet"."""
SUFFIX = (
    rf"(?:(?i:{'|'.join(_SUFFIXES.split())})|{'|'.join(_SOFT_SUFFIXES.split())}|"
    rf"{'|'.join(_SOFT_SUFFIXES.upper().split())}|Gr(?=[,\n]|\Z))(?![A-Za-z])\.?"
)


_NAME_OF_DOCTOR = re.compile(r"\.? (?:[A-Z]\. ?)?[A-Z][a-z]")


def _is_street(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a match is a street: not part of a sentence, not a year before a doctor."""
    words = _words(match["road"])
    if words[-1] == "dr" and _NAME_OF_DOCTOR.match(match.string, match.end("phi")):
        return False  # "2019 Echo Dr. Lee"
    return _SENTENCE_WORDS.isdisjoint(words[:-1])


_DIRECTION = r"(?:[NSEW]{1,2}\.?|North|South|East|West|NORTH|SOUTH|EAST|WEST)"
_NORTH, _EAST = r"(?:[NS]\.?|North|South|NORTH|SOUTH)", r"(?:[EW]\.?|East|West|EAST|WEST)"
_NUMBERED_ROAD = r"(?:CR|FM|SR)[ -][0-9]{1,4}[A-Z]?(?![\w%/]|[.,-][0-9]| ?m[cgl])"
"""County roads, farm roads and state routes; also creatinine, a face mask and sustained release."""
_UNIT = (
    r"(?:,?[ \n]{1,2}(?:(?i:apartment|apt|unit|suite|ste|rm|room|floor|fl|bldg|building|lot|"
    r"trailer)\.?[ ]?#?|#[ ]?)[A-Za-z0-9-]{1,6}(?!\w))?"
)
_CODES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ "
    "NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY ON QC BC AB MB NSW VIC QLD TAS "
    "ACT"
)
_ZIP = r"[0-9]{5}(?:-[0-9]{4})?(?![0-9])"
_AUSTRALIAN = (
    ("NSW|nsw", "[12][0-9]{3}"),
    ("VIC|Vic", "[38][0-9]{3}"),
    ("QLD|Qld", "[49][0-9]{3}"),
    ("SA", "5[0-9]{3}"),
    ("WA", "6[0-9]{3}"),
    ("TAS|Tas", "7[0-9]{3}"),
    ("NT", "0[89][0-9]{2}"),
    ("ACT", "(?:02|26|29)[0-9]{2}"),
)
"""Australian states and their postcodes; no other four digits match: "SA 2040", "ACT 1350"."""
_UK_AREAS = (
    "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E "
    "EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL "
    "LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM "
    "SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE"
)
_IRISH_KEYS = (
    "A41 A42 A45 A63 A67 A75 A81 A82 A83 A84 A85 A86 A91 A92 A94 A96 A98 C15 D01 D02 D03 D04 D05 "
    "D06 D07 D08 D09 D10 D11 D12 D13 D14 D15 D16 D17 D18 D20 D22 D24 D6W E21 E25 E32 E34 E41 E45 "
    "E53 E91 F12 F23 F26 F28 F31 F35 F42 F45 F52 F56 F91 F92 F93 F94 H12 H14 H16 H18 H23 H53 H54 "
    "H62 H65 H71 H91 K32 K34 K36 K45 K56 K67 K78 N37 N39 N41 N91 P12 P14 P17 P24 P25 P31 P32 P36 "
    "P43 P47 P51 P56 P61 P67 P72 P75 P81 P85 R14 R21 R32 R35 R42 R45 R51 R56 R93 R95 T12 T23 T34 "
    "T45 T56 V14 V15 V23 V31 V35 V42 V92 V93 V94 V95 W12 W23 W34 W91 X35 X42 X91 Y14 Y21 Y25 Y34 "
    "Y35"
)
_POSTCODES = (
    # British, not "L5 1ST", "PO2 3HR" or "N2 5FU"
    rf"(?:{_UK_AREAS.replace(' ', '|')})[0-9][0-9A-Z]? [0-9](?!(?:ST|ND|RD|TH|[HY]R|PT|FU)(?!\w))"
    "[ABD-HJLNP-UW-Z]{2}",
    # Canadian, not "T1N0M0"
    "[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z][ -][0-9][ABCEGHJ-NPRSTV-Z][0-9]",
    # Irish, not "P85 RR18" or "D10 20CC"
    rf"(?:{_IRISH_KEYS.replace(' ', '|')}) "
    r"(?!(?:HR|[PR]R|[PRTW])[0-9]{2,3}(?!\w)|[0-9]{2}[A-Z])"
    "(?=[0-9]{0,3}[A-Z])(?=[A-Z]{0,3}[0-9])[0-9AC-FHKNPRTV-Y]{4}",
)
_AMBIGUOUS_STATES = frozenset(("SA", "WA", "NT", "ACT"))
_AUSTRALIAN_STATE = "|".join(
    rf"(?:{state})(?=,?[ ]{{1,3}}{code}(?![\w%]|[-./:]\w))" for state, code in _AUSTRALIAN
)


def _is_city(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a city precedes the state; "NT" also means other things: "Soft, NT 0800"."""
    last = _words(match["city"])[-1]
    if match["phi"] not in _AMBIGUOUS_STATES or in_word_list(vocab, last, "city_word"):
        return True
    return not in_word_list(vocab, last, "common_word")


def _institutions(phi_type: str) -> tuple[str, str]:
    """The triggers and the pattern of the words that end the names of institutions of a type."""
    triggers, patterns = [], []
    for row_type, *columns in read_rows(Path(__file__).with_name("institutions.tsv")):
        if row_type == phi_type:
            words = [sorted(column.split("; "), key=len, reverse=True) for column in columns]
            triggers += [re.split(r"[^a-z]", word)[0] for word in words[0]]
            patterns.append(" ".join(f"(?:{'|'.join(map(re.escape, column))})" for column in words))
    return " ".join(dict.fromkeys(triggers)), "|".join(patterns)


_HOSPITAL_TRIGGERS, _HOSPITAL = _institutions("HOSPITAL")
_ORGANIZATION_TRIGGERS, _ORGANIZATION = _institutions("ORGANIZATION")


def _is_institution(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words before the head identify an institution: not "pain clinic"."""
    words = _words(match["lead"])
    if words[0] in _LINKS or not _SENTENCE_WORDS.isdisjoint(words) or match["head"].islower():
        return False
    parts = [part for word in words for part in word.split("-")]
    return any(_tells_apart(part, vocab) for part in parts)


def _tells_apart(word: str, vocab: Vocab) -> bool:
    """Whether a word is part of a hospital name, or not an everyday word."""
    return in_word_list(vocab, word, "hospital_word") or not in_word_list(
        vocab, word, "common_word"
    )


def _listed_length(text: str, vocab: Vocab, phrase_type: str) -> int:
    """Like `_entry_length`, but only for names of several words; a single one is too ambiguous."""
    length = _entry_length(text, vocab, phrase_type)
    return length if re.search(r"[ -]", text[:length]) else 0


RULES: tuple[Rule, ...] = (
    Rule(
        "location.street",
        "STREET",
        SURE,
        "NUMBER SLASHED",
        rf"{ALONE}(?P<phi>(?:(?i:unit|flat|apt)[ ](?=[0-9]{{1,4}}[A-Z]?/))?(?:[0-9]{{1,4}}[A-Z]?/)?"
        r"[0-9]{1,6}(?:-[0-9]{1,4})?[A-Z]?(?: 1/2)?[ ]{1,2}"
        rf"(?:{_DIRECTION}[ ])?(?P<road>(?:The )?(?:Esplanade|ESPLANADE)(?=,)|"
        rf"(?:{PLACE_WORD}|[0-9]{{1,3}}(?:st|nd|rd|th|ST|ND|RD|TH))"
        rf"(?:[ ]{PLACE_WORD}){{0,3}}?[ ]{{1,2}}{SUFFIX})(?:[ ]{_DIRECTION}(?!\w))?{_UNIT})",
        _is_street,
        reach=1,
    ),
    Rule(
        "location.box",
        "STREET",
        CERTAIN,
        "psc cmr unit hc rr",
        r"(?P<phi>(?i:psc|cmr|unit|hc|rr)[ ]#?[0-9]{1,5}[A-Z]?,?[ ](?i:box)[ ]#?[0-9]{1,5}[A-Z]?)"
        r"(?!\w)",
    ),
    Rule(
        "location.grid",
        "STREET",
        CERTAIN,
        "n s e w north south east west",
        # "88 W 200 S"; two small numbers are wards.
        rf"{ALONE}(?=[0-9]{{3}}|[0-9]{{1,2}}[ ][A-Za-z.]{{1,5}}[ ][0-9]{{3}})"
        rf"(?P<phi>[0-9]{{1,5}}[ ](?:{_NORTH}[ ][0-9]{{1,5}}[ ]{_EAST}|"
        rf"{_EAST}[ ][0-9]{{1,5}}[ ]{_NORTH}))(?![\w/'\u2019-])",
        reach=3,
    ),
    Rule(
        "location.house_on_road",
        "STREET",
        SURE,
        "cr fm sr",
        # Not among results: "BUN 140 CR 119".
        rf"(?:(?<!\S)(?<![\w)] )|(?<=\b(?:at|of|to|is) ))(?P<phi>[0-9]{{3,6}}[ ]"
        rf"(?:{_DIRECTION}[ ])?{_NUMBERED_ROAD})",
        reach=2,
    ),
    Rule(
        "location.on_road",
        "STREET",
        CERTAIN,
        "lives living lived resides residing mvc mva crash crashed wreck accident collision "
        "rollover",
        r"(?i:live[sd]|living|resid(?:es|ing)|mv[ca]|crash(?:ed)?|wreck|accident|collision|"
        rf"rollover)[ ](?:out[ ])?(?:on|off|near|along|at|down|by)[ ](?P<phi>{_NUMBERED_ROAD})",
    ),
    Rule(
        "location.military_post",
        "CITY",
        CERTAIN,
        "apo fpo dpo",
        rf"(?P<phi>(?i:[afd]po)),?[ ](?P<state>(?i:a[aep]))[ ]{{1,2}}(?P<zip>{_ZIP})",
    ),
    Rule(
        "location.australia",
        "STATE",
        CERTAIN,
        "nsw vic qld sa wa tas nt act",
        rf"(?<![\w'\u2019-])(?P<city>{CITY}),?[ ](?P<phi>{_AUSTRALIAN_STATE})"
        r",?[ ]{1,3}(?P<zip>[0-9]{4})",
        _is_city,
        reach=6,
    ),
    Rule(
        "location.postcode",
        "ZIP",
        CERTAIN,
        f"NUMBER[{ascii_uppercase}]",
        rf"(?<![\w-])(?P<phi>{'|'.join(_POSTCODES)})(?![\w-])",
        reach=3,
    ),
    Rule(
        "location.state_of_plate",
        "STATE",
        LIKELY,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')})"
        r"(?= (?i:plates?|licen[cs]e|lic\.|dl|drivers?)(?![a-z]))",
    ),
    Rule(
        "location.hospital",
        "HOSPITAL",
        LIKELY,
        _HOSPITAL_TRIGGERS,
        rf"(?<![\w-])(?P<phi>(?P<lead>{HEADED})(?P<head>(?i:{_HOSPITAL}))(?!\w)"
        rf"(?:[ ](?:of|at)[ ](?:the )?{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}})?)",
        _is_institution,
        reach=9,
    ),
    Rule(
        "location.hospital_known",
        "HOSPITAL",
        LIKELY,
        "at from to of via through",
        r"(?i:at|from|to|of|via|through)[ ](?:the )?"
        rf"(?P<phi>{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{0,6}})",
        cut=partial(_entry_length, phrase_type="HOSPITAL"),
    ),
    Rule(
        "location.organization",
        "ORGANIZATION",
        LIKELY,
        _ORGANIZATION_TRIGGERS,
        rf"(?<![\w-])(?P<phi>(?P<lead>{HEADED})(?P<head>(?i:{_ORGANIZATION}))(?!\w)"
        rf"(?:[ ]of[ ]{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}})?)",
        _is_institution,
        reach=9,
    ),
    Rule(
        "location.organization_listed",
        "ORGANIZATION",
        LIKELY,
        "ORGANIZATION_WORD",
        rf"(?<![\w-])(?P<phi>{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{1,4}})",
        cut=partial(_listed_length, phrase_type="ORGANIZATION"),
    ),
)
