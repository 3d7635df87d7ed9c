"""The clinical tokenizer: spaCy's `Tokenizer` with a single pattern that describes whole tokens.

Clinical text runs words, numbers and dates together ("53RHM", "10/6/2098SOS", "WhalenChief", as
reported by Liu et al. 2015 and Jiang et al. 2017), but PHI can only be tagged if it begins and ends
at token boundaries. `Tokenizer` uses the pattern, whose alternatives are tried in order, as its
infixes. There are no prefixes, suffixes or exceptions: they would rescan a chunk for each character
they strip. Every repeat that can fail after its last character is bounded, so that even hostile
text takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spacy import registry
from spacy.language import Language
from spacy.tokenizer import Tokenizer

_ACCENTED = [chr(code) for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))]
_UPPER = "A-Z" + "".join(filter(str.isupper, _ACCENTED))
# An accent may also be a combining mark ("Jose" + U+0301).
_LOWER = "a-z" + "".join(filter(str.islower, _ACCENTED)) + r"\u0300-\u036f"

UPPER, LOWER, LETTER = f"[{_UPPER}]", f"[{_LOWER}]", f"[{_UPPER}{_LOWER}]"
APOSTROPHE = r"['\u2019]"

# Bounded because spaCy's `like_url` takes quadratic time on text like a long URL.
_PATH = r"[^\s<>\"'|\\,;]{0,2000}[\w/]"
_TOP_LEVEL = r"(?:com|org|net|edu|gov|mil|int|info|health|io|ca|au|(?:co|org|ac|nhs)\.uk)"

WEB_TOKENS = (
    r"\w[\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:[a-z]{2,24}|[A-Z]{2,24})",
    rf"(?:(?i:https?|s?ftp)://)?\w[\w-]{{0,62}}\.(?:[\w-]{{1,63}}\.){{0,3}}{_TOP_LEVEL}"
    rf"(?!\.?[a-z0-9])(?::[0-9]{{2,5}})?(?:[/?#](?:{_PATH})?)?",
    rf"(?i:https?|s?ftp)://{_PATH}",
    rf"(?i:www)\.{_PATH}",
)
"""E-mail addresses and URLs; a capital after a well-known top-level domain starts a new token."""

NUMBER_TOKENS = (
    r"[0-9]{1,2}([-/.])[0-9]{1,2}\1(?:(?:19|20)[0-9]{2}|(?:[0-9]{4}|[0-9]{2})(?![0-9]))",  # 3/4/61
    r"[0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}(?![0-9])",  # 2067-03-04
    r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    r"(?=(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?(?![0-9]))",  # 20231209|0417
    r"(?:1[-.])?[0-9]{3}([-.])[0-9]{3}\3[0-9]{4}(?![0-9])",  # 412-555-0116
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])",  # 586-91-9128
    r"[0-9]{3}[-.][0-9]{4}(?![0-9])",  # 555-0116
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9])",  # 10.0.0.12
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9])",  # 12:30
    r"[0-9]{1,3}/[0-9]{1,4}(?![0-9])",  # 8/27, 120/80
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])",  # 175,000
    r"\d{1,200}(?:\.\d{1,200})?",  # 0.5
)
"""Dates, telephone and other grouped numbers, in Western digits; then any number.

A year of this or the last century ends its date even where a digit follows ("3/4/20671622").
"""

WORD_TOKENS = (
    r"(?:[A-Za-z]\.){2,20}",  # M.D.
    rf"[nN]{APOSTROPHE}[tT](?!{LETTER})",
    rf"{APOSTROPHE}(?:[sdmSDM]|ll|re|ve|LL|RE|VE)(?!{LETTER})",
    rf"{UPPER}?{LOWER}+?(?=n{APOSTROPHE}t(?!{LETTER}))",  # do|n't
    rf"{UPPER}+?(?=N{APOSTROPHE}T(?!{LETTER}))",
    rf"{UPPER}{{2,}}s(?!{LETTER})",  # LFTs
    rf"{UPPER}+?(?=(?:DOB|MRN|SSN)(?!{LETTER}))",  # TDOB
    rf"{UPPER}{{5,}}?(?=(?:MD|NP|PHD)(?!{LETTER}))",  # SMITHMD
    rf"(?:Ph|Pharm|Psy|Ed)D(?!{LETTER})",
    rf"(?:Ma?c|[DL][aei]|[ODL]{APOSTROPHE}){UPPER}{LOWER}+",  # McDonald, O'Brien
    rf"[ODLodl]{APOSTROPHE}(?:{UPPER}{{2,}}|{LOWER}{{2,}})",
    rf"{UPPER}+(?={UPPER}{LOWER})",  # US|Meaningful
    rf"{UPPER}?{LOWER}+",
    rf"{UPPER}+",
    r"[^\W\d_A-Za-z]+",  # letters of other scripts
)
"""Words; they end before a digit, or before a capital after a lower-case letter."""

OTHER_TOKENS = (r"([-_=*#~+.])\4{2,}", r"\S")
"""Rules and leader dots as one token ("-----"); any other character by itself."""

TOKEN = re.compile("|".join((*WEB_TOKENS, *NUMBER_TOKENS, *WORD_TOKENS, *OTHER_TOKENS)))
"""A token of a string without white space; its matches cover the whole string."""


@registry.tokenizers("spacy_deid.ClinicalTokenizer.v1")
def create_clinical_tokenizer() -> Callable[[Language], Tokenizer]:
    """Create the factory of the clinical tokenizer, for `[nlp.tokenizer]` in a config."""
    return make_clinical_tokenizer


def make_clinical_tokenizer(nlp: Language) -> Tokenizer:
    """Make the clinical tokenizer of a pipeline, with its vocabulary; it is non-destructive."""
    return Tokenizer(nlp.vocab, infix_finditer=TOKEN.finditer)
