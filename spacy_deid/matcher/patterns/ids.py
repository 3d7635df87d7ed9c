"""Rules for identifiers, nearly all of them a label followed by a number or code."""

from __future__ import annotations

import re
from functools import partial

from spacy.vocab import Vocab

from ...annotation.candidates import CERTAIN, SURE, UNSURE
from ...text.luhn import is_luhn
from ...text.tokenizer import LETTER
from ..rule import Rule
from .common import ALONE, ANSWER, END, in_list

_LABEL_END = (
    r"(?:[ \t]{0,2}(?:#s?|(?i:nos?|num|nbr|numbers?|id|ids|code)(?![a-z])\.?)){0,2}"
    r"(?:[ \t]{1,2}(?i:is|was|of|on file|ending in|ends in)(?![a-z])){0,2}"
    rf"(?:{ANSWER}|[ \t]{{0,3}}[:=#]{{0,2}}\s{{0,20}}\(?)"
)
"""Between a label ("MRN") and its value: "#", "number is", a colon, blanks."""

_MARKED_LABEL_END = (
    r"(?:[ \t]{0,2}(?:#s?|(?i:nos?|num|nbr|numbers?|id|ids|code)(?![a-z])\.?|:)){1,3}"
    rf"(?:{ANSWER}|(?:[ \t]{{1,2}}(?i:is|was)(?![a-z]))?\s{{0,20}}\(?)"
)
"""The same after an everyday word as label ("visit"): "#", "no." or a colon is required."""


_CODE = (
    rf"(?:[A-Z]{{1,4}} (?=[0-9]))?(?=[A-Za-z]{{0,6}}(?:-[A-Za-z]{{0,4}})?[0-9])"
    rf"[A-Za-z0-9]{{1,20}}(?:[-/][A-Za-z0-9]{{1,20}}|[. ][0-9]{{2,20}}){{0,5}}"
    rf"(?:[ ][A-Z](?![\w]))?(?!{LETTER}|[0-9])"
)
"""An identifier of letters and digits, with a digit near its beginning."""

_SSN = r"(?i:(?:social|soc)\.? (?:security|sec\.?)(?: (?:number|no\.?))?|ss(?:n|#)?)(?![a-z])"


_STAMP = (
    "(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9]"
)


def _has_length(match: re.Match[str], vocab: Vocab, shortest: int) -> bool:
    """Whether a code has enough letters and digits."""
    return sum(map(str.isalnum, match["phi"])) >= shortest


def _code_length(text: str, vocab: Vocab) -> int:
    """Length of a code without a label attached to it: "31190027Acct#"."""
    glued = re.search(r"(?<=[0-9])[A-Z][a-z]{2}", text)
    return glued.start() if glued else len(text)


def _is_card(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a number has a valid check digit, as payment cards do."""
    return is_luhn(re.sub("[ -]", "", match["phi"]))


def _labelled(
    name: str,
    phi_type: str,
    triggers: str,
    label: str,
    *,
    shortest: int = 4,
    marked: bool = False,
    score: float = SURE,
) -> Rule:
    """A rule for a code of `shortest` letters and digits or more after a label (a pattern).

    triggers (str): The first words of the label.
    marked (bool): Whether "#", "number" or a colon must follow the label.
    """
    gap = _MARKED_LABEL_END if marked else _LABEL_END
    pattern = rf"(?<![A-Za-z])(?i:{label})(?![a-z]){gap}(?P<phi>{_CODE})"
    return Rule(
        f"id.{name}",
        phi_type,
        score,
        triggers,
        pattern,
        partial(_has_length, shortest=shortest),
        cut=_code_length,
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "id.ssn",
        "SSN",
        CERTAIN,
        "DATED NUMBER[-]",
        rf"{ALONE}(?P<phi>(?!000)[0-9]{{3}}-(?!00)[0-9]{{2}}-(?!0000)[0-9]{{4}}){END}(?!\w)",
    ),
    Rule(
        "id.ssn_label",
        "SSN",
        CERTAIN,
        "ssn ss social soc",
        rf"{_SSN}{_LABEL_END}(?P<phi>[0-9]{{3}}[- .]?[0-9]{{2}}[- .]?[0-9]{{4}}){END}",
    ),
    _labelled(
        "mrn",
        "MEDICALRECORD",
        "mrn mrns mr medrec emrn",
        # A bare "MR 150" is an image, a time interval in it, a regurgitant volume.
        r"e?mrns?|mr(?=[ ]?#|[ ]no\b|[ ]number|[ ]?:[ ]?[0-9]{6}| {1,3}[0-9]{5}|"
        r" {1,3}[0-9]{2,3}[- ][0-9]{2,3}[- ][0-9]{2,4})|medrec",
        shortest=3,
        score=CERTAIN,
    ),
    _labelled(
        "medical_record",
        "MEDICALRECORD",
        "medical med hospital unit health patient pt chart agency hosp",
        r"(?:medical|med\.?|health|hosp(?:ital)?|unit|patient|pt\.?|chart|agency)"
        r"(?: ?(?:rec(?:ord)?s?\.?|chart|file))?",
        marked=True,
    ),
    _labelled(
        "record_words",
        "MEDICALRECORD",
        "medical med",
        r"med(?:ical)?\.? rec(?:ord)?s?\.?",
    ),
    _labelled(
        "record_letters",
        "MEDICALRECORD",
        "uhid urn ip ihs chi hsc nhi",
        r"uhid|urn|ip(?= ?no)|ihs(?= ?(?:#|no))|chi(?= ?(?:#|no|:))|hsc(?= ?no)|nhi",
    ),
    Rule(
        # National ids; short labels mean other things in lower case.
        "id.national",
        "IDNUM",
        SURE,
        "aadhaar aadhar nino nric mykad pesel cnic iqama emirates codice ghana ppsn national pan "
        "sin tfn pps cpf dni nie bsn",
        r"(?<![A-Za-z])(?:(?i:aadhaa?r|nino|nric|mykad|pesel|cnic|iqama|emirates id|ppsn|"
        r"codice fiscale|ghana card|national (?:insurance|id|identity card))|"
        rf"PAN|SIN|TFN|PPS|CPF|DNI|NIE|BSN)(?![A-Za-z]){_LABEL_END}(?P<phi>{_CODE})",
        partial(_has_length, shortest=7),
    ),
    Rule(
        "id.nhs",
        "MEDICALRECORD",
        CERTAIN,
        "nhs",
        rf"(?i:nhs){_LABEL_END}(?P<phi>[0-9]{{3}}[ -]?[0-9]{{3}}[ -]?[0-9]{{4}}){END}(?!\w)",
    ),
    _labelled(
        "plan",
        "HEALTHPLAN",
        "member membership subscriber policy mbi hicn hic medicaid medicare insurance plan group "
        "beneficiary enrollee medi bcbs nhs",
        r"(?:(?:insurance|plan|medicaid|medicare|medi-cal|bcbs) )?"
        # A bare "Plan:" is a heading, unless a long number follows.
        r"(?:member(?:ship)?|subscriber|policy|insurance|group|grp|beneficiary|enrollee|"
        r"(?<=health )plan|(?:insurance|medicaid|medicare|bcbs) plan|"
        r"plan(?= ?#| (?:nos?|num|numbers?|id|identification|policy|member)\b|"
        r": ?[A-Z]{0,4}[0-9]{6})|"
        r"medicaid|medicare|medi-cal|bcbs|nhs)(?: policy| member| identification)?",
        marked=True,
        shortest=5,
    ),
    _labelled(
        "account",
        "ACCOUNT",
        "acct account encounter billing visit fin csn har episode invoice",
        r"(?:acct|account|encounter|billing(?! code)|visit|fin|csn|har|episode|"
        r"invoice)(?: (?:acct|account))?",
        marked=True,
    ),
    Rule(
        "id.iban",
        "ACCOUNT",
        SURE,
        "iban",
        r"(?i:iban)(?: (?i:number|code|no\.?|is))?[ ]{0,2}[:#]?[ ]{0,2}"
        r"(?P<phi>[A-Za-z]{2}[0-9]{2}(?:[ ]?[0-9A-Za-z]{4}){2,7}(?:[ ]?[0-9]{1,3})?)(?!\w)",
    ),
    Rule(
        # Visa, Mastercard or Discover: 16 digits in fours; American Express: 15 as 4-6-5.
        "id.payment_card",
        "ACCOUNT",
        CERTAIN,
        "FOUR LONG",
        rf"{ALONE}(?P<phi>(?:4[0-9]{{3}}|5[1-5][0-9]{{2}}|2[2-7][0-9]{{2}}|6(?:011|5[0-9]{{2}}))"
        r"(?P<gap>[ -]?)[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}|"
        rf"3[47][0-9]{{2}}(?P<space>[ -]?)[0-9]{{6}}(?P=space)[0-9]{{5}}){END}(?!\w)",
        _is_card,
    ),
    _labelled(
        "license",
        "LICENSE",
        "license licence lic licensed cert certificate certification driver drivers dl "
        "registration",
        r"(?:driver'?s?'? )?(?:lic(?:ence|ense|\.|\b)(?:d)?|(?<!/)dl|"
        r"cert(?:ificate|ification)?\.?)",
    ),
    _labelled(
        "register",
        "LICENSE",
        "gmc nmc hcpc ahpra gphc hpcsa cno cpso prov provider prescriber",
        r"gmc|nmc|hcpc|ahpra|gphc|hpcsa|cno|cpso|(?:prov(?:ider)?|prescriber)(?= ?(?:no|#))",
        shortest=5,
    ),
    Rule(
        "id.vin",
        "VEHICLE",
        SURE,
        "vin",
        rf"(?i:vin){_LABEL_END}(?=[A-Za-z]{{0,8}}[0-9])(?=[0-9]{{0,16}}[A-Za-z])"
        r"(?P<phi>[A-HJ-NPR-Za-hj-npr-z0-9]{11,17})(?!\w)",
    ),
    Rule(
        "id.mac",
        "DEVICE",
        CERTAIN,
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
    ),
    _labelled(
        "registry", "IDNUM", "unos paris systmone emis", r"unos|paris|systmone|emis", shortest=5
    ),
    Rule(
        "id.access_code",
        "IDNUM",
        CERTAIN,
        "door gate garage entry alarm keypad privacy hipaa security lockbox keysafe lock key",
        # The code is required where the word alone may come before a time: "door 0341".
        r"(?i:(?:door|gate|garage|entry|alarm|keypad|privacy|hipaa|security) (?:code|pin)|"
        r"(?:lock ?box|key ?safe)(?: code| pin| combo)?)(?![a-z])(?: [0-9A-Z]{1,4}(?=:))?"
        r"(?: (?i:is|was|no\.?|number))?[ :=#]{1,3}"
        r"(?P<phi>[#*]?[0-9]{3,8}[#*]?)(?![\w/]|[.:-][0-9])",
    ),
    Rule(
        "id.password",
        "IDNUM",
        CERTAIN,
        "password passcode pwd pw",
        r"(?i:password|passcode|pwd|pw)(?: (?i:is|was|to))?[ :=]{1,3}"
        r"(?P<phi>(?=\S{1,29}[0-9])[A-Za-z][A-Za-z0-9#!$&*@._-]{4,29}[A-Za-z0-9#!$*])",
    ),
    Rule(
        "id.listed",
        "IDNUM",
        CERTAIN,
        "NUMBER",
        rf"{ALONE}(?P<phi>[0-9]{{4,12}})(?![\w/%]|[.:-][0-9])",
        in_list(r"nos\.?:?", r"[0-9]{4,12}(?:, ?|; ?|,? (?:and|or|&) )"),  # "nos. 1234, 1240 and "
    ),
    Rule(
        # Quantities are never so long and exact; such a number is an identifier, label or not,
        # unless it is a stamp of date and time: "202312090417".
        "id.bare_number",
        "IDNUM",
        UNSURE,
        "LONG",
        rf"(?<![\w/.,$-])(?<!PMID:)(?<!PMID )(?<!PMID: )(?!{_STAMP})(?P<phi>[0-9]{{7,12}}){END}"
        r"(?![\w%]|,[0-9])",
    ),
)
