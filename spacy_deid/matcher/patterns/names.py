"""Rules for names after titles, labels and relatives."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...annotation.candidates import CERTAIN, SURE
from ...text.english import WEEKDAY_FORMS
from ...text.gazetteers import in_word_list
from ...text.titles import CREDENTIALS, SURE_CREDENTIALS, TITLES
from ...text.tokenizer import LOWER, UPPER
from ..rule import Rule
from .common import BARE_WORD, any_of

_MARK = r"['\u2019]"
_TITLE_CASE = (
    rf"(?:[DLO]{_MARK}|Ma?c|[DL][aeiu]|V[ao]n|Fitz|Ben|Ste?)?{UPPER}(?:{_MARK}?{LOWER}){{1,20}}"
)
_CAPITALS = rf"(?:[DLO]{_MARK})?(?:M[AaCc]{{1,2}})?{UPPER}{{2,20}}(?!{LOWER})"
_SYLLABLE = rf"{LOWER}{{2,4}}(?!\w)"
WORD = (
    rf"(?:{_TITLE_CASE}|{_CAPITALS})(?:[-\u2013](?:{_TITLE_CASE}|{_CAPITALS}|{_SYLLABLE})){{0,2}}"
    r"(?!\w|@)"
)
_INITIAL = rf"{UPPER}(?:\.{UPPER})?(?:\.|(?!\w|[-/&@]|{_MARK}))"
_PARTICLE = (
    r"(?:(?i:van|von|de|del|della|der|den|la|las|los|le|du|da|dos|di|bin|ibn|al|el|ter|ten|zu|y|"
    r"san|santa|abu)[ -]){0,2}"
)
_NEXT_FIELD = r"[A-Z][A-Za-z]{0,20}(?: [a-z]{1,15}){0,2}[ ]?:"
GAP = (
    rf"(?:[ ](?![ ])|[ ]{{2}}(?!{_NEXT_FIELD})|"
    rf"[ ]?\n[ ]{{0,8}}(?![A-Z]{{2,20}}, ?[A-Z]{{2}}|{_NEXT_FIELD}))"
)
"""Gap between the parts of a name. Across a wide gap or a line break, "BUI, DUC" is another
person, "Service:" and "Code status:" are other fields."""
PART = rf"{_PARTICLE}(?:{WORD}|{_INITIAL})"
_NICKNAME = rf"(?:[ ][\"\u201c(]{WORD}[\"\u201d)])?"
_SUFFIX = r"(?:,? (?:(?:Jr|Sr|JR|SR)(?!\w)\.?|I{2,3}(?!\w)|IV(?!\w)))?"
NAME = rf"{PART}(?:{_NICKNAME}{GAP}{PART}){{0,3}}{_SUFFIX}"
"""A name in natural order: "Maria de la Cruz", "J. R. O'BRIEN-LEE, Jr"."""

LAST = rf"{_PARTICLE}{WORD}(?:[ ]{WORD})?"
LAST_FIRST = rf"{LAST}{_SUFFIX},[ ]{{0,2}}{PART}(?:[ ]{PART}){{0,2}}"
"""A name with the last name first: "WHITACRE, ORVILLE T"."""


COURTESY = "mr mrs ms miss mx"
FIELD = r"(?:[ \t]{0,3}[:=|][ \t]{0,20}\n?[ \t]{0,20}|[ ]-{1,2}[ ]|\t{1,4}|[ ]{2,20})"
"""Separator between a label and the name in its field."""


_ENDS = TITLES | CREDENTIALS | SURE_CREDENTIALS | frozenset(WEEKDAY_FORMS)
"""Words that end the name before them: "saw Mrs. Quist Mon"."""


def _person_length(text: str, vocab: Vocab) -> int:
    """Length of the name at the beginning of a text."""
    end, before = 0, ""
    for match in BARE_WORD.finditer(text):
        word = match.group()
        if not _continues(vocab, word, before):
            break
        before = word
        if word[0].isupper():
            end = match.end()
    return end


def _continues(vocab: Vocab, word: str, before: str) -> bool:
    """Whether `word` continues the name whose last word is `before` ("" at the start of a name).

    Everyday words do at the start, or after a given name ("Neil Young").
    """
    lower = re.sub(r"[.'\u2019]", "", word).lower()
    if lower in _ENDS or (word.isupper() and in_word_list(vocab, lower, "medical_term")):
        return False
    return (
        not before
        or not in_word_list(vocab, lower, "common_word")
        or in_word_list(vocab, before.lower(), "given_name")
    )


def _field_length(text: str, vocab: Vocab) -> int:
    """Length of the name at the beginning of a field; "LAST, FIRST" is one, not "Lopez, MD"."""
    comma = text.find(",")
    if comma < 0:
        return _person_length(text, vocab)
    first = len(text) - len(text[comma + 1 :].lstrip())
    length = _person_length(text[first:], vocab)
    return first + length if length else comma


_PEOPLE = (
    "daughter son wife husband mother father mom dad sister brother aunt uncle cousin niece nephew "
    "grandson granddaughter grandmother grandfather grandma grandpa friend neighbor neighbour "
    "roommate partner girlfriend boyfriend fiance fiancee dtr husb spouse sibling stepfather "
    "stepmother stepson stepdaughter guardian coworker boss sponsor landlord twin caregiver child "
    "baby hubby bf gf"
)
_PATIENT_LABELS = (
    "patient name pt client candidate re regarding member nok guardian spouse informant hcp proxy "
    "resident subject parent beneficiary insured guarantor"
)

_LABEL = (
    rf"(?<!\w){any_of(_PATIENT_LABELS)}(?:'s)?"
    rf"(?:[ ](?i:name|of kin|contact|full name)){{0,2}}{FIELD}(?:(?:Mr|Mrs|Ms|Miss)\.? )?"
)


def _is_relative(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a relative's name follows, not an abbreviation ("father COPD")."""
    word = re.split(r"[\s,-]|['\u2019]s(?!\w)", match["phi"])[0].rstrip(".")
    return not word.isupper()


def _is_no_word(match: re.Match[str], vocab: Vocab) -> bool:
    return not in_word_list(vocab, match["phi"].lower(), "common_word", "medical_term")


RULES: tuple[Rule, ...] = (
    Rule(
        "name.titled",
        "PATIENT",
        SURE,
        f"{COURTESY} rev reverend pastor rabbi imam officer ofc deputy sgt detective trooper tpr "
        "capt cpl pfc judge coach",
        r"(?<![\w/])(?:(?:M(?:rs?|s|x)|Rev|Sgt|Ofc|Tpr|Capt|Cpl)(?![A-Za-z])\.?|"
        r"(?:MRS?|MS|MX|REV)\.(?= {1,2}[A-Z]{2})|MRS(?= )|REV(?= )|Miss|Reverend|Pastor|Rabbi|"
        rf"Imam|Officer|Deputy|Detective|Trooper|PFC|Judge|Coach){GAP}(?P<phi>{NAME})",
        cut=_person_length,
    ),
    Rule(
        "name.patient_label",
        "PATIENT",
        SURE,
        _PATIENT_LABELS,
        rf"{_LABEL}(?P<phi>{LAST_FIRST}|{NAME})(?![ ]?:)",
        cut=_field_length,
    ),
    Rule(
        "name.part_label",
        "PATIENT",
        CERTAIN,
        "name names surname lname fname mname",
        # "LNAME=DO"; not the next label ("First name: DOB:").
        r"(?<![^\W_])(?i:(?:last|first|family|given|middle|maiden)[ _]names?|surname|[lfm]name)"
        r"[ \t]{0,3}[:=][ \t]{0,20}"
        r"(?!(?i:unknown|not|none|unable|same|see|refused|declined|test|last|first|middle)(?!\w))"
        rf"(?P<phi>{PART})(?![ ]?[:=])",
        reach=2,
    ),
    Rule(
        "name.middle_initial",
        "PATIENT",
        CERTAIN,
        "initial mi",
        # not an infarction: "MI: N", "MI: T wave inversions"
        r"(?<![^\W_])(?:(?i:middle[ _]initial)|(?:MI|mi)(?=[ \t]{0,3}[:=][ \t]{0,20}[A-MO-XZ]\.?"
        r"(?:\n|[,;|]|\t|[ ]{2}|[ ]{0,1}\Z)))"
        r"[ \t]{0,3}[:=|][ \t]{0,20}(?P<phi>[A-Z]\.?)(?![^\W_]|[ ]?[:=])",
        reach=2,
    ),
    Rule(
        "name.relative",
        "PATIENT",
        SURE,
        f"{_PEOPLE} named",
        rf"(?<!\w){any_of(_PEOPLE)}(?:(?:,| is|'s name is|\u2019s name is)? "
        rf"(?:named|called|name is))?(?:,[ ]|[ ]\(|{GAP})"
        rf"(?:(?:Col|Capt|Lt|Maj|Sgt|Cpl)\.? )?(?P<phi>{NAME})",
        _is_relative,
        cut=_person_length,
    ),
    Rule(
        "name.before_phone",
        "PATIENT",
        SURE,
        "(",
        r"\((?!Tel|Mob|Cell|Fax|Ext|Hosp|Res)(?P<phi>[A-Z][a-z]{2,15})(?=[ :,]{1,2}"
        r"(?:\(?0[0-9]{2,4}\)?[ -]?[0-9]{3,4}[ -]?[0-9]{3}|\+[1-9]|"
        r"\(?[2-9][0-9]{2}\)?[-. ]{1,2}[0-9]{3}[-. ][0-9]{4}))",
        _is_no_word,
    ),
    Rule(
        "name.irish_initials",
        "DOCTOR",
        CERTAIN,
        "' \u2019 'd 'm \u2019d \u2019m",
        # "TO'D", "S.O'B"; not the genitive "CEO'S", nor "WHO'D".
        rf"(?<![\w.'\u2019])(?!WHO)(?P<phi>[A-Z]{{1,2}}\.?O{_MARK}[A-RT-Z])(?![\w'\u2019])",
        reach=3,
    ),
)
