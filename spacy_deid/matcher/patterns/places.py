"""Rules for streets, cities, states, countries, postcodes and rooms."""

from __future__ import annotations

from functools import partial

from ..rule import Rule
from ..words import entry_length
from .common import ALONE
from .place_guards import (
    SUFFIX,
    SURE_SUFFIX,
    is_after_place,
    is_australian,
    is_city,
    is_country,
    is_county,
    is_place,
    is_state,
    is_street,
    is_taken_there,
)
from .place_words import CITY, PLACE_WORD

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
_STATE_NAME = rf"(?i:{_STATES})(?![a-z])"
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
"""States of Australia and their postcodes; no other four digits follow: "SA 2040", "ACT 1350"."""
_AUSTRALIAN_STATE = "|".join(
    rf"(?:{state})(?=,?[ ]{{1,3}}{code}(?![\w%]|[-./:]\w| ?(?:ms|sec|mL|ml|mg|hrs?|h)(?!\w)))"
    for state, code in _AUSTRALIAN
)
_FROM = (
    "from in to near outside of lives living moved born raised resides visited native travel trip"
)
_MEASURE = (
    r"(?: [A-Z][a-z]{1,15}){0,3} (?:Test|Scale|Score|Criteria|Questionnaire|Inventory|Screening|"
    r"Screen|Index|Classification|Assessment|Survey|Battery|Association)(?![a-z])"
)
"""What makes a state's name a measure's: "Michigan Alcoholism Screening Test"."""

RULES: tuple[Rule, ...] = (
    Rule(
        "location.street",
        "STREET",
        0.93,
        "NUMBER SLASHED",
        rf"{ALONE}(?P<phi>(?:(?i:unit|flat|apt)[ ](?=[0-9]{{1,4}}[A-Z]?/))?(?:[0-9]{{1,4}}[A-Z]?/)?"
        r"[0-9]{1,6}(?:-[0-9]{1,4})?[A-Z]?(?: 1/2)?[ ]{1,2}"
        rf"(?:{_DIRECTION}[ ])?(?P<road>(?:The )?(?:Esplanade|ESPLANADE)(?=,)|"
        rf"(?:{PLACE_WORD}|[0-9]{{1,3}}(?:st|nd|rd|th|ST|ND|RD|TH))"
        rf"(?:[ ]{PLACE_WORD}){{0,3}}?[ ]{{1,2}}{SUFFIX})(?:[ ]{_DIRECTION}(?!\w))?{_UNIT})",
        is_street,
        reach=1,
    ),
    Rule(
        "location.block",
        "STREET",
        0.8,
        "block",
        rf"{ALONE}(?P<phi>[0-9]{{2,5}} (?i:block) (?i:of) (?:{_DIRECTION}[ ])?"
        rf"(?:{PLACE_WORD}|[0-9]{{1,3}}(?:st|nd|rd|th))(?:[ ]{PLACE_WORD}){{0,2}})",
        reach=1,
    ),
    Rule(
        "location.building",
        "STREET",
        0.8,
        "bldg building",
        r"(?P<phi>(?i:bldg|building)\.?[ ](?:[A-Z]|[0-9]{1,4})[A-Z]?,?[ ]"
        r"(?i:unit|apt|apartment)\.?[ ]?#?[A-Z]?-?[0-9]{1,5}[A-Z]?)(?!\w)",
    ),
    Rule(
        "location.box",
        "STREET",
        0.95,
        "p po p.o. box rr",
        r"(?P<phi>(?:P\.?[ ]?O\.?[ ]?|RR[ ]?[0-9]{1,3},?[ ])(?i:box)[ ]?#?[0-9]{1,6})(?!\w)",
    ),
    Rule(
        "location.unit_line",
        "STREET",
        0.9,
        "suite ste apt apartment",
        r"(?<=\n)(?P<phi>(?i:suite|ste|apt|apartment)\.?[ ]#?[0-9]{1,5}[A-Za-z]?)(?=,?[ ]{0,3}\n)",
    ),
    Rule(
        "location.military_box",
        "STREET",
        0.9,
        "psc cmr unit",
        r"(?P<phi>(?i:psc|cmr|unit)[ ][0-9]{1,5},?[ ](?i:box)[ ][0-9]{1,5})(?!\w)",
    ),
    Rule(
        "location.military_post",
        "CITY",
        0.97,
        "apo fpo dpo",
        rf"(?P<phi>(?i:[afd]po)),?[ ](?P<state>(?i:a[aep]))[ ]{{1,2}}(?P<zip>{_ZIP})",
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
        rf"(?P<road>{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}}?[ ]{SURE_SUFFIX}))",
        is_street,
    ),
    Rule(
        "location.city_state",
        "CITY",
        0.93,
        f"{_STATE_WORDS} {_CODES.lower()}",
        rf"(?<![\w'\u2019-])(?P<phi>{CITY})(?:,[ ]{{0,2}}|[ ])"
        rf"(?P<state>(?<=, )(?:{_CODES.replace(' ', '|')})(?!\w|\(ASCP)|"
        rf"(?:{_CODES.replace(' ', '|')})(?=,?[ ]{{1,2}}[0-9]{{5}}(?![0-9]))|{_STATE_NAME})"
        rf"(?:,?[ ]{{1,3}}(?P<zip>{_ZIP}))?",
        is_city,
        reach=6,
    ),
    Rule(
        "location.state_zip",
        "STATE",
        0.92,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')}),?[ ]{{1,3}}(?P<zip>{_ZIP})",
        is_after_place,
    ),
    Rule(
        "location.australia",
        "STATE",
        0.97,
        "nsw vic qld sa wa tas nt act",
        rf"(?<![\w'\u2019-])(?:(?P<city>{CITY}),?[ ])?(?P<phi>{_AUSTRALIAN_STATE})"
        r",?[ ]{1,3}(?P<zip>[0-9]{4})",
        is_australian,
        reach=6,
    ),
    Rule(
        "location.state",
        "STATE",
        0.8,
        _STATE_WORDS,
        rf"(?<![\w-])(?P<phi>{_STATE_NAME})(?!['\u2019]s|"
        rf" (?i:tube|lift|scale|test|score|criteria|heart association)|{_MEASURE})",
        is_state,
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
        is_place,
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
        is_country,
        cut=partial(entry_length, phrase_type="COUNTRY"),
    ),
    Rule(
        "location.county",
        "LOCATION-OTHER",
        0.78,
        "county",
        rf"(?<![\w-])(?P<phi>(?P<lead>{PLACE_WORD}(?:[ ]{PLACE_WORD})?[ ])(?:County|COUNTY))"
        r"(?!\w| (?i:jail|hosp|med|clinic))",
        is_county,
        reach=3,
    ),
    Rule(
        "location.room",
        "ROOM",
        0.8,
        "room rm",
        r"(?i:(?<!waiting )(?<!recovery )(?<!delivery ))(?:Room|Rm|ROOM|RM|rm|room)"
        r"(?:\.?[ ]{0,2}#?"
        r"(?P<phi>(?:[A-Z]-?)?[0-9]{2,4}[A-Z]?(?:-[0-9A-Z]{2})?)"
        r"(?:-[0-9A-Z](?!\w))?(?![\w%]|[:/.-]\w|"  # the bed
        r" ?(?i:minutes?|mins?|hours?|hrs?|secs?|seconds?|degrees)(?!\w))|"
        r"[ ]?/[ ]?(?i:bed)[ ]?[:#]?[ ]{0,3}"
        r"(?P<phi2>(?:[A-Z]-?)?[0-9]{2,4}[A-Z]?)(?:-[0-9A-Z])?(?=/[0-9A-Z]{1,2}(?!\w)))",
    ),
    Rule(
        "location.operating_room",
        "ROOM",
        0.8,
        "or",
        r"(?i:to|into) (?:the |main )?OR[ ]?#?(?P<phi>[0-9]{1,2}[A-Z]?)"
        r"(?![\w%]|[:/.-]\w|,? ?\(|,? 95| (?i:days?|weeks?|hours?|times|mg|x)(?!\w))",
        is_taken_there,
        reach=2,
    ),
)
"""Rules for STREET, CITY, STATE, COUNTRY, ZIP, LOCATION-OTHER and ROOM."""
