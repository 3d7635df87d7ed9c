"""Whether what stands in a name's place is one, and what titles and fields look like."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...boundaries import CREDENTIALS, SURE_CREDENTIALS
from ...gazetteers import in_word_list
from ..words import STOP_WORDS, is_common, is_given, is_medical, may_be_person, person_length
from .name_parts import GAP

COURTESY = "mr mrs ms miss mx"
MR = rf"(?<![\w/])M(?:rs?|s|iss|x)(?![A-Za-z])\.?{GAP}"
TITLES = r"(?i:drs?|doctors?|prof(?:essor)?)(?![a-z])\.?"
FIELD = r"(?:[ \t]{0,3}[:=|][ \t]{0,20}\n?[ \t]{0,20}|[ ]-{1,2}[ ]|\t{1,4}|[ ]{2,20})"
"""Between a label and the name in its field."""

_AFTER_DR = frozenset(
    "office may will visit note notes call order orders work told said and or".split()
)


def is_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words may be a name's."""
    return may_be_person(match["phi"], vocab)


def is_known_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words may be a name's and the first is a given name that we know."""
    first = re.split(r"[\s.-]", match["phi"])[0]
    return may_be_person(match["phi"], vocab) and is_given(vocab, first)


def is_lower_name(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a small-letter word after "dr" or "mr" is a surname: "dr best", not "dr visit"."""
    word = match["phi"].split("-")[0]
    if word in STOP_WORDS:
        return False
    return not is_common(vocab, word) or (
        in_word_list(vocab, word, "family_name") and word not in _AFTER_DR
    )


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
