"""Rules for streets, hospitals and organisations, and for forms of addresses."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ...text.gazetteers import PHRASE_TYPES, in_word_list, phrase_mask
from ...text.tokenizer import LOWER, UPPER
from ..rule import Rule
from ..words import STOP_WORDS, entry_length, is_common, is_given, is_medical
from .common import ALONE, left_of

_CAPITAL = (
    rf"(?:{UPPER}['\u2019]?{LOWER}{{1,20}}(?:{UPPER}{LOWER}{{1,20}})?|"
    rf"{UPPER}{{2,20}}(?!{LOWER})|(?:St|Mt|Ft|ST|MT|FT)\.|{UPPER}\.?(?= ))"
)
PLACE_WORD = rf"{_CAPITAL}(?:-{_CAPITAL})?(?:['\u2019][sS]|s['\u2019])?(?!\w)"
LINK = r"(?:[ ]{1,2}(?:&|and|of|the|for|de|del|la)){0,2}[ ]{1,2}"
HEADED = rf"{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{0,4}}[ ]{{1,2}}"
CITY = rf"{PLACE_WORD}(?:[ -]{PLACE_WORD}){{0,2}}"

GENERIC = frozenset(
    "pain outpatient inpatient emergency day private local general eye dental walk-in walkin "
    "urgent care cardiology oncology surgical surgery rehab rehabilitation psychiatric state "
    "mental community health medical med center centre the of and for at home nursing family "
    "primary acute long term skilled assisted living hospice clinic hospital sleep wound heart "
    "kidney cancer infusion diabetes anticoagulation coumadin orthopedic orthopedics neurology "
    "urology dermatology gi gyn ob obgyn ent pediatric pediatrics women's children's behavioral "
    "wellness birth breast pulmonary renal transplant dialysis level our this that another outside "
    "free-standing follow-up followup imaging previous prior good excellent high middle elementary "
    "school university college fire police department church pharmacy insurance drug drugs bank "
    "credit grade retail specialty mail order vascular spine trauma burn psychiatry physical "
    "therapy occupational speech allergy fertility memory weight loss headache movement disorder "
    "disorders internal medicine s/p mri ct er ed icu or hx h/o social past history present "
    "patient chief complaint plan assessment status review systems maternal fetal prenatal "
    "neonatal intensive recovery step-down treatment trade vocational nursery graduate medicare "
    "medicaid pact va commercial auto life disability secondary new current no".split()
)
"""Words that tell no institution from another, and that no city begins with."""


def words_of(text: str) -> list[str]:
    """The words of a text, lower-case, without punctuation at their ends."""
    return [word.strip(".,'\u2019").lower() for word in text.split()]


def is_plain(vocab: Vocab, word: str) -> bool:
    """Whether a word is common, or a term of medicine, and no part of a hospital's name."""
    if in_word_list(vocab, word, "hospital_word"):
        return False
    return is_common(vocab, word) or in_word_list(vocab, word, "medical_term")


_SUFFIXES = (
    "street st avenue ave av road rd lane ln drive dr boulevard blvd parkway pkwy highway hwy "
    "court ct terrace ter trail trl place pl way circle cir square sq plaza loop turnpike tpke "
    "route row alley crescent close heights run point pike path crossing xing expressway freeway"
)
_SOFT_SUFFIXES = "Parade Pde Grove Gardens Mews Esplanade Approach Quay Rise Walk"
"""Words with other uses when they stand in small letters: "walk 20 Feet", "a Kocher approach"."""
_PACES = frozenset("meter metre meters metres yard yards foot feet minute minutes min".split())
"""What a walking test's name begins with: "10 Meter Walk"."""
SUFFIX = (
    rf"(?:(?i:{'|'.join(_SUFFIXES.split())})|{'|'.join(_SOFT_SUFFIXES.split())}|"
    rf"{'|'.join(_SOFT_SUFFIXES.upper().split())}|Gr(?=[,\n]|\Z))(?![A-Za-z])\.?"
)


def is_australian(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a street, a known town or at least a name stands before an Australian state.

    A postcode like 0800 is a time as well, and some letters are findings: "Abd soft, NT 0800".
    """
    before = left_of(match, 60, "phi").rstrip(" ,")
    name = re.search(rf"(?<![\w'-]){PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}}\Z", before)
    words = words_of(match["city"] or "")
    if (
        not name
        or not STOP_WORDS.isdisjoint(words[words[:1] == ["st"] :])
        or not GENERIC.isdisjoint(words[:1])
    ):
        return False
    if match["phi"].upper() in ("NSW", "VIC", "QLD", "TAS"):
        return True
    last = name[0].split()[-1]
    return bool(
        re.search(rf"[0-9] [\w ]{{1,30}}{SUFFIX}, ", before)
        or phrase_mask(vocab, name[0]) >> PHRASE_TYPES.index("CITY") & 1
        or not (last.isupper() or is_plain(vocab, last) or is_medical(vocab, last))
    )


def is_street(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words of a street are none of the words of doses, findings and sentences."""
    words = words_of(match["road"])
    if words[-1] == "dr" and re.match(r"(?:19|20)[0-9]{2} ", match["phi"]):
        return re.match(r"\.? [A-Z][a-z]", match.string[match.end("phi") :]) is None
    if "/" in match["phi"] and not _may_hold_flat(match):
        return False
    if words[-1] == "esplanade":
        return True
    if words[-1] in _SOFT_SUFFIXES.lower().split():
        if _is_addressed(match):
            return STOP_WORDS.isdisjoint(words[:-1])
        if words[-2] in _PACES or (
            words[-1] == "approach" and in_word_list(vocab, words[-2], "eponym")
        ):
            return False
    return STOP_WORDS.isdisjoint(words[:-1]) and not all(
        is_plain(vocab, word) for word in words[:-1]
    )


def _is_addressed(match: re.Match[str]) -> bool:
    """Whether a label or "lives at" stands before a street."""
    before = left_of(match, 20)
    return bool(re.search(r"(?i:address|lives|living|resides)(?: at)?[ ]?:?\s{1,3}\Z", before))


def _may_hold_flat(match: re.Match[str]) -> bool:
    """Whether the "3/22" of a street is a flat and a house, no date before a street's name."""
    if match["phi"][0].isalpha() or re.search(r" 1/2 ", match["phi"]):
        return True
    before = left_of(match, 20)
    after = match.string[match.end() : match.end() + 20]
    return bool(
        re.search(r"(?:\A|[\n:,;(|]|(?<!\w)(?i:at|of|to|from|near|lives|address))\s{0,3}\Z", before)
    ) and not re.match(r" (?i:clinic|hospital|office|surgery|medical|health|ed|er)(?!\w)", after)


_DIRECTION = r"(?:[NSEW]{1,2}\.?|North|South|East|West|NORTH|SOUTH|EAST|WEST)"
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
"""States of Australia and their postcodes; no other four digits follow: "SA 2040", "ACT 1350"."""
_AUSTRALIAN_STATE = "|".join(
    rf"(?:{state})(?=,?[ ]{{1,3}}{code}(?![\w%]|[-./:]\w| ?(?:ms|sec|mL|ml|mg|hrs?|h)(?!\w)))"
    for state, code in _AUSTRALIAN
)


_HOSPITAL_HEADS = (
    r"hosp(?:ital)?s?(?:[ ](?:center|centre))?|"
    r"med(?:ical)?\.?[ ](?:ce?nte?r|ctr|group|associates|clinic|plaza|campus|practice)|"
    r"(?:health|healthcare|cancer|surgery|surgical|care|heart|kidney|dialysis|"
    r"rehab(?:ilitation)?|sleep|eye|birth|wellness|treatment|imaging|nursing|living|recovery|"
    r"infusion|trauma|burn|spine|pain|mental health|behavioral health)[ ]"
    r"(?:ce?nte?r|ctr|system|services|institute|associates|network|partners|home|facility|care|"
    r"clinic|specialists)|clinics?|nursing[ ](?:home|facility)|hospice|infirmary|"
    r"rehab(?:ilitation)?|health[ ]?care|home[ ](?:health|care|hospice)(?:[ ]care)?|"
    r"urgent[ ]care|primary[ ]care|family[ ](?:medicine|practice|health)|assisted[ ]living|"
    r"behavioral[ ]health|transplant[ ]institute|imaging|"
    r"sanatorium|(?:heart|orthop(?:a?edic|edics?)|cardiology|surgical|endocrine|eye|radiology)"
    r"[ ](?:associates|partners|group|institute|specialists)|pediatrics|institute"
)
_HOSPITAL_WORDS = (
    "hospital hospitals hosp medical med health healthcare cancer surgery surgical care heart "
    "kidney dialysis rehab rehabilitation sleep eye birth wellness treatment imaging nursing "
    "living recovery infusion trauma burn spine mental behavioral clinic clinics hospice infirmary "
    "home urgent primary family assisted transplant sanatorium orthopedic orthopedics cardiology "
    "endocrine radiology pediatrics institute"
)
_ORGANISATION_HEADS = (
    r"university|college|(?:high|middle|elementary|primary|grammar|charter|prep)[ ]school|"
    r"school|academy|church|cathedral|synagogue|temple|mosque|ministries|parish|seminary|"
    r"insurance|pharmacy|drug(?:s|store)?|inc\.?|llc|l\.l\.c\.|corp(?:oration)?\.?|ltd\.?|bank|"
    r"credit[ ]union|(?:fire|police|sheriff'?s)[ ]"
    r"(?:dep(?:artmen)?t\.?|department|office|rescue)|fire[ ](?:&|and)[ ]ems|ambulance|ems|"
    r"mortuary|funeral[ ]home|foundation|railway|railroad|industries|freight|logistics|foods|"
    r"farms|brewery|elementary|presbyterian|lutheran|methodist[ ]church|supermarket|daycare|"
    r"head[ ]start|shelter"
)
_ORGANISATION_WORDS = (
    "university college high middle elementary primary grammar charter prep school academy church "
    "cathedral synagogue temple mosque ministries parish seminary insurance pharmacy drug drugs "
    "drugstore inc llc corp corporation ltd bank credit fire police sheriff ambulance ems mortuary "
    "funeral foundation railway railroad industries freight logistics foods farms brewery "
    "supermarket daycare shelter"
)
_GENERIC_FIRST = frozenset("of and for at the".split())
_LEADING_VERB = (
    r"(?i:attend(?:ed|s)|seen|visit(?:ed|s)|referred|admitted|transferred|presented|called|"
    r"contacted|treated|evaluated|followed|reviewed)[ ]"
)
"""Words of a sentence that no name begins with: "Attended Falls Clinic"."""
_CLINIC_KINDS = frozenset("rapid access chest falls fracture stroke tia one stop hot".split())
"""Words of kinds of clinics, though together with others they are places': "Rapid City"."""
_VERB_WORDS = frozenset("to was is has had been at in from he she they with no not any".split())
"""Words of a sentence in capitals: "RUSHED TO THE HOSPITAL"."""


def _is_institution(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words before the head tell one institution from another: no "pain clinic"."""
    words = words_of(match["lead"])
    if words[0] in STOP_WORDS or words[0] in _GENERIC_FIRST:
        return False
    if not _VERB_WORDS.isdisjoint(words) or match["head"].islower():
        return False
    parts = [part for word in words for part in (word.split("-") if word not in GENERIC else ())]
    told = [word for word in parts if word not in GENERIC and word not in STOP_WORDS]
    if _CLINIC_KINDS.issuperset(told):
        return False
    return not all(is_plain(vocab, word) for word in told)


def _is_no_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a listed hospital is more than a surname, or one stays "at" it."""
    name = match["phi"][: entry_length(match["phi"], vocab, "HOSPITAL")]
    return match[0][:3].lower() == "at " or not in_word_list(vocab, name.lower(), "family_name")


def _listed_length(text: str, vocab: Vocab, phrase_type: str) -> int:
    """As `entry_length`, for names of several words that tell what they are where they stand.

    One word may be a person's or anything; so may two that a person could have ("James Cook").
    """
    length = entry_length(text, vocab, phrase_type)
    words = words_of(text[:length].replace("-", " "))
    if len(words) < 2:
        return 0
    named = is_given(vocab, words[0]) and in_word_list(vocab, words[-1], "family_name")
    return 0 if named else length


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
        "location.state_of_plate",
        "STATE",
        0.85,
        _CODES.lower(),
        rf"(?<!\w)(?P<phi>{_CODES.replace(' ', '|')})"
        r"(?= (?i:plates?|licen[cs]e|lic\.|dl|drivers?)(?![a-z]))",
    ),
    Rule(
        "location.hospital",
        "HOSPITAL",
        0.86,
        _HOSPITAL_WORDS,
        rf"(?<![\w-])(?!{_LEADING_VERB})(?P<phi>(?P<lead>{HEADED})(?P<head>(?i:{_HOSPITAL_HEADS}))(?!\w)"
        rf"(?:[ ](?:of|at)[ ](?:the )?{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}})?)"
        r"(?! ?(?i:course|stay|admission|bed|visit|day|:))",
        _is_institution,
        reach=9,
    ),
    Rule(
        "location.hospital_known",
        "HOSPITAL",
        0.8,
        "at from to of via through",
        r"(?i:at|from|to|of|via|through)[ ](?:the )?"
        rf"(?P<phi>{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{0,6}})",
        _is_no_person,
        cut=partial(entry_length, phrase_type="HOSPITAL"),
    ),
    Rule(
        "location.organization",
        "ORGANIZATION",
        0.8,
        _ORGANISATION_WORDS,
        rf"(?<![\w-])(?P<phi>(?P<lead>{HEADED})(?P<head>(?i:{_ORGANISATION_HEADS}))(?!\w)"
        rf"(?:[ ]of[ ]{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}})?)"
        r"(?! ?(?i:hosp|medical|health|clinic))",
        _is_institution,
        reach=9,
    ),
    Rule(
        "location.organization_listed",
        "ORGANIZATION",
        0.74,
        "ORGANIZATION_WORD",
        rf"(?<![\w-])(?P<phi>{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{1,4}})",
        cut=partial(_listed_length, phrase_type="ORGANIZATION"),
    ),
)
