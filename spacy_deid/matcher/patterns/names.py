"""Rules for names after titles, labels and relatives, and for names that are spelled."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...text.gazetteers import in_word_list
from ...text.titles import CREDENTIALS, SURE_CREDENTIALS
from ...text.tokenizer import LOWER, UPPER
from ..rule import Rule
from ..words import INSTITUTION_WORDS, is_common, is_given, is_medical, person_length
from .common import any_of, left_of

_MARK = r"['\u2019]"
_TITLE_CASE = (
    rf"(?:[DLO]{_MARK}|Ma?c|[DL][aeiu]|V[ao]n|Fitz|Ben|Ste?)?{UPPER}(?:{_MARK}?{LOWER}){{1,20}}"
)
_CAPITALS = rf"(?:[DLO]{_MARK})?(?:M[AaCc]{{1,2}})?{UPPER}{{2,20}}(?!{LOWER})"
_SYLLABLE = rf"(?!like|type|free|only|aged?|old|up|out|in|on|off|to|and|or){LOWER}{{2,4}}(?!\w)"
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
"""Between the parts of a name. After a wide gap or on the next line, "BUI, DUC" is another's name,
"Service:" and "Code status:" are other fields."""
PART = rf"{_PARTICLE}(?:{WORD}|{_INITIAL})"
_NICKNAME = rf"(?:[ ][\"\u201c(]{WORD}[\"\u201d)])?"
_SUFFIX = r"(?:,? (?:(?:Jr|Sr|JR|SR)(?!\w)\.?|I{2,3}(?!\w)|IV(?!\w)))?"
NAME = rf"{PART}(?:{_NICKNAME}{GAP}{PART}){{0,3}}{_SUFFIX}"
"""A name as it is spoken: "Maria de la Cruz", "J. R. O'BRIEN-LEE, Jr"."""

LAST = rf"{_PARTICLE}{WORD}(?:[ ]{WORD})?"
LAST_FIRST = rf"{LAST}{_SUFFIX},[ ]{{0,2}}{PART}(?:[ ]{PART}){{0,2}}"
"""A name as forms have it: "WHITACRE, ORVILLE T"."""


COURTESY = "mr mrs ms miss mx"
FIELD = r"(?:[ \t]{0,3}[:=|][ \t]{0,20}\n?[ \t]{0,20}|[ ]-{1,2}[ ]|\t{1,4}|[ ]{2,20})"
"""Between a label and the name in its field."""


def is_signer(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what stands in a field for a name begins like one."""
    word = re.split(r"[\s,-]", match["phi"])[0].rstrip(".")
    return is_given(vocab, word) or not (is_common(vocab, word) or is_medical(vocab, word))


def signer_length(text: str, vocab: Vocab) -> int:
    """Length of the name that a field begins with; "LAST, FIRST" counts as one, not "Lopez, MD"."""
    comma = text.find(",")
    if comma < 0:
        return person_length(text, vocab)
    words = text[:comma].split()
    if len(words) > 1 and is_given(vocab, words[0]) and not text[:comma].isupper():
        return person_length(text[:comma], vocab)
    rest = len(text) - len(text[comma + 1 :].lstrip())
    if text[rest:].replace(".", "").lower() in CREDENTIALS | SURE_CREDENTIALS:
        return comma
    return rest + first if (first := person_length(text[rest:], vocab)) else comma


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

_VALVE = re.compile(r"(?:(?i:mild|mod|moderate|severe|trace|trivial|hx|dx|known)|of|with)[ ]{1,2}$")
"""Before "MR." and "MS." where these are the valve's or the nerves' disease."""
_EPONYM = re.compile(
    r"child[ -]pugh|sister mary joseph(?:['\u2019]?s)? (?:nodule|node|sign|lymph)", re.IGNORECASE
)
_FACILITY = re.compile(
    r"(?<!\w)(?:facility|nursing home|care (?:home|center|centre)|assisted living|memory care|snf|"
    r"ltc|alf|manor|(?:room|rm|apt|wing|bed)[ :#]{0,3}\w?[0-9])",
    re.IGNORECASE,
)
_TRAINEE = re.compile(
    r"(?<!\w)(?:surgeon|intern|fellow|student|scrub|anes(?:thesia)?|pgy)[^\w\n]{0,2}[:0-9]",
    re.IGNORECASE,
)
_RANK = re.compile(
    r"(?:senior|chief|junior|surg(?:ery|ical)|medicine|icu|on-call)[ ]$", re.IGNORECASE
)
_SPELL = re.compile(
    r"(?:spell(?:ed|s|ing)?(?: it)?|(?:first|last) name|name is|name's|that's|that\u2019s):?[ ]"
    r"(?:as )?$",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(r",?[ ](?:MD|DO|MBBS|M\.D\.|D\.O\.|PGY)(?![a-z])")
_WINDOW = 120  # characters of the text around a name that a guard looks at


def _is_titled(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a name follows a title; not so "told the Tpr.\\nCrew: two" and "mild MR. PASP"."""
    title = match.string[match.start() : match.start("phi")]
    if "\n" in title and match.string[match.end() : match.end() + 1] == ":":
        return False
    word = match["phi"].split()[0]
    if title[:2] not in ("MR", "MS") or not word.isupper() or len(word) > 5:
        return True
    valve = _VALVE.search(left_of(match, _WINDOW))
    if valve is None:
        return True
    return valve[0].strip() in ("of", "with") and in_word_list(vocab, word.lower(), "family_name")


def _is_labelled(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what follows a patient's label begins like a name."""
    return is_signer(match, vocab) and _means_patient(match)


def _means_patient(match: re.Match[str]) -> bool:
    """Whether a label means a patient: a resident is one only in a care home."""
    if not re.match(r"resident[ \t]{0,3}[^\w']", match[0], re.IGNORECASE):
        return True
    after = match.string[match.end() : match.end() + _WINDOW]
    around = f"{left_of(match, _WINDOW)}\n{after}"
    return bool(_FACILITY.search(around)) and not (
        _TRAINEE.search(around)
        or _RANK.search(left_of(match, _WINDOW))
        or _CREDENTIAL.search(f"{match['phi']}{after[:8]}")
    )


def _is_spelled(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether single letters spell a name, not "M-R-S-A", "A-B-C-D" or "c o p d"."""
    word = re.sub("[- ]", "", match["phi"]).lower()
    told = bool(_SPELL.search(left_of(match, _WINDOW)))
    named = is_given(vocab, word) or in_word_list(vocab, word, "family_name")
    medical = in_word_list(vocab, word, "medical_term")
    if " " in match["phi"]:
        return named or (told and not medical)
    if told:
        return True
    return (
        len(word) > 3
        and word not in "abcdefghijklmnopqrstuvwxyz"
        and (is_given(vocab, word) or not medical)
        and (named or not in_word_list(vocab, word, "common_word"))
    )


def _is_relative(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a relative's name is one: "father Grant", not "Mother Alzheimer's", "father COPD"."""
    word = re.split(r"[\s,-]|['\u2019]s(?!\w)", match["phi"])[0].rstrip(".")
    if match[0].startswith("Twin "):  # of a town: "Twin Bridges"
        return False
    before = left_of(match, 2)
    if match[0].startswith("Sister ") and re.fullmatch(r"[\w,] ", before):
        return False  # a nun or a nurse: "with Sister Joan"
    if match[0][0].isupper() and not INSTITUTION_WORDS.isdisjoint(match["phi"].lower().split()):
        return False  # "Mother Joseph Care Center"
    if _EPONYM.match(match.string, match.start()):
        return False
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
        _is_titled,
        cut=person_length,
    ),
    Rule(
        "name.patient_label",
        "PATIENT",
        0.93,
        _PATIENT_LABELS,
        rf"{_LABEL}(?P<phi>{LAST_FIRST}|{NAME})(?![ ]?:)",
        _is_labelled,
        cut=signer_length,
    ),
    Rule(
        "name.spelled",
        "PATIENT",
        0.8,
        " ".join("abcdefghijklmnopqrstuvwxyz"),
        r"(?<![\w-])(?<!\s[A-Za-z] )"
        r"(?P<phi>(?:[A-Z]-){2,20}[A-Z]|(?:[A-Za-z] ){3,20}[A-Za-z])(?![\w-])",
        _is_spelled,
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
