"""Rules for identifiers. Nearly all of them are a label and, after it, a number or code."""

from __future__ import annotations

from functools import partial

from ..rule import Rule
from .common import ALONE, CODE, END, LABEL_END, MARKED_LABEL_END
from .id_guards import (
    code_length,
    is_card,
    is_code,
    is_device_code,
    is_long_code,
    is_mixed_code,
    is_no_amount,
    is_vin,
)
from .spoken import SPOKEN, SPOKEN_TRIGGERS, is_spoken_code

_SSN = r"(?i:(?:social|soc)\.? (?:security|sec\.?)(?: (?:number|no\.?))?|ss(?:n|#)?)(?![a-z])"
_LAST_FOUR = r"[ \t]{0,2}[,(]?(?i:last (?:four|4)(?: digits)?|l4)\)?(?: (?:of|is))?[ \t:#]{0,6}"


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
    Rule(
        "id.ssn_last_four",
        "SSN",
        0.95,
        "ssn ss social soc",
        rf"{_SSN}(?: (?:number|no))?[ \t]{{0,2}}(?:{_LAST_FOUR}|(?:ending|ends) (?:in )?|"
        rf"[:#]{{0,2}} ?[xX*]{{3}}-?[xX*]{{2}}-?)(?P<phi>[0-9]{{4}}){END}(?!\w)",
    ),
    Rule(
        "id.ssn_of",
        "SSN",
        0.9,
        "last l",
        r"(?i:last (?:four|4)(?: digits)?) (?:of )?"
        rf"(?i:(?:the |his |her |their )?){_SSN}{LABEL_END}(?P<phi>[0-9]{{4}}){END}(?!\w)",
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
    _labelled("plan_strong", "HEALTHPLAN", "mbi hicn hic", r"mbi|hicn?", shortest=8, score=0.95),
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
    _labelled("account_strong", "ACCOUNT", "acct csn fin", r"acct\.?|csn|fin", shortest=5),
    _labelled(
        "license",
        "LICENSE",
        "license licence lic licensed cert certificate certification driver drivers dl "
        "registration",
        r"(?:driver'?s?'? )?(?:lic(?:ence|ense|\.|\b)(?:d)?|(?<!/)dl|"
        r"cert(?:ificate|ification)?\.?)",
        score=0.9,
    ),
    Rule(
        "id.dea",
        "LICENSE",
        0.95,
        "dea",
        rf"(?i:dea)(?: reg(?:istration)?\.?)?{LABEL_END}(?P<phi>[A-Za-z][A-Za-z0-9]-?[0-9]{{7}})"
        r"(?!\w)",
    ),
    _labelled(
        "register",
        "LICENSE",
        "gmc nmc hcpc ahpra gphc hpcsa cno cpso prov provider prescriber",
        r"gmc|nmc|hcpc|ahpra|gphc|hpcsa|cno|cpso|(?:prov(?:ider)?|prescriber)(?= ?(?:no|#))",
        shortest=5,
        score=0.92,
    ),
    _labelled(
        "plate",
        "VEHICLE",
        "plate plates license licence registration rego",
        r"(?:licen[cs]e )?(?:plates?|rego)|licen[cs]e tag",
        shortest=5,
        score=0.93,
    ),
    Rule(
        "id.vin",
        "VEHICLE",
        0.95,
        "vin",
        rf"(?i:vin){LABEL_END}(?P<phi>[A-HJ-NPR-Za-hj-npr-z0-9]{{11,17}})(?!\w)",
        is_vin,
    ),
    _labelled(
        "serial",
        "DEVICE",
        "serial sn s ser device udi imei lot",
        # "serial 7s 93-86-79" is a test of attention.
        r"(?:device )?(?:serial(?! [37]['\u2019]?s\b)|ser\.?(?= ?(?:#|no))|s/n|sn(?=[ ]?[:#])|"
        r"device(?= ?(?:id|#|no|serial))|udi|imei)(?: serial)?",
        shortest=5,
        score=0.92,
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
    _labelled(
        "number",
        "IDNUM",
        "accession acc specimen case claim rx prescription job order requisition req auth "
        "authorization ref reference confirmation ticket incident report protocol study subject "
        "trial study registry candidate donor document dictation script passport badge employee "
        "thread tracking transaction record conf id dict doc sample order participant run",
        r"(?:accession|acc|specimen|case|claim|rx|prescription|job|order|requisition|req|"
        r"auth(?:orization)?|ref(?:erence)?|conf(?:irmation)?|ticket|incident|report|protocol|"
        r"study|subject|trial|registry|candidate|donor|document|doc|dict(?:ation)?|script|"
        r"passport|badge|employee|thread|tracking|transaction|record|sample|participant|run)"
        r"(?: (?:record|report|order|control|case|tracking|identification))?",
        marked=True,
        score=0.88,
    ),
    Rule(
        "id.long_number",
        "IDNUM",
        0.85,
        "npi accession acc ref auth uid passport thread rx order case claim intake subject "
        "participant no protocol study registry incident report ticket #",
        r"(?<![A-Za-z])(?:(?i:npi|accession|acc|ref|auth|uid|passport|thread|rx|order|case|"
        r"claim|intake|subject|participant|no\.|protocol|study|registry|incident|report|ticket)"
        rf"(?![a-z])|(?<!\w)#){LABEL_END}(?P<phi>{CODE})",
        is_long_code,
    ),
    Rule(
        "id.long_member",
        "HEALTHPLAN",
        0.87,
        "member subscriber policy medicaid medicare",
        rf"(?i:member|subscriber|policy|medicaid|medicare)(?![a-z]){LABEL_END}(?P<phi>{CODE})",
        is_long_code,
    ),
    Rule(
        "id.long_serial",
        "DEVICE",
        0.87,
        "sn s serial",
        rf"(?:SN|S/N|s/n|(?i:serial))(?![a-z]){LABEL_END}(?P<phi>{CODE})",
        is_long_code,
    ),
    Rule("id.spoken", "IDNUM", 0.65, SPOKEN_TRIGGERS, SPOKEN, is_spoken_code),
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
    Rule(
        "id.passcode",
        "IDNUM",
        0.88,
        "passcode passcodes voucher vouchers",
        rf"(?i:passcodes?|vouchers?)(?![a-z]){LABEL_END}(?P<phi>{CODE})",
        is_mixed_code,
    ),
    Rule(
        "id.device_code",
        "DEVICE",
        0.87,
        "tablet laptop i ipad iphone chromebook smartphone hotspot router modem smartwatch",
        r"(?i:tablet|laptop|ipad|iphone|chromebook|smartphone|hotspot|router|modem|smartwatch)"
        rf"(?![a-z]){LABEL_END}(?P<phi>{CODE})",
        is_device_code,
    ),
    _labelled("laboratory", "LICENSE", "clia", r"clia", shortest=9, score=0.93),
    _labelled("id", "IDNUM", "id i", r"(?<![a-z] )id|i\.d\.", shortest=5, score=0.76),
)
"""Rules for SSN, MEDICALRECORD, HEALTHPLAN, ACCOUNT, LICENSE, VEHICLE, DEVICE, BIOID and IDNUM."""
