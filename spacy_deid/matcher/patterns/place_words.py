"""What names of places and institutions are made of."""

from __future__ import annotations

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ...tokenizer import LOWER, UPPER
from ..words import is_common

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
