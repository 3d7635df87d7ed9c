"""What a word may be: part of a name, or one of the words that no name holds."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ..text.gazetteers import PHRASE_TYPES, in_word_list, phrase_mask
from ..text.titles import CREDENTIALS, SURE_CREDENTIALS, TITLES

STOP_WORDS = frozenset(
    "a about after again ago all also am an and any are as at back be because been before both but "
    "by can cannot cc could did does done during each either else feels felt following for from "
    "gave had has have having he her here hers him his home how i if in into is it its just last "
    "let lives may me might more most my need needs next no nor not note now of off on once one "
    "only or other our out over own per please plan re said same saw says see seen she should "
    "since so some still such that the their them then there these they this those through to "
    "today told too until up us very via was we well were what when where which while who whom "
    "whose why will with without would yet you your patient pt mother father sister brother son "
    "daughter wife husband date dob mrn ssn age sex male female address phone tel fax dear "
    "sincerely regards signed name attending physician doctor nurse provider pcp dept department "
    "clinic hospital office unit room history exam assessment impression diagnosis admission "
    "discharge status social family medical street st avenue ave road rd drive boulevard blvd lane "
    "ln unknown unassigned unidentified tbd cosign co-sign paged called aware notified "
    "informed".split()
)
"""Words, lower-case, that are no part of a person's name: function words, labels, "unknown"."""

INSTITUTION_WORDS = frozenset(
    "associates care center centre clinic group health home hospital institute manor medical "
    "partners services".split()
)
_WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri "
    "sat sun".split()
)
"""Words that end a name which they follow: "saw Dr. Quist Mon"."""
_SPECIALTIES = frozenset("pulm cards hem onc endo psych neuro ortho renal uro".split())
"""The same: "Dr. Quist Pulm"."""

_WORD = re.compile(r"[^\s,;()\"\u201c\u201d]{1,60}")
_TITLED = TITLES | CREDENTIALS | SURE_CREDENTIALS
_PARTICLES = frozenset(
    "van von de del della der den la las los le du da dos di bin ibn al el ter ten zu y san santa "
    "abu st".split()
)


def is_common(vocab: Vocab, word: str) -> bool:
    """Whether a word is one of everyday or clinical language; without gazetteers, a stop word."""
    lower = word.strip(".'\u2019").lower()
    return lower in STOP_WORDS or in_word_list(vocab, lower, "common_word")


def is_given(vocab: Vocab, word: str) -> bool:
    """Whether a word is a given name, as far as the gazetteers know."""
    return in_word_list(vocab, word.lower(), "given_name")


def is_medical(vocab: Vocab, word: str) -> bool:
    """Whether a word is a drug's name or another term of medicine, and nobody's name."""
    lower = word.strip(".").lower()
    if is_given(vocab, lower) or lower in _TITLED:
        return False
    return in_word_list(vocab, lower, "drug_word") or (
        in_word_list(vocab, lower, "medical_term") and not in_word_list(vocab, lower, "family_name")
    )


def entry_length(text: str, vocab: Vocab, phrase_type: str) -> int:
    """Length of the longest beginning of a text that is a gazetteer's entry, in whole words.

    text (str): The text.
    vocab (Vocab): The vocab with the gazetteers.
    phrase_type (str): The type of entry, of `gazetteers.PHRASE_TYPES`.
    RETURNS (int): The number of characters, 0 where no beginning is an entry.
    """
    bit = 1 << PHRASE_TYPES.index(phrase_type)
    ends = [word.end() for word in _WORD.finditer(text)]
    return next((end for end in reversed(ends) if phrase_mask(vocab, text[:end]) & bit), 0)


def person_length(text: str, vocab: Vocab) -> int:
    """Length of the person's name that a text begins with.

    The first word is taken for a name unless it is a stop word; it comes after a title or a label.
    The name ends before a stop word, a title or a credential, and before an everyday word, unless
    that may be a surname after a given name ("Neil Young").
    """
    end, before = 0, ""
    for match in _WORD.finditer(text):
        word = match.group()
        lower = word.rstrip(".").lower()
        if lower not in _PARTICLES and not _continues(
            vocab, word, before, text[end : match.start()]
        ):
            break
        before = word
        end = match.end() if lower not in _PARTICLES or before[0].isupper() else end
    return end


def _continues(vocab: Vocab, word: str, before: str, gap: str) -> bool:
    """Whether `word` belongs to the name whose last word is `before`; that is "" at its start."""
    lower = re.sub(r"[.'\u2019]", "", word).lower()
    if lower in STOP_WORDS or (
        lower in _TITLED and (before or lower in TITLES or "." in word[:-1])
    ):
        return False
    if is_medical(vocab, lower) or lower in INSTITUTION_WORDS or (before and lower in _WEEKDAYS):
        return False
    if not before or len(lower) == 1:
        return "\n" not in gap or not before
    if lower in _SPECIALTIES and not _is_surname_of(vocab, lower, before):
        return False
    if word.isupper() and not before.isupper() and in_word_list(vocab, lower, "medical_term"):
        return False  # "Dr Vu ENT"
    if "\n" in gap and not in_word_list(vocab, lower, "family_name"):
        return False
    if not in_word_list(vocab, lower, "common_word"):
        return True
    return (
        is_given(vocab, before)
        and in_word_list(vocab, lower, "family_name")
        and not word.isupper()
        and "\n" not in gap
    )


def _is_surname_of(vocab: Vocab, word: str, given: str) -> bool:
    """Whether a word is a surname and the one before it only a given name: "Kenji Endo"."""
    return (
        in_word_list(vocab, word, "family_name")
        and is_given(vocab, given)
        and not in_word_list(vocab, given.lower(), "family_name")
    )
