"""Rules for names of patients and those around them: courtesy titles, labels, relatives."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ...tokenizer import LETTER, LOWER
from ..rule import Rule
from ..words import INSTITUTION_WORDS, is_common, is_given, person_length
from .common import any_of
from .name_guards import (
    COURTESY,
    FIELD,
    is_known_person,
    is_person,
    is_signer,
    signer_length,
)
from .name_parts import GAP, LAST_FIRST, NAME

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


def _is_no_heading(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a word on the line after a title is no label, as in "told the Tpr.\\nCrew: two"."""
    title = match.string[match.start() : match.start("phi")]
    return "\n" not in title or match.string[match.end() : match.end() + 1] != ":"


def _is_relative(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a relative's name is one: "father Grant", not "Mother Alzheimer's", "father COPD"."""
    word = re.split(r"[\s,-]|['\u2019]s(?!\w)", match["phi"])[0].rstrip(".")
    if match[0].startswith("Twin "):  # of a town: "Twin Bridges"
        return False
    before = match.string[max(0, match.start() - 2) : match.start()]
    if match[0].startswith("Sister ") and re.fullmatch(r"[\w,] ", before):
        return False  # a nun or a nurse: "with Sister Joan"
    if match[0][0].isupper() and not INSTITUTION_WORDS.isdisjoint(match["phi"].lower().split()):
        return False  # "Mother Joseph Care Center"
    if match["named"]:
        return not is_common(vocab, word) or is_given(vocab, word)
    if len(word) < 2 or is_common(vocab, word):
        return False
    if is_given(vocab, word):
        return not word.isupper() or len(word) > 3
    return not word.isupper() and not in_word_list(vocab, word.lower(), "eponym")


RULES: tuple[Rule, ...] = (
    Rule(
        "name.titled",
        "PATIENT",
        0.89,
        f"{COURTESY} rev reverend pastor rabbi imam officer ofc deputy sgt detective trooper tpr "
        "capt cpl pfc judge coach",
        r"(?<![\w/])(?:(?:M(?:rs?|s|x)|Rev|Sgt|Ofc|Tpr|Capt|Cpl)(?![A-Za-z])\.?|"
        r"(?:MRS?|MS|MX|REV)\.(?= {1,2}[A-Z]{2})|MRS(?= )|REV(?= )|Miss|Reverend|Pastor|Rabbi|"
        rf"Imam|Officer|Deputy|Detective|Trooper|PFC|Judge|Coach){GAP}(?P<phi>{NAME})",
        _is_no_heading,
        cut=person_length,
    ),
    Rule(
        "name.titled_lower",
        "PATIENT",
        0.76,
        "mr mrs ms",
        rf"(?<![\w/.])(?:mrs?|ms)\.?[ ](?P<phi>{LOWER}{{3,20}}(?:-{LOWER}{{2,20}})?)(?!{LETTER})",
        is_person,
    ),
    Rule(
        "name.patient_label",
        "PATIENT",
        0.93,
        _PATIENT_LABELS,
        rf"(?<!\w){any_of(_PATIENT_LABELS)}(?:'s)?"
        rf"(?:[ ](?i:name|of kin|contact|full name)){{0,2}}{FIELD}(?:(?:Mr|Mrs|Ms|Miss)\.? )?"
        rf"(?P<phi>{LAST_FIRST}|{NAME})(?![ ]?:)",
        is_signer,
        cut=signer_length,
    ),
    Rule(
        "name.patient_bare",
        "PATIENT",
        0.8,
        "patient pt client name",
        rf"(?<!\w)(?i:patient|pt|client)(?:,|[ ](?i:named|is named))? (?P<phi>{NAME})",
        is_known_person,
        cut=person_length,
    ),
    Rule(
        "name.relative",
        "PATIENT",
        0.91,
        f"{_PEOPLE} named",
        rf"(?<!\w){any_of(_PEOPLE)}(?P<named>(?:,| is|'s name is|\u2019s name is)? "
        rf"(?:named|called|name is))?(?:,[ ]|[ ]\(|{GAP})"
        rf"(?:(?:Col|Capt|Lt|Maj|Sgt|Cpl)\.? )?(?P<phi>{NAME})",
        _is_relative,
        cut=person_length,
    ),
)
"""Rules for PATIENT."""
