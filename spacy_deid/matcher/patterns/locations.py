"""Rules for places and institutions: by the words that such names end in, and by the gazetteers."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ...gazetteers import PHRASE_TYPES, in_word_list, phrase_mask
from ...tokenizer import LETTER, LOWER, UPPER
from ..rule import Rule
from ..words import STOP_WORDS, entry_length, is_common, job_length
from .common import ALONE

_CAPITAL = (
    rf"(?:{UPPER}['\u2019]?{LOWER}{{1,20}}(?:{UPPER}{LOWER}{{1,20}})?|{UPPER}{{2,20}}(?!{LOWER})|"
    rf"(?:St|Mt|Ft|ST|MT|FT)\.|{UPPER}\.?(?= ))"
)
_WORD = rf"{_CAPITAL}(?:-{_CAPITAL})?(?:['\u2019][sS]|s['\u2019])?(?!\w)"
_LINK = r"(?:[ ]{1,2}(?:&|and|of|the|for|de|del|la)){0,2}[ ]{1,2}"
_HEADED = rf"{_WORD}(?:{_LINK}{_WORD}){{0,4}}[ ]{{1,2}}"
_CITY = rf"{_WORD}(?:[ -]{_WORD}){{0,2}}"

_HOSPITAL_HEADS = (
    r"hosp(?:ital)?s?(?:[ ](?:center|centre))?|med(?:ical)?\.?[ ](?:ce?nte?r|ctr|group|associates|"
    r"clinic|plaza|campus|practice)|(?:health|healthcare|cancer|surgery|surgical|care|heart|kidney|"
    r"dialysis|rehab(?:ilitation)?|sleep|eye|birth|wellness|treatment|imaging|nursing|living|"
    r"recovery|"
    r"infusion|trauma|burn|spine|pain|mental health|behavioral health)[ ](?:ce?nte?r|ctr|system|"
    r"services|institute|associates|network|partners|home|facility|care|clinic|specialists)|"
    r"clinics?|nursing[ ](?:home|facility)|hospice|infirmary|rehab(?:ilitation)?|health[ ]?care|"
    r"home[ ](?:health|care|hospice)(?:[ ]care)?|urgent[ ]care|primary[ ]care|"
    r"family[ ](?:medicine|practice|"
    r"health)|assisted[ ]living|behavioral[ ]health|transplant[ ]institute|imaging|sanatorium|"
    r"(?:heart|orthop(?:a?edic|edics?)|cardiology|surgical|endocrine|eye|"
    r"radiology)[ ](?:associates|"
    r"partners|group|institute|specialists)|pediatrics|institute"
)
_HOSPITAL_WORDS = (
    "hospital hospitals hosp medical med health healthcare cancer surgery surgical care heart "
    "kidney "
    "dialysis rehab rehabilitation sleep eye birth wellness treatment imaging nursing living "
    "recovery "
    "infusion trauma burn spine mental behavioral clinic clinics hospice infirmary home urgent "
    "primary "
    "family assisted transplant sanatorium orthopedic orthopedics cardiology endocrine radiology "
    "pediatrics institute"
)
_ORGANISATION_HEADS = (
    r"university|college|(?:high|middle|elementary|primary|grammar|charter|prep)[ ]school|"
    r"school|academy|"
    r"church|cathedral|synagogue|temple|mosque|ministries|parish|seminary|insurance|pharmacy|"
    r"drug(?:s|store)?|"
    r"inc\.?|llc|l\.l\.c\.|corp(?:oration)?\.?|ltd\.?|bank|credit[ ]union|(?:fire|police|"
    r"sheriff'?s)[ ]"
    r"(?:dep(?:artmen)?t\.?|department|office|rescue)|fire[ ](?:&|and)[ ]ems|ambulance|ems|"
    r"mortuary|"
    r"funeral[ ]home|foundation|railway|railroad|industries|freight|logistics|foods|farms|brewery|"
    r"elementary|presbyterian|lutheran|methodist[ ]church|supermarket|daycare|head[ ]start|shelter"
)
_ORGANISATION_WORDS = (
    "university college high middle elementary primary grammar charter prep school academy church "
    "cathedral synagogue temple mosque ministries parish seminary insurance pharmacy drug drugs "
    "drugstore "
    "inc llc corp corporation ltd bank credit fire police sheriff ambulance ems mortuary funeral "
    "foundation railway railroad industries freight logistics foods farms brewery supermarket "
    "daycare "
    "shelter"
)
_KNOWN = (
    r"CVS(?: Pharmacy)?|Walgreens?|Rite Aid|Wal-?[Mm]art|Kroger|Costco|Safeway|Aetna|Cigna|Humana|"
    r"Blue Cross(?:[ /]?(?:and )?Blue Shield)?|BCBS|United ?[Hh]ealth[Cc]are|UHC|"
    r"Kaiser(?: Permanente)?|"
    r"Anthem|Tricare|TRICARE|Quest(?: Diagnostics)?|Lab[Cc]orp|Amazon|Starbucks|McDonald['\u2019]s|"
    r"Home Depot|Target(?= (?:pharmacy|store))|FedEx|UPS|Bupa|Medibank"
)
_KNOWN_WORDS = (
    "cvs walgreens walgreen rite wal walmart kroger costco safeway aetna cigna humana blue bcbs "
    "united "
    "unitedhealthcare uhc kaiser anthem tricare quest labcorp amazon starbucks home target "
    "fedex ups bupa "
    "medibank mcdonald"
)
_GENERIC = frozenset(
    "pain outpatient inpatient emergency day private local general eye dental walk-in walkin "
    "urgent care "
    "cardiology oncology surgical surgery rehab rehabilitation psychiatric state mental "
    "community health "
    "medical med center centre the of and for at home nursing family primary acute long term "
    "skilled "
    "assisted living hospice clinic hospital sleep wound heart kidney cancer infusion diabetes "
    "anticoagulation coumadin orthopedic orthopedics neurology urology dermatology gi gyn ob obgyn "
    "ent pediatric pediatrics women's children's behavioral wellness birth breast pulmonary renal "
    "transplant dialysis level our this that another outside free-standing follow-up followup "
    "imaging "
    "previous prior good excellent high middle elementary school university college fire police "
    "department church pharmacy insurance drug drugs bank credit grade retail specialty mail order "
    "vascular spine trauma burn psychiatry physical therapy occupational speech allergy fertility "
    "memory weight loss headache movement disorder disorders internal medicine s/p mri ct er ed "
    "icu or "
    "hx h/o social past history present patient chief complaint plan assessment status review "
    "systems "
    "maternal fetal prenatal neonatal intensive recovery step-down treatment trade vocational "
    "nursery "
    "graduate medicare medicaid commercial auto life disability secondary new current no".split()
)
_SUFFIXES = (
    "street st avenue ave av road rd lane ln drive dr boulevard blvd parkway pkwy highway hwy "
    "court ct "
    "terrace ter trail trl place pl way circle cir square sq plaza loop turnpike tpke route row "
    "alley "
    "crescent close heights run point pike path crossing xing expressway freeway"
)
_SUFFIX = rf"(?i:{'|'.join(_SUFFIXES.split())})(?![a-z])\.?"
_SURE_SUFFIX = (
    r"(?i:street|avenue|ave|road|rd|lane|drive|boulevard|blvd|parkway|pkwy|highway|turnpike|"
    r"terrace|"
    r"st(?=\.?(?:[,\n]|\Z)))(?![a-z])\.?"
)
_DIRECTION = r"(?:[NSEW]{1,2}\.?|North|South|East|West|NORTH|SOUTH|EAST|WEST)"
_UNIT = (
    r"(?:,?[ \n]{1,2}(?:(?i:apartment|apt|unit|suite|ste|rm|room|floor|fl|bldg|building|lot|"
    r"trailer)\.?"
    r"[ ]?#?|#[ ]?)[A-Za-z0-9-]{1,6}(?!\w))?"
)
_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|"
    "Hawaii|"
    "Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|"
    "Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|"
    "New York|"
    "North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Puerto Rico|Rhode Island|"
    "South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|"
    "Wisconsin|Wyoming|Ontario|Quebec|Alberta|Manitoba|Saskatchewan|Nova Scotia|British Columbia|"
    "New South Wales|Queensland|Tasmania"
)
_STATE_WORDS = (
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia "
    "hawaii "
    "idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan "
    "minnesota mississippi missouri montana nebraska nevada new ohio oklahoma oregon "
    "pennsylvania puerto "
    "rhode tennessee texas utah vermont virginia washington north south west wisconsin wyoming "
    "ontario "
    "quebec alberta manitoba saskatchewan nova british queensland tasmania"
)
_CODES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH "
    "NJ NM NY "
    "NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY ON QC BC AB MB NSW VIC QLD TAS ACT"
)
_AMBIGUOUS_CODES = frozenset(
    "MD PA OR IN ME OK HI LA AL ID CO DE MS MT MA ON AB ACT CT CA VA MI PR".split()
)
_STATE_NAME = rf"(?i:{_STATES})(?![a-z])"
_ZIP = r"[0-9]{5}(?:-[0-9]{4})?(?![0-9])"
_FROM = (
    "from in to near outside of lives living moved born raised resides visited native travel trip"
)


def _words_of(text: str) -> list[str]:
    return [word.strip(".,'\u2019").lower() for word in text.split()]


def _is_institution(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words before the head tell one institution from another: no "pain clinic"."""
    words = _words_of(match["lead"])
    if words[0] in STOP_WORDS or words[0] in _GENERIC_FIRST:
        return False
    if not _VERB_WORDS.isdisjoint(words) or match["head"].islower():
        return False
    told = [word for word in words if word not in _GENERIC and word not in STOP_WORDS]
    return bool(told) and not all(_is_plain(vocab, word) for word in told)


_GENERIC_FIRST = frozenset("of and for at the".split())
_VERB_WORDS = frozenset("to was is has had been at in from he she they with no not any".split())
"""Words of a sentence in capitals: "RUSHED TO THE HOSPITAL"."""


def _is_plain(vocab: Vocab, word: str) -> bool:
    """Whether a word is common and no part of any name of places or persons."""
    return is_common(vocab, word) and not in_word_list(vocab, word, "hospital_word")


def _is_city(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what stands before a state may be a city, and the state is no credential."""
    words = _words_of(match["phi"])
    if not STOP_WORDS.isdisjoint(words) or words[0] in _GENERIC:
        return False
    known = bool(phrase_mask(vocab, match["phi"]) >> PHRASE_TYPES.index("CITY") & 1)
    if known:
        return match["state"].upper() not in ("MD", "PA", "DO", "MA") or _has_place_cue(match)
    return bool(match["zip"]) or (
        match["state"] not in _AMBIGUOUS_CODES and not any(is_common(vocab, word) for word in words)
    )


def _has_place_cue(match: re.Match[str]) -> bool:
    """Whether a ZIP code follows or a word like "from" stands before."""
    before = match.string[max(0, match.start() - 12) : match.start()]
    return bool(match["zip"]) or bool(re.search(r"\b(?:in|from|to|of|near)\s{1,2}\Z|, \Z", before))


def _is_place(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a name of the gazetteer after "from" begins with no everyday word."""
    words = _words_of(match["phi"])
    return not is_common(vocab, words[0]) and not in_word_list(vocab, words[0], "eponym")


def _is_street(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words of a street are none of the words of doses, findings and sentences."""
    words = _words_of(match["road"])
    return STOP_WORDS.isdisjoint(words[:-1]) and not all(
        _is_plain(vocab, word) for word in words[:-1]
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "location.hospital",
        "HOSPITAL",
        0.86,
        _HOSPITAL_WORDS,
        rf"(?<![\w-])(?P<phi>(?P<lead>{_HEADED})(?P<head>(?i:{_HOSPITAL_HEADS}))(?!\w)(?:[ ](?:of|"
        rf"at)[ ](?:the )?{_WORD}"
        rf"(?:[ ]{_WORD}){{0,2}})?)(?! ?(?i:course|stay|admission|bed|visit|day|:))",
        _is_institution,
        reach=9,
    ),
    Rule(
        "location.hospital_known",
        "HOSPITAL",
        0.8,
        "at from to of via through",
        rf"(?i:at|from|to|of|via|through)[ ](?:the )?(?P<phi>{_WORD}(?:{_LINK}{_WORD}){{0,6}})",
        cut=partial(entry_length, phrase_type="HOSPITAL"),
    ),
    Rule(
        "location.saint",
        "HOSPITAL",
        0.76,
        "at to from",
        r"(?i:at|to|from)[ ](?P<phi>(?:St\.?|Saint|Mt\.?|Mount|ST\.?)[ ]"
        rf"{_WORD}(?:[ ](?:Regional|General|Memorial|Univ(?:ersity)?|Mercy|ED|ER)(?!\w))?)",
        lambda match, vocab: bool(
            re.search(r"['\u2019]s|Regional|General|Memorial|Univ", match["phi"])
        ),
    ),
    Rule(
        "location.memorial",
        "HOSPITAL",
        0.76,
        "memorial regional general methodist baptist deaconess",
        rf"(?<![\w-])(?P<phi>(?P<lead>{_WORD}(?:[ ]{_WORD}){{0,2}}[ ])(?:Memorial|Regional|"
        rf"General|Methodist|"
        r"Baptist|Deaconess)(?P<head>))(?= ED| ER|[,.;)\n]| on| for| with| and| in| for)",
        _is_institution,
        reach=5,
    ),
    Rule(
        "location.va",
        "HOSPITAL",
        0.76,
        "va",
        r"(?:(?<=the )|(?<=at )|(?<=The ))(?P<phi>VA)(?!\w| (?:shunt|was|is))|"
        r"(?P<phi2>VA)(?= (?:records|"
        r"RECORDS|hospital|clinic|Hospital|Clinic|system|doctor|PCP|pharmacy))",
    ),
    Rule(
        "location.ward",
        "HOSPITAL",
        0.76,
        "NUMBER",
        r"(?:(?<=to )|(?<=on )|(?<=from )|(?<=TO )|(?<=ON )|(?<=unit )|"
        r"(?<=floor ))(?P<phi>[0-9]{1,2}[ ]?"
        r"(?:North|South|East|West|NORTH|SOUTH|EAST|WEST))(?!\w| ?(?:[A-Z][a-z]{1,12} )?(?:St|"
        r"Ave|Rd|Street))",
    ),
    Rule(
        "location.organization",
        "ORGANIZATION",
        0.8,
        _ORGANISATION_WORDS,
        rf"(?<![\w-])(?P<phi>(?P<lead>{_HEADED})(?P<head>(?i:{_ORGANISATION_HEADS}))(?!\w)(?:[ ]of[ ]{_WORD}"
        rf"(?:[ ]{_WORD}){{0,2}})?)(?! ?(?i:hosp|medical|health|clinic))",
        _is_institution,
        reach=9,
    ),
    Rule(
        "location.university_of",
        "ORGANIZATION",
        0.85,
        "university college church bank",
        rf"(?P<phi>(?:University|UNIVERSITY|College|Church|"
        rf"Bank) (?i:of) (?:the )?{_WORD}(?:[ -]{_WORD}){{0,2}})",
    ),
    Rule(
        "location.company",
        "ORGANIZATION",
        0.8,
        _KNOWN_WORDS,
        rf"(?<![\w-])(?P<phi>{_KNOWN})(?!\w)",
    ),
    Rule(
        "location.street",
        "STREET",
        0.93,
        "NUMBER",
        rf"{ALONE}(?P<phi>[0-9]{{1,6}}(?:-[0-9]{{1,4}})?[A-Z]?(?: 1/2)?[ ]{{1,2}}(?:{_DIRECTION}[ ])?"
        rf"(?P<road>(?:{_WORD}|[0-9]{{1,3}}(?:st|nd|rd|th|ST|ND|RD|"
        rf"TH))(?:[ ]{_WORD}){{0,3}}?[ ]{{1,2}}{_SUFFIX})"
        rf"(?:[ ]{_DIRECTION}(?!\w))?{_UNIT})",
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
        r"(?<![\w-])(?P<phi>(?:(?:State|County|US|U\.S\.)[ ])?(?:Highway|Hwy|HWY|Route|Road|"
        r"Interstate)"
        r"[ ][0-9]{1,4}[A-Z]?|I-[0-9]{2,3})(?![\w:%])",
    ),
    Rule(
        "location.road",
        "STREET",
        0.8,
        "on at off near along",
        rf"(?i:on|at|off|near|"
        rf"along)[ ](?P<phi>(?:{_DIRECTION}[ ])?(?P<road>{_WORD}(?:[ ]{_WORD}){{0,2}}?[ ]"
        rf"{_SURE_SUFFIX}))",
        _is_street,
    ),
    Rule(
        "location.city_state",
        "CITY",
        0.93,
        f"{_STATE_WORDS} {_CODES.lower()}",
        rf"(?<![\w'\u2019-])(?P<phi>{_CITY})(?:,[ ]{{0,2}}|"
        rf"[ ])(?P<state>(?<=, )(?:{_CODES.replace(' ', '|')})(?!\w)"
        rf"|(?:{_CODES.replace(' ', '|')})(?=,?[ ]{{1,2}}[0-9]{{5}})|"
        rf"{_STATE_NAME})(?:,?[ ]{{1,3}}(?P<zip>{_ZIP}))?",
        _is_city,
        reach=6,
    ),
    Rule(
        "location.state_zip",
        "STATE",
        0.92,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')}),?[ ]{{1,3}}(?P<zip>{_ZIP})",
    ),
    Rule(
        "location.state",
        "STATE",
        0.8,
        _STATE_WORDS,
        rf"(?<![\w-])(?P<phi>{_STATE_NAME})(?!['\u2019]s| (?i:tube|lift|scale|test|score|criteria))",
    ),
    Rule(
        "location.state_of_plate",
        "STATE",
        0.85,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')})(?= (?i:plates?|licen[cs]e|lic\.|dl|driver))",
    ),
    Rule(
        "location.zip",
        "ZIP",
        0.9,
        "zip zipcode postcode postal NUMBER",
        rf"(?:(?i:zip(?:code)?|post(?:al )?code|"
        rf"postal)(?: ?code)?[ ]?:?[ ]{{0,4}}(?P<phi>{_ZIP}|[0-9]{{4}})|"
        r"(?<![\w/.#-])(?<![#:] )(?P<phi2>[0-9]{5}-[0-9]{4}))(?![\w-])",
    ),
    Rule(
        "location.city",
        "CITY",
        0.7,
        _FROM,
        r"(?i:from|in|to|near|outside(?: of)?|(?:lives|living|moved|born|raised|resides|visited|"
        r"native|"
        rf"travel|trip)(?: (?:in|to|of|back to|near))?)[ ]{{1,2}}(?P<phi>{_CITY})(?!['\u2019]s)",
        _is_place,
        cut=partial(entry_length, phrase_type="CITY"),
    ),
    Rule(
        "location.country",
        "COUNTRY",
        0.83,
        f"{_FROM} ,",
        r"(?:(?i:from|in|to|near|outside of|of|(?:lives|living|moved|born|raised|resides|"
        r"visited|native|"
        rf"travel|trip)(?: (?:in|to|of))?)[ ]{{1,2}}(?:the )?|, )(?P<phi>(?!US(?!\w)){_CITY})",  # "US" is an ultrasound
        cut=partial(entry_length, phrase_type="COUNTRY"),
    ),
    Rule(
        "location.county",
        "LOCATION-OTHER",
        0.78,
        "county",
        rf"(?<![\w-])(?P<phi>(?P<lead>{_WORD}(?:[ ]{_WORD})?[ ])(?P<head>County|COUNTY))(?!\w|"
        rf" (?i:jail|hosp|med|clinic))",
        _is_institution,
        reach=3,
    ),
    Rule(
        "location.room",
        "ROOM",
        0.8,
        "room rm",
        r"(?:Room|Rm|ROOM|RM|rm|"
        r"room)\.?[ ]{0,2}#?(?P<phi>(?:[A-Z]-?)?[0-9]{2,4}[A-Z]?(?:-[0-9A-Z]{1,2})?)(?![\w%:/.-]\w)",
    ),
    Rule(
        "location.job",
        "PROFESSION",
        0.78,
        "works work worked working employed occupation retired profession job former",
        r"(?:(?i:work(?:s|ed|ing)?|employed)[ \n](?:(?:full|"
        r"part)[- ]time )?(?i:as)[ \n](?i:an?[ \n])?|(?i:occupation|"
        r"profession|job)[ ]?:[ ]{1,4}|(?i:retired|"
        r"former)[ \n](?i:from (?:being )?an? )?)(?:(?i:retired) )?"
        rf"(?P<phi>{LETTER}{{3,20}}(?:[ -]{LETTER}{{2,20}}){{0,3}})",
        cut=job_length,
    ),
)
"""Rules for LOCATION and PROFESSION."""
