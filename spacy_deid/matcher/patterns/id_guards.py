"""What an identifier must not be: the guards of the rules for identifiers."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ...luhn import is_luhn
from ..words import is_common
from .common import left_of
from .date_guards import is_date

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


def is_long_code(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether an identifier after an everyday word has six digits, or a dash between two parts."""
    value = match["phi"]
    digits = sum(map(str.isdigit, value))
    return is_code(match, vocab, 5) and (digits >= 6 or ("-" in value and digits >= 4))


def is_mixed_code(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a code has letters and digits, or six digits."""
    digits = sum(map(str.isdigit, match["phi"]))
    mixed = any(map(str.isalpha, match["phi"]))
    return is_code(match, vocab, 5) and (mixed or digits >= 6)


def is_device_code(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a code is as makers stamp it: capitals and digits, eight or more."""
    value = match["phi"]
    return value.isupper() and " " not in value and is_code(match, vocab, 8)


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
