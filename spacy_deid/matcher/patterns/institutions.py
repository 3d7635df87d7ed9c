"""Rules for hospitals and organisations, by the words that such names end in and the gazetteer."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ..rule import Rule
from ..words import STOP_WORDS, entry_length, is_given
from .common import left_of
from .place_words import GENERIC, HEADED, LINK, PLACE_WORD, is_plain, words_of

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
_KNOWN = (
    r"CVS(?: Pharmacy|(?= pharmacy))|(?:(?<=at )|(?<=to )|(?<=from ))CVS|Walgreens?|Rite Aid|"
    r"Wal-?[Mm]art|Kroger|Costco|Safeway|Aetna|Cigna|Humana|"
    r"Blue Cross(?:[ /]?(?:and )?Blue Shield)?|BCBS|United ?[Hh]ealth[Cc]are|UHC|"
    r"Kaiser(?: Permanente)?|Anthem|Tricare|TRICARE|Quest(?: Diagnostics)?|Lab[Cc]orp|Amazon|"
    r"Starbucks|McDonald['\u2019]s|Home Depot|Target(?= (?:pharmacy|store))|FedEx|UPS|Bupa|"
    r"Medibank|Optum(?:Rx| Rx)?|Express Scripts|Caremark|SelectHealth|HealthPartners|UCare|"
    r"Medi-?Cal(?= (?:plan|managed))|Molina|Centene|WellCare|Amerigroup|Geisinger Health Plan|"
    r"Albertsons|Publix|Meijer|H-E-B|HEB(?= pharmacy)|Giant Eagle|Hy-Vee|Duane Reade|Osco|"
    r"Jewel-Osco|Kinney Drugs|Shoppers Drug Mart|Chemist Warehouse|Superdrug|Apria|Lincare|"
    r"Instacart|DoorDash|Walmart|Sam['\u2019]s Club|IKEA|Wegmans|Aldi|Tesco|Woolworths"
)
_KNOWN_WORDS = (
    "cvs walgreens walgreen rite wal walmart kroger costco safeway aetna cigna humana blue bcbs "
    "united unitedhealthcare uhc kaiser anthem tricare quest labcorp amazon starbucks home target "
    "fedex ups bupa medibank mcdonald optum optumrx express caremark selecthealth healthpartners "
    "ucare medi molina centene wellcare amerigroup geisinger albertsons publix meijer h heb giant "
    "hy duane osco jewel kinney shoppers chemist superdrug apria lincare instacart doordash "
    "walmart sam ikea wegmans aldi tesco woolworths"
)
_ORDINAL = r"[0-9]{1,3}(?:st|nd|rd|th|d|ST|ND|RD|TH)"
_FORMATION = r"(?:Cavalry|Cav|Division|Div|Regiment|Regt|Brigade|Bde|Battalion|Bn)(?!\w)"
_TROOPS = (
    r"(?:Marines?|Infantry|Inf(?= (?:Div|Reg|Bde|Brig|Bn))|Cavalry|Cav|Armored|Airborne|Mountain|"
    r"Rangers?|[A-Z][a-z]{2,12} Regiment|ID(?= (?:in|during) (?:theat|Iraq|Afghan|combat|the war)))"
)
"""After an ordinal, a military unit; an "Inf" may be an infusion, "3rd ID" an infectious case."""
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


def _is_company(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "UPS" is the carrier, and no plural in capitals: "PUSH UPS", "WORK UPS"."""
    before = left_of(match, 8)
    return match["phi"] != "UPS" or not re.search(
        r"(?<![A-Z])(?:PUSH|PULL|SIT|CHIN|STEP|WORK|FOLLOW|CHECK|CLEAN|TOUCH|FLARE) \Z", before
    )


def _is_saint(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "St. X" is a hospital and no street or town."""
    return bool(re.search(r"['\u2019]s|Regional|General|Memorial|Univ", match["phi"]))


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
        "location.saint",
        "HOSPITAL",
        0.76,
        "at to from",
        rf"(?i:at|to|from)[ ](?P<phi>(?:St\.?|Saint|Mt\.?|Mount|ST\.?)[ ]{PLACE_WORD}"
        r"(?:[ ](?:Regional|General|Memorial|Univ(?:ersity)?|Mercy|ED|ER)(?!\w))?)",
        _is_saint,
    ),
    Rule(
        "location.memorial",
        "HOSPITAL",
        0.76,
        "memorial regional general methodist baptist deaconess",
        rf"(?<![\w-])(?P<phi>(?P<lead>{PLACE_WORD}(?:[ ]{PLACE_WORD}){{0,2}}[ ])"
        r"(?:Memorial|Regional|General|Methodist|Baptist|Deaconess)(?P<head>))"
        r"(?= ED| ER|[,.;)\n]| on| for| with| and| in| for)",
        _is_institution,
        reach=5,
    ),
    Rule(
        "location.va",
        "HOSPITAL",
        0.76,
        "va",
        r"(?:(?<=the )|(?<=at )|(?<=The ))(?P<phi>VA)(?!\w| (?:shunt|was|is))|(?P<phi2>VA)"
        r"(?= (?:records|RECORDS|hospital|clinic|Hospital|Clinic|system|doctor|PCP|pharmacy))",
    ),
    Rule(
        "location.ward",
        "HOSPITAL",
        0.76,
        "NUMBER",
        r"(?:(?<=to )|(?<=on )|(?<=from )|(?<=TO )|(?<=ON )|(?<=unit )|(?<=floor ))"
        r"(?P<phi>[0-9]{1,2}[ ]?(?:North|South|East|West|NORTH|SOUTH|EAST|WEST))"
        r"(?!\w| ?(?:[A-Z][a-z]{1,12} )?(?:St|Ave|Rd|Street))",
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
        "location.university_of",
        "ORGANIZATION",
        0.85,
        "university college church bank",
        rf"(?P<phi>(?:University|UNIVERSITY|College|Church|Bank) (?i:of) (?:the )?{PLACE_WORD}"
        rf"(?:[ -]{PLACE_WORD}){{0,2}})",
    ),
    Rule(
        "location.hospital_listed",
        "HOSPITAL",
        0.72,
        "HOSPITAL_WORD",
        rf"(?<![\w-])(?P<phi>{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{1,4}})",
        reach=2,
        cut=partial(_listed_length, phrase_type="HOSPITAL"),
    ),
    Rule(
        "location.organization_listed",
        "ORGANIZATION",
        0.74,
        "ORGANIZATION_WORD",
        rf"(?<![\w-])(?P<phi>{PLACE_WORD}(?:{LINK}{PLACE_WORD}){{1,4}})",
        cut=partial(_listed_length, phrase_type="ORGANIZATION"),
    ),
    Rule(
        "location.company",
        "ORGANIZATION",
        0.8,
        _KNOWN_WORDS,
        rf"(?<![\w-])(?P<phi>{_KNOWN})(?!\w)",
        _is_company,
    ),
    Rule(
        "location.military_unit",
        "ORGANIZATION",
        0.8,
        "marines marine infantry inf cavalry cav armored airborne mountain bn battalion id "
        "regiment ranger rangers",
        rf"(?<![\w/.-])(?P<phi>(?:{_ORDINAL} (?:Bn|BN|Battalion),? )?(?:[0-9]/)?"
        rf"(?:{_ORDINAL}|(?<=[0-9]/)[0-9]{{1,3}}) {_TROOPS}(?: {_FORMATION}){{0,2}}|"
        rf"{_ORDINAL} (?:Bn|BN|Battalion))(?!\w| (?i:precautions|isolation))",
        reach=6,
    ),
)
"""Rules for HOSPITAL and ORGANIZATION."""
