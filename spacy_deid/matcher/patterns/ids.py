"""Rules for identifiers. Nearly all of them are a label and, after it, a number or code."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ...luhn import is_luhn
from ...text.gazetteers import in_word_list
from ..rule import Rule
from ..words import is_common
from .common import ALONE, CODE, END, LABEL_END, MARKED_LABEL_END, left_of
from .dates import is_date

_AMOUNT = re.compile(
    r"(?:[A-Z]{1,4} )?(?:[0-9]{1,4}[a-z]{1,5}|[0-9]{1,3}/[0-9]{1,4}|"
    r"(?i:[0-9]{1,4}(?:mc?g|ml|meq)[-/][0-9]{1,4}(?:mc?g|ml|meq)))"
)
_UNIT = re.compile(
    r"[ -]?(?:%|(?:days?|wks?|weeks?|mos?|months?|hrs?|hours?|mins?|minutes?|sec|ms|mm|cm|mc?g|"
    r"m[lL]|units?|pills?|tab(?:let)?s?|caps?|visits?|sessions?|doses?)(?![a-z]))"
)
_NUMBER_AND_WORD = re.compile(
    r"[0-9]{1,3}(?:-[0-9]{1,3})?-([A-Za-z]{3,20})(?![A-Za-z0-9]|-[0-9]{5})"
)
_VERTEBRA = r"(?:C[1-8]|T(?:1[0-2]|[1-9])|L[1-6]|S[1-5])"
_MASS, _ELEMENT = (
    r"(?:6[478]|8[29]|90|99m?|111|12[345]|131|177|201|223)",
    r"(?:Cu|Ga|I|In|Lu|Ra|Rb|Tc|Tl|Y|Zr)",
)
"""Of the isotopes that patients are given."""

_MEDICAL_CODE = re.compile(
    rf"(?:{_VERTEBRA}(?:[-/](?:{_VERTEBRA}|1[0-2]|[1-9])){{1,4}}|"  # T12-L2, L4-5
    rf"(?:11C|13N|15O|18F|{_MASS}{_ELEMENT})-[A-Z][A-Za-z0-9-]{{1,20}}|"  # 18F-FDG
    rf"{_ELEMENT}-{_MASS}|"
    r"(?i:cha2ds2(?:-?vasc?)?|ca[ -]?(?:125|19-9|15-3|27[.-]29)|cd1?[0-9]{2}|h[1-9]n[1-9]|"
    r"covid-?19|icd-?(?:9|1[01])(?:-cm|-pcs)?|q[0-9]{1,2}(?:-[0-9]{1,2})?h)|"
    r"[acpry]{0,2}T[0-4][a-d]?N[0-3][a-c]?(?:M[01][a-c]?)?)(?![A-Za-z0-9-])"  # scores, markers, TNM
)
"""Letters and digits that stand for a thing of medicine, not for one patient's."""

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_NUMBER_SIGN = re.compile(r"(?:#|\b(?:no\.?|number|id|mrns?))[ :]{0,4}\Z", re.IGNORECASE)

_PUBLIC_CODE = (
    r"(?i:loinc|snomed(?:[ -]?ct)?|ndc|cpt|icd(?:-?(?:9|1[01]))?(?:-cm|-pcs)?|rxnorm|rxcui|hcpcs|"
    r"bin|pmid|nct|gtin|upc|isbn)(?i: (?:codes?|id|no\.?|number))?[ \t:#(]{0,3}"
)
_LEFT_OF_PUBLIC_CODE = re.compile(rf"\b{_PUBLIC_CODE}\Z")
_LABELLED_PUBLIC_CODE = re.compile(rf"{_PUBLIC_CODE}[0-9]")
_LEFT_OF_COUNT = re.compile(r"\b(?:[dr]na|pcr|vl|viral load)[ \t:=]{0,3}\Z", re.IGNORECASE)
_RIGHT_OF_COUNT = re.compile(r"[ ]?(?:iu|copies|cfu|cells|units?)(?![a-z])", re.IGNORECASE)


def is_public_code(match: re.Match[str]) -> bool:
    """Whether the name of a public code system stands before: "LOINC", "NDC"."""
    return bool(_LEFT_OF_PUBLIC_CODE.search(left_of(match, 30, "phi")))


def is_code(match: re.Match[str], vocab: Vocab, shortest: int) -> bool:
    """Whether an identifier is long enough, and no date, range, dose, amount or medical word."""
    value = match["phi"]
    size, digits = sum(map(str.isalnum, value)), sum(map(str.isdigit, value))
    if size < shortest or digits < 2 or _LABELLED_PUBLIC_CODE.match(value):
        return False
    if all(map(is_date, re.split(r"(?<=[0-9]{2})-(?=[0-9]{1,2}/)", value))):
        return False
    if _YEAR.fullmatch(value) and not _NUMBER_SIGN.search(left_of(match, 30, "phi")):
        return False  # "ACLS cert 2019"
    return not (_is_amount(match, vocab) or _MEDICAL_CODE.match(value) or _is_dose(value, vocab))


def _is_amount(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a number has a unit: "500mg", "10-14 days", "12-lead", "24-Hour"."""
    value = match["phi"]
    number = re.match(r"[0-9]{1,4}(?:-[0-9]{1,4})?(?![0-9])", value)
    if number and _UNIT.match(match.string, match.start("phi") + number.end()):
        return True
    word = _NUMBER_AND_WORD.match(value)
    if word is not None and (word[1].islower() and len(word[1]) > 3 or is_common(vocab, word[1])):
        return True  # but a plate may be "835-wnm"
    return bool(_AMOUNT.fullmatch(value))


def _is_dose(value: str, vocab: Vocab) -> bool:
    """Whether an identifier is a drug and its dose: "APAP 500"."""
    dose = re.fullmatch(r"([A-Za-z]{2,})[ -][0-9]{1,4}", value)
    return dose is not None and in_word_list(vocab, dose[1].lower(), "medical_term")


def code_length(text: str, vocab: Vocab) -> int:
    """Length of a code without the label that is glued to it: "31190027Acct#"."""
    glued = re.search(r"(?<=[0-9])[A-Z][a-z]{2}", text)
    return glued.start() if glued else len(text)


def is_no_amount(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a long number is neither round, as amounts are, nor a count, date or public code."""
    compact_date = re.fullmatch(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9]", match["phi"])
    if match["phi"].endswith("000") or compact_date or is_public_code(match):
        return False
    counted = _RIGHT_OF_COUNT.match(match.string, match.end("phi"))
    return not counted and not _LEFT_OF_COUNT.search(left_of(match, 30, "phi"))


def is_vin(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a vehicle's number mixes letters and digits."""
    value = match["phi"]
    return any(map(str.isalpha, value)) and sum(map(str.isdigit, value)) > 4


def is_card(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a number ends in its check digit, as those of payment cards do."""
    return is_luhn(re.sub("[ -]", "", match["phi"]))


_SSN = r"(?i:(?:social|soc)\.? (?:security|sec\.?)(?: (?:number|no\.?))?|ss(?:n|#)?)(?![a-z])"


def _labelled(
    name: str,
    phi_type: str,
    triggers: str,
    label: str,
    *,
    shortest: int = 4,
    marked: bool = False,
    score: float = 0.9,
) -> Rule:
    """A rule for a code after a label.

    name (str): Name of the rule, without its category.
    phi_type (str): PHI type.
    triggers (str): The first words of the label.
    label (str): Pattern of the label; capitals do not matter.
    shortest (int): Letters and digits that the code has at least.
    marked (bool): Whether there must be "#", "number" or a colon after the label.
    score (float): Confidence.
    RETURNS (Rule): The rule.
    """
    gap = MARKED_LABEL_END if marked else LABEL_END
    pattern = rf"(?<![A-Za-z])(?i:{label})(?![a-z]){gap}(?P<phi>{CODE})"
    return Rule(
        f"id.{name}",
        phi_type,
        score,
        triggers,
        pattern,
        partial(is_code, shortest=shortest),
        cut=code_length,
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "id.ssn",
        "SSN",
        0.97,
        "DATED NUMBER",
        rf"{ALONE}(?P<phi>(?!000)[0-9]{{3}}-(?!00)[0-9]{{2}}-(?!0000)[0-9]{{4}}){END}(?!\w)",
    ),
    Rule(
        "id.ssn_label",
        "SSN",
        0.97,
        "ssn ss social soc",
        rf"{_SSN}{LABEL_END}(?P<phi>[0-9]{{3}}[- .]?[0-9]{{2}}[- .]?[0-9]{{4}}){END}",
    ),
    _labelled(
        "mrn",
        "MEDICALRECORD",
        "mrn mrns mr medrec emrn",
        # A bare "MR 150" is an image, a pause in it, a regurgitant volume.
        r"e?mrns?|mr(?=[ ]?#|[ ]no\b|[ ]number|[ ]?:[ ]?[0-9]{6}| {1,3}[0-9]{5}|"
        r" {1,3}[0-9]{2,3}[- ][0-9]{2,3}[- ][0-9]{2,4})|medrec",
        shortest=3,
        score=0.97,
    ),
    _labelled(
        "medical_record",
        "MEDICALRECORD",
        "medical med hospital unit health patient pt chart agency hosp",
        r"(?:medical|med\.?|health|hosp(?:ital)?|unit|patient|pt\.?|chart|agency)"
        r"(?: ?(?:rec(?:ord)?s?\.?|chart|file))?",
        marked=True,
        score=0.93,
    ),
    _labelled(
        "record_words",
        "MEDICALRECORD",
        "medical med",
        r"med(?:ical)?\.? rec(?:ord)?s?\.?",
        score=0.93,
    ),
    _labelled(
        "record_letters",
        "MEDICALRECORD",
        "uhid urn ip ihs chi hsc nhi",
        r"uhid|urn|ip(?= ?no)|ihs(?= ?(?:#|no))|chi(?= ?(?:#|no|:))|hsc(?= ?no)|nhi",
        score=0.94,
    ),
    Rule(
        # Numbers that countries give their people; short labels mean other things in small letters.
        "id.national",
        "IDNUM",
        0.93,
        "aadhaar aadhar nino nric mykad pesel cnic iqama emirates codice ghana ppsn national pan "
        "sin tfn pps cpf dni nie bsn",
        r"(?<![A-Za-z])(?:(?i:aadhaa?r|nino|nric|mykad|pesel|cnic|iqama|emirates id|ppsn|"
        r"codice fiscale|ghana card|national (?:insurance|id|identity card))|"
        rf"PAN|SIN|TFN|PPS|CPF|DNI|NIE|BSN)(?![A-Za-z]){LABEL_END}(?P<phi>{CODE})",
        partial(is_code, shortest=7),
    ),
    Rule(
        "id.nhs",
        "MEDICALRECORD",
        0.97,
        "nhs",
        rf"(?i:nhs){LABEL_END}(?P<phi>[0-9]{{3}}[ -]?[0-9]{{3}}[ -]?[0-9]{{4}}){END}(?!\w)",
    ),
    _labelled(
        "plan",
        "HEALTHPLAN",
        "member membership subscriber policy mbi hicn hic medicaid medicare insurance plan group "
        "beneficiary enrollee medi bcbs nhs",
        r"(?:(?:insurance|plan|medicaid|medicare|medi-cal|bcbs) )?"
        # A bare "Plan:" heads what shall be done, unless a long number follows.
        r"(?:member(?:ship)?|subscriber|policy|insurance|group|grp|beneficiary|enrollee|"
        r"(?<=health )plan|(?:insurance|medicaid|medicare|bcbs) plan|"
        r"plan(?= ?#| (?:nos?|num|numbers?|id|identification|policy|member)\b|"
        r": ?[A-Z]{0,4}[0-9]{6})|"
        r"medicaid|medicare|medi-cal|bcbs|nhs)(?: policy| member| identification)?",
        marked=True,
        shortest=5,
        score=0.92,
    ),
    _labelled(
        "account",
        "ACCOUNT",
        "acct account encounter billing visit fin csn har episode invoice",
        r"(?:acct|account|encounter|billing(?! code)|visit|fin|csn|har|episode|"
        r"invoice)(?: (?:acct|account))?",
        marked=True,
        score=0.92,
    ),
    Rule(
        "id.iban",
        "ACCOUNT",
        0.95,
        "iban",
        r"(?i:iban)(?: (?i:number|code|no\.?|is))?[ ]{0,2}[:#]?[ ]{0,2}"
        r"(?P<phi>[A-Za-z]{2}[0-9]{2}(?:[ ]?[0-9A-Za-z]{4}){2,7}(?:[ ]?[0-9]{1,3})?)(?!\w)",
    ),
    Rule(
        # 16 digits of Visa, Mastercard or Discover in fours, 15 of American Express as 4-6-5.
        "id.payment_card",
        "ACCOUNT",
        0.97,
        "NUMBER",
        rf"{ALONE}(?P<phi>(?:4[0-9]{{3}}|5[1-5][0-9]{{2}}|2[2-7][0-9]{{2}}|6(?:011|5[0-9]{{2}}))"
        r"(?P<gap>[ -]?)[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}|"
        rf"3[47][0-9]{{2}}(?P<space>[ -]?)[0-9]{{6}}(?P=space)[0-9]{{5}}){END}(?!\w)",
        is_card,
    ),
    _labelled(
        "license",
        "LICENSE",
        "license licence lic licensed cert certificate certification driver drivers dl "
        "registration",
        r"(?:driver'?s?'? )?(?:lic(?:ence|ense|\.|\b)(?:d)?|(?<!/)dl|"
        r"cert(?:ificate|ification)?\.?)",
        score=0.9,
    ),
    _labelled(
        "register",
        "LICENSE",
        "gmc nmc hcpc ahpra gphc hpcsa cno cpso prov provider prescriber",
        r"gmc|nmc|hcpc|ahpra|gphc|hpcsa|cno|cpso|(?:prov(?:ider)?|prescriber)(?= ?(?:no|#))",
        shortest=5,
        score=0.92,
    ),
    Rule(
        "id.vin",
        "VEHICLE",
        0.95,
        "vin",
        rf"(?i:vin){LABEL_END}(?P<phi>[A-HJ-NPR-Za-hj-npr-z0-9]{{11,17}})(?!\w)",
        is_vin,
    ),
    Rule(
        "id.mac",
        "DEVICE",
        0.97,
        "mac",
        r"(?i:mac)(?: (?:address|addr\.?|id))?[ \t]{0,2}:?[ \t]{0,4}"
        r"(?P<phi>[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5})(?!\w)",
    ),
    _labelled(
        "biometric",
        "BIOID",
        "fingerprint biometric retinal voiceprint faceprint palm iris",
        r"(?:fingerprint|biometric|retinal|voiceprint|faceprint|palm|iris)"
        r"(?: (?:scan|template|print|hash|id|record|code)){0,2}",
        score=0.92,
    ),
    Rule(
        # Amounts are never so long and so exact; what is, is someone's number, label or not.
        "id.bare_number",
        "IDNUM",
        0.6,
        "NUMBER",
        rf"(?<![\w/.,$-])(?<!PMID:)(?<!PMID )(?<!PMID: )(?P<phi>[0-9]{{7,12}}){END}"
        r"(?![\w%]|,[0-9])",
        is_no_amount,
    ),
)
