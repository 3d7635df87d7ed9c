"""Rules for streets, cities, states, countries, postcodes and rooms."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ...gazetteers import PHRASE_TYPES, in_word_list, phrase_mask
from ..rule import Rule
from ..words import STOP_WORDS, entry_length, is_common
from .common import ALONE
from .place_words import CITY, GENERIC, PLACE_WORD, is_plain, words_of

_SUFFIXES = (
    "street st avenue ave av road rd lane ln drive dr boulevard blvd parkway pkwy highway hwy "
    "court ct terrace ter trail trl place pl way circle cir square sq plaza loop turnpike tpke "
    "route row alley crescent close heights run point pike path crossing xing expressway freeway"
)
_SUFFIX = rf"(?i:{'|'.join(_SUFFIXES.split())})(?![A-Za-z])\.?"
_SURE_SUFFIX = (
    r"(?i:street|avenue|ave|road|rd|lane|drive|boulevard|blvd|parkway|pkwy|highway|turnpike|"
    r"terrace|st(?=\.?(?:[,\n]|\Z)))(?![A-Za-z])\.?"
)
_DIRECTION = r"(?:[NSEW]{1,2}\.?|North|South|East|West|NORTH|SOUTH|EAST|WEST)"
_UNIT = (
    r"(?:,?[ \n]{1,2}(?:(?i:apartment|apt|unit|suite|ste|rm|room|floor|fl|bldg|building|lot|"
    r"trailer)\.?[ ]?#?|#[ ]?)[A-Za-z0-9-]{1,6}(?!\w))?"
)
_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|"
    "Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|"
    "Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|"
    "New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Puerto Rico|"
    "Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming|Ontario|Quebec|Alberta|Manitoba|Saskatchewan|Nova Scotia|"
    "British Columbia|New South Wales|Queensland|Tasmania"
)
_STATE_WORDS = (
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia "
    "hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts "
    "michigan minnesota mississippi missouri montana nebraska nevada new ohio oklahoma oregon "
    "pennsylvania puerto rhode tennessee texas utah vermont virginia washington north south west "
    "wisconsin wyoming ontario quebec alberta manitoba saskatchewan nova british queensland "
    "tasmania"
)
_CODES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ "
    "NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY ON QC BC AB MB NSW VIC QLD TAS "
    "ACT"
)
_AMBIGUOUS_CODES = frozenset(
    "MD PA OR IN ME OK HI LA AL ID CO DE MS MT MA ON AB ACT CT CA VA MI PR".split()
)
_LONGEST_ABBREVIATION = 3  # letters of words in capitals that are no town: "PCV, VT 420"
_STATE_NAME = rf"(?i:{_STATES})(?![a-z])"
_ZIP = r"[0-9]{5}(?:-[0-9]{4})?(?![0-9])"
_FROM = (
    "from in to near outside of lives living moved born raised resides visited native travel trip"
)


_NO_TOWN_ENDS = frozenset("county parish west central north south eastern upstate".split())
"""Before a state, words that no town ends in: "West Virginia", "Central Michigan"."""


def _is_city(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what stands before a state may be a city, and the state is no credential."""
    words = words_of(match["phi"])
    if not STOP_WORDS.isdisjoint(words) or words[0] in GENERIC:
        return False
    if words[-1] in _NO_TOWN_ENDS:
        return False
    known = bool(phrase_mask(vocab, match["phi"]) >> PHRASE_TYPES.index("CITY") & 1)
    if known:
        return match["state"].upper() not in ("MD", "PA", "DO", "MA") or _has_place_cue(match)
    abbreviated = match["phi"].isupper() and all(
        len(word) <= _LONGEST_ABBREVIATION for word in words
    )
    return bool(match["zip"]) or not (
        abbreviated
        or match["state"] in _AMBIGUOUS_CODES
        or any(is_common(vocab, word) for word in words)
    )


def _is_after_place(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a state's letters begin a line or follow a comma or a name: no "interpreter ID"."""
    before = match.string[max(0, match.start() - 30) : match.start()].rstrip(" ")
    last = re.split(r"[\s-]", before)[-1]
    return not last or last[-1] in ",.|:)" or (last[0].isupper() and last.isalpha())


def _has_place_cue(match: re.Match[str]) -> bool:
    """Whether a ZIP code follows or a word like "from" stands before."""
    before = match.string[max(0, match.start() - 12) : match.start()]
    return bool(match["zip"]) or bool(re.search(r"\b(?:in|from|to|of|near)\s{1,2}\Z|, \Z", before))


def _is_place(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a name of the gazetteer after "from" begins with no everyday word."""
    words = words_of(match["phi"])
    return not is_common(vocab, words[0]) and not in_word_list(vocab, words[0], "eponym")


def _is_street(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words of a street are none of the words of doses, findings and sentences."""
    words = words_of(match["road"])
    if words[-1] == "dr" and re.match(r"(?:19|20)[0-9]{2} ", match["phi"]):
        return re.match(r"\.? [A-Z][a-z]", match.string[match.end("phi") :]) is None
    return STOP_WORDS.isdisjoint(words[:-1]) and not all(
        is_plain(vocab, word) for word in words[:-1]
    )


def _is_county(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words before "County" are a name's; "St. Clair" is one, "In Bell" is not."""
    words = words_of(match["lead"])
    told = [word for word in words if word not in GENERIC | STOP_WORDS]
    return (STOP_WORDS - {"st"}).isdisjoint(words) and not all(
        is_plain(vocab, word) for word in told
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "location.street",
        "STREET",
        0.93,
        "NUMBER",
        rf"{ALONE}(?P<phi>[0-9]{{1,6}}(?:-[0-9]{{1,4}})?[A-Z]?(?: 1/2)?[ ]{{1,2}}"
        rf"(?:{_DIRECTION}[ ])?(?P<road>(?:{PLACE_WORD}|[0-9]{{1,3}}(?:st|nd|rd|th|ST|ND|RD|TH))"
        rf"(?:[ ]{PLACE_WORD}){{0,3}}?[ ]{{1,2}}{_SUFFIX})(?:[ ]{_DIRECTION}(?!\w))?{_UNIT})",
        _is_street,
    ),
    Rule(
        "location.box",
        "STREET",
        0.95,
        "p po p.o. box rr",
        r"(?P<phi>(?:P\.?[ ]?O\.?[ ]?|RR[ ]?[0-9]{1,3},?[ ])(?i:box)[ ]?#?[0-9]{1,6})(?!\w)",
    ),
    Rule(
        "location.highway",
        "STREET",
        0.8,
        "highway hwy route interstate i county state",
        r"(?<![\w-])(?P<phi>(?:(?:State|County|US|U\.S\.)[ ])?"
        r"(?:Highway|Hwy|HWY|Route|Road|Interstate)[ ][0-9]{1,4}[A-Z]?|I-(?!12[345]|131)[0-9]{2,3})"
        r"(?![\w:%])",
    ),
    Rule(
        "location.road",
        "STREET",
        0.8,
        "on at off near along",
        rf"(?i:on|at|off|near|along)[ ](?P<phi>(?:{_DIRECTION}[ ])?"
        rf"(?P<road>{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}}?[ ]{_SURE_SUFFIX}))",
        _is_street,
    ),
    Rule(
        "location.city_state",
        "CITY",
        0.93,
        f"{_STATE_WORDS} {_CODES.lower()}",
        rf"(?<![\w'\u2019-])(?P<phi>{CITY})(?:,[ ]{{0,2}}|[ ])"
        rf"(?P<state>(?<=, )(?:{_CODES.replace(' ', '|')})(?!\w)|(?:{_CODES.replace(' ', '|')})"
        rf"(?=,?[ ]{{1,2}}[0-9]{{5}})|{_STATE_NAME})(?:,?[ ]{{1,3}}(?P<zip>{_ZIP}))?",
        _is_city,
        reach=6,
    ),
    Rule(
        "location.state_zip",
        "STATE",
        0.92,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')}),?[ ]{{1,3}}(?P<zip>{_ZIP})",
        _is_after_place,
    ),
    Rule(
        "location.state",
        "STATE",
        0.8,
        _STATE_WORDS,
        rf"(?<![\w-])(?P<phi>{_STATE_NAME})(?!['\u2019]s|"
        r" (?i:tube|lift|scale|test|score|criteria))",
    ),
    Rule(
        "location.state_of_plate",
        "STATE",
        0.85,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')})"
        r"(?= (?i:plates?|licen[cs]e|lic\.|dl|drivers?)(?![a-z]))",
    ),
    Rule(
        "location.zip",
        "ZIP",
        0.9,
        "zip zipcode postcode postal NUMBER",
        rf"(?:(?i:zip(?:code)?|post(?:al )?code|postal)(?: ?code)?[ ]?:?[ ]{{0,4}}"
        rf"(?P<phi>{_ZIP}|[0-9]{{4}})|"
        r"(?<![\w/.#-])(?<![#:] )(?<!claim )(?P<phi2>[0-9]{5}-[0-9]{4}))"
        r"(?![\w-])",
    ),
    Rule(
        "location.postcode",
        "ZIP",
        0.85,
        "NUMBER",
        r"(?<![\w-])(?P<phi>[A-Z]{1,2}[0-9][0-9A-Z]?[ ][0-9](?!ND|RD|ST|TH)[ABD-HJLNP-UW-Z]{2}|"
        r"[A-CEGHJ-NPR-TVXY][0-9][A-Z][ ][0-9][A-Z][0-9])(?![\w-])",
        reach=2,
    ),
    Rule(
        "location.city",
        "CITY",
        0.7,
        _FROM,
        r"(?i:from|in|to|near|outside(?: of)?|(?:lives|living|moved|born|raised|resides|visited|"
        rf"native|travel|trip)(?: (?:in|to|of|back to|near))?)[ ]{{1,2}}(?P<phi>{CITY})"
        r"(?!['\u2019]s)",
        _is_place,
        cut=partial(entry_length, phrase_type="CITY"),
    ),
    Rule(
        "location.country",
        "COUNTRY",
        0.83,
        f"{_FROM} ,",
        r"(?:(?i:from|in|to|near|outside of|of|(?:lives|living|moved|born|raised|resides|"
        rf"visited|native|travel|trip)(?: (?:in|to|of))?)[ ]{{1,2}}(?:the )?|, )"
        rf"(?P<phi>(?!US(?!\w)){CITY})",  # "US" is an ultrasound
        cut=partial(entry_length, phrase_type="COUNTRY"),
    ),
    Rule(
        "location.county",
        "LOCATION-OTHER",
        0.78,
        "county",
        rf"(?<![\w-])(?P<phi>(?P<lead>{PLACE_WORD}(?:[ ]{PLACE_WORD})?[ ])(?:County|COUNTY))"
        r"(?!\w| (?i:jail|hosp|med|clinic))",
        _is_county,
        reach=3,
    ),
    Rule(
        "location.room",
        "ROOM",
        0.8,
        "room rm",
        r"(?:Room|Rm|ROOM|RM|rm|room)\.?[ ]{0,2}#?"
        r"(?P<phi>(?:[A-Z]-?)?[0-9]{2,4}[A-Z]?(?:-[0-9A-Z]{1,2})?)(?![\w%]|[:/.-]\w)",
    ),
)
"""Rules for STREET, CITY, STATE, COUNTRY, ZIP, LOCATION-OTHER and ROOM."""
