"""What a place must not be: the guards of the rules for places."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...gazetteers import PHRASE_TYPES, in_word_list, phrase_mask
from ..words import STOP_WORDS, is_common, is_given, is_medical
from .common import left_of
from .place_words import GENERIC, PLACE_WORD, is_plain, words_of

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
SURE_SUFFIX = (
    r"(?i:street|avenue|ave|road|rd|lane|drive|boulevard|blvd|parkway|pkwy|highway|turnpike|"
    r"terrace|st(?=\.?(?:[,\n]|\Z)))(?![A-Za-z])\.?"
)
_MEDICAL_CODES = frozenset("ND SC NC GA VT NE NT".split())
"""States only after a known town or "in": "Soft, ND" (nondistended), "insulin, SC", "VT"."""
_AMBIGUOUS_CODES = frozenset(
    "MD PA OR IN ME OK HI LA AL ID CO DE MS MT MA ON AB ACT CT CA VA MI PR".split()
)
_LONGEST_ABBREVIATION = 3  # letters of words in capitals that are no town: "PCV, VT 420"

_PERSON_FOLLOWS = re.compile(
    r"[ ,;|(]{1,3}(?:DOB|D\.O\.B|dob|MRN|mrn|MR ?#|"
    r"[0-9]{1,3} ?-?(?:[MFmf]|[yY]/?[oO]?|yrs?)(?!\w| ago))"
)
"""What follows a patient's name: a birth date, a number, an age and a sex."""
_PERSON_PRECEDES = re.compile(
    r"(?<!\w)(?:pt|patient|(?-i:Mrs?|MRS?|Ms|MS|Dr|DR|RN)|miss|nurse)\.? \Z", re.IGNORECASE
)
_KIN_WORD = (
    r"(?<![a-z])(?:wife|husband|spouse|partner|sons?|daughters?|sisters?|brothers?|siblings?|"
    r"twins?|kids|child(?:ren)?|nieces?|nephews?|cousins?|aunts?|uncles?|parents?|mother|father|"
    r"mom|dad|family|friends?|grand(?:sons?|daughters?|children|kids)|dtrs?|roommates?)(?![a-z])"
)
_KIN_PRECEDES = re.compile(rf"{_KIN_WORD} \Z", re.IGNORECASE)
_KIN_LIST = re.compile(rf"(?i:{_KIN_WORD})(?:,? (?:and |& )?[A-Z][\w'-]{{1,20}}){{1,5}}\Z")
"""A relative and names up to here, nothing else: "Wife Ann, Jordan"."""
_THING = re.compile(
    r"[\w-]{1,20}(?: [A-Z])? (?:collars?|braces?|chromosomes?|splints?|shunts?|nuts?|ink|pigs?|"
    r"sandwich|naming|bowel prep)(?![a-z])",
    re.IGNORECASE,
)
"""Things called after a place: "Philadelphia collar", "Brazil nut"."""

_NO_TOWN_ENDS = frozenset("county parish west central north south eastern upstate".split())
"""Before a state, words that no town ends in: "West Virginia", "Central Michigan"."""


def is_city(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what stands before a state may be a city, and the state is no credential."""
    words = words_of(match["phi"])
    if not STOP_WORDS.isdisjoint(words[words[0] == "st" :]) or words[0] in GENERIC:
        return False
    if words[-1] in _NO_TOWN_ENDS or _is_listed_person(match, match["state"], vocab):
        return False
    known = bool(phrase_mask(vocab, match["phi"]) >> PHRASE_TYPES.index("CITY") & 1)
    if not (known or match["zip"]) and any(is_medical(vocab, word) for word in words):
        return False
    if match["state"] in _MEDICAL_CODES and not (match["zip"] or _is_told_where(match)):
        return known and (len(words) > 1 or not is_plain(vocab, words[0]))
    if known:
        return match["state"].upper() not in ("MD", "PA", "DO", "MA") or _has_place_cue(match)
    abbreviated = match["phi"].isupper() and all(
        len(word) <= _LONGEST_ABBREVIATION for word in words
    )
    return bool(match["zip"]) or not (
        abbreviated
        or match["state"] in _AMBIGUOUS_CODES
        or any(is_common(vocab, word) for word in words if word != "st")
    )


def is_after_place(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a state's letters begin a line or follow a comma or a name: no "interpreter ID"."""
    before = left_of(match, 30).rstrip(" ")
    last = re.split(r"[\s-]", before)[-1]
    return not last or last[-1] in ",.|:)" or (last[0].isupper() and last.isalpha())


def _has_place_cue(match: re.Match[str]) -> bool:
    """Whether a ZIP code follows or a word like "from" stands before."""
    before = left_of(match, 12)
    return bool(match["zip"]) or bool(re.search(r"\b(?:in|from|to|of|near)\s{1,2}\Z|, \Z", before))


def _is_told_where(match: re.Match[str]) -> bool:
    """Whether a word like "from" or a street stands right before."""
    before = left_of(match, 20)
    return bool(re.search(rf"\b(?i:in|from|to|of|near|at) \Z|{SURE_SUFFIX}, \Z", before))


def _is_listed_person(match: re.Match[str], given: str, vocab: Vocab) -> bool:
    """Whether "Hale, Georgia" is a patient on a list: an age, DOB or MRN follows, no "from"."""
    return (
        is_given(vocab, given)
        and bool(_PERSON_FOLLOWS.match(match.string, match.end()))
        and not _is_told_where(match)
    )


def is_state(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a state's name is no patient's: "Pt Washington", "Hale, Georgia 67F"."""
    before = left_of(match, 30)
    if _PERSON_PRECEDES.search(before):
        return False
    if is_given(vocab, match["phi"]) and _KIN_PRECEDES.search(before):
        return False
    last_name = re.search(r"(?:\A|[\n|:] ?)[A-Z][\w'-]{1,20}, \Z", before)
    return not (last_name and _is_listed_person(match, match["phi"], vocab))


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


def is_country(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a country is no person at the bedside ("Wife Ann, Jordan, Chad") and no nut."""
    if _THING.match(match.string, match.start("phi")):
        return False
    if not match[0].startswith(",") or not is_given(vocab, match["phi"]):
        return True
    before = left_of(match, 80)
    return not _KIN_LIST.search(before)


def is_place(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a name of the gazetteer after "from" begins with no everyday word."""
    words = words_of(match["phi"])
    if _THING.match(match.string, match.start("phi")):
        return False
    return not is_common(vocab, words[0]) and not in_word_list(vocab, words[0], "eponym")


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


def is_taken_there(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether somebody is taken to "OR 11", which else is an odds ratio."""
    before = left_of(match, 40)
    return bool(
        re.search(
            r"(?i:taken|brought|moved|wheeled|transport(?:ed)?|transferred|rushed|went|back)"
            r"(?: [\w.]{1,15}){0,3} \Z",
            before,
        )
    )


def is_county(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether the words before "County" are a name's; "St. Clair" is one, "In Bell" is not."""
    words = words_of(match["lead"])
    told = [word for word in words if word not in GENERIC | STOP_WORDS]
    return (STOP_WORDS - {"st"}).isdisjoint(words) and not all(
        is_plain(vocab, word) for word in told
    )
