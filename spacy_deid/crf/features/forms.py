"""Features of a word's form."""

from __future__ import annotations

import re

from spacy.lang.en.stop_words import STOP_WORDS

from ...text.english import MONTH_FORMS, SEASONS, WEEKDAY_FORMS
from ...text.gazetteers import WORD_LISTS, word_mask
from ...text.titles import CREDENTIALS, SURE_CREDENTIALS, TITLES
from .group import Attributes, Knowledge, feature_group

CALENDAR = {
    **dict.fromkeys((*SEASONS, "autumn"), "season"),
    **{form: "month" for forms in MONTH_FORMS for form in forms},
    **dict.fromkeys(WEEKDAY_FORMS, "weekday"),
    **dict.fromkeys(
        "morning noon midday afternoon evening night midnight tonight overnight dawn dusk am "
        "pm".split(),
        "time_of_day",
    ),
}
"""Calendar and time words, in lower case, and their categories."""

CUES = {
    "title": TITLES,
    "credential": CREDENTIALS | SURE_CREDENTIALS,
    "street_suffix": frozenset(
        "street st avenue ave road rd lane ln drive dr boulevard blvd parkway pkwy highway hwy "
        "court ct terrace place pl way circle square".split()
    ),
    "institution": frozenset(
        "hospital clinic center centre institute infirmary hospice university college school "
        "church pharmacy department dept ward unit".split()
    ),
}
"""Closed lists of words, in lower case, that occur next to PHI or end it."""

PATTERNS = {
    "email": re.compile(r"[^\s@]+@[^\s@]+"),
    "url": re.compile(r"(?i:https?:|www\.)\S+"),
    "ip": re.compile(r"\d{1,3}(?:\.\d{1,3}){3}"),
    "date": re.compile(r"\d{1,2}([-/.])\d{1,2}\1(?:\d\d|\d{4})|\d{4}([-/.])\d{1,2}\2\d{1,2}"),
    "month_day": re.compile(r"\d{1,2}[-/]\d{1,2}"),
    "year": re.compile(r"(?:1[89]|20|21)\d\d"),
    "decade": re.compile(r"['\u2019]?\d0'?s"),
    "time": re.compile(r"\d{1,2}:\d\d(?::\d\d)?"),
    "phone": re.compile(r"(?:1[-.])?(?:\d{3}[-.])?\d{3}[-.]\d{4}"),
    "ssn": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "zip": re.compile(r"\d{5}(?:-\d{4})?"),
    "age": re.compile(r"\d{1,2}|1[01]\d"),
    "long_number": re.compile(r"\d{6,40}|\d[\d-]{6,40}"),
    "letters_number": re.compile(r"[A-Za-z]{1,4}-?\d{3,}"),
    "initial": re.compile(r"[A-Z]\.?"),
}
"""Regular expressions for whole tokens that look like PHI."""

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_REPEATS = re.compile(r"(.)\1+")


@feature_group("words", by_form=True)
def words(word: str, knowledge: Knowledge) -> Attributes:
    """The word as written."""
    return [f"word={word}"]


@feature_group("lower_words", by_form=True)
def lower_words(word: str, knowledge: Knowledge) -> Attributes:
    """The word in lower case."""
    return [f"lower={word.lower()}"]


@feature_group("affixes", by_form=True, window=0)
def affixes(word: str, knowledge: Knowledge) -> Attributes:
    """Prefixes and suffixes of 1 to 5 characters, in lower case, of longer words (Liu 2015)."""
    lower = word.lower()
    sizes = range(1, min(6, len(lower)))
    return [f"prefix={lower[:n]}" for n in sizes] + [f"suffix={lower[-n:]}" for n in sizes]


@feature_group("shapes", by_form=True)
def shapes(word: str, knowledge: Knowledge) -> Attributes:
    """The full and the collapsed shape: "PO/5mg" gives "AA-#aa" and "A-#a" (Liu 2015)."""
    full = "".join(map(_shape, word))
    short = _REPEATS.sub(r"\1", full)
    return [f"shape={full}", f"short_shape={short}"]


@feature_group("orthography", by_form=True)
def orthography(word: str, knowledge: Knowledge) -> Attributes:
    """Properties of capitalisation, digits and punctuation that hold (Liu 2015)."""
    letters = "".join(filter(str.isalpha, word))
    has_digit = any(map(str.isdigit, word))
    facts = {
        "all_caps": len(letters) > 1 and letters.isupper(),
        "initial_cap": word[0].isupper(),
        "inner_cap": any(map(str.isupper, word[1:])) and not letters.isupper(),
        "lower": letters.islower(),
        "one_letter": len(letters) == 1,
        "all_digits": word.isdigit(),
        "digit_inside": has_digit and not word.isdigit(),
        "letters_and_digits": has_digit and bool(letters),
        "punctuation": not any(map(str.isalnum, word)),
        "punctuation_inside": any(map(str.isalnum, word)) and not word.isalnum(),
    }
    return [f"is_{name}" for name, holds in facts.items() if holds]


@feature_group("letters", by_form=True)
def letters(word: str, knowledge: Knowledge) -> Attributes:
    """The numbers of letters and capitals, and the kind of the first character (Jiang 2017)."""
    n_letters, n_capitals = sum(map(str.isalpha, word)), sum(map(str.isupper, word))
    first = "capital" if word[0].isupper() else "letter" if word[0].isalpha() else "other"
    return [f"n_letters={min(n_letters, 12)}", f"n_capitals={min(n_capitals, 5)}", f"first={first}"]


@feature_group("digits", by_form=True)
def digits(word: str, knowledge: Knowledge) -> Attributes:
    """The number of digits and the lengths of digit runs, if there are any (Jiang 2017).

    "3/14/2067" yields "n_digits=7" and "digit_runs=1/2/4".
    """
    n_digits = sum(map(str.isdigit, word))
    if not n_digits:
        return []
    runs = _LETTERS.sub("a", _DIGITS.sub(_length, word))
    return [f"n_digits={min(n_digits, 12)}", f"digit_runs={runs}"]


@feature_group("morphology", by_form=True)
def morphology(word: str, knowledge: Knowledge) -> Attributes:
    """Boolean properties of the word's form that hold (Dernoncourt 2017)."""
    facts = {
        "ends_with_s": word[-1] in "sS",
        "capitalized": word[0].isupper(),
        "has_digit": any(map(str.isdigit, word)),
        "numeric": word.isnumeric(),
        "alphabetic": word.isalpha(),
        "alphanumeric": word.isalnum(),
        "title_case": word.istitle(),
        "lower_case": word.islower(),
        "upper_case": word.isupper(),
        "stop_word": word.lower() in STOP_WORDS,
    }
    return [f"m_{name}" for name, holds in facts.items() if holds]


@feature_group("temporal", by_form=True)
def temporal(word: str, knowledge: Knowledge) -> Attributes:
    """Whether the word is a season, month, weekday or time of day (Dernoncourt 2017)."""
    name = CALENDAR.get(word.lower().rstrip("."))
    return [f"calendar={name}"] if name else []


@feature_group("patterns", by_form=True)
def patterns(word: str, knowledge: Knowledge) -> Attributes:
    """The PHI patterns that the word matches: e-mail, date, telephone … (Dernoncourt 2017)."""
    return [f"pattern={name}" for name, pattern in PATTERNS.items() if pattern.fullmatch(word)]


@feature_group("cues", by_form=True)
def cues(word: str, knowledge: Knowledge) -> Attributes:
    """Whether the word is a title, a credential, a street suffix … (Dernoncourt 2017)."""
    lower = word.lower().replace(".", "")
    return [f"cue={name}" for name, known in CUES.items() if lower in known]


@feature_group("word_lists", by_form=True, needs="gazetteers")
def word_lists(word: str, knowledge: Knowledge) -> Attributes:
    """The gazetteer lists that contain the word (Jiang 2017, Dernoncourt 2017)."""
    return list_names("list", word, knowledge)


@feature_group("brown_clusters", by_form=True, needs="brown")
def brown_clusters(word: str, knowledge: Knowledge) -> Attributes:
    """The word's Brown cluster path, and its prefixes of length 4, 6 and 10 (Liu 2015)."""
    path = knowledge.brown.get(word) if knowledge.brown else None
    if path is None:
        return []
    return [f"brown={path}", *(f"brown{n}={path[:n]}" for n in (4, 6, 10) if len(path) > n)]


@feature_group("vector_clusters", by_form=True, needs="vectors")
def vector_clusters(word: str, knowledge: Knowledge) -> Attributes:
    """The cluster of the word's vector (Liu 2015)."""
    cluster = knowledge.vectors.get(word) if knowledge.vectors else None
    return [] if cluster is None else [f"cluster={cluster}"]


def list_names(name: str, word: str, knowledge: Knowledge) -> Attributes:
    """An attribute for each gazetteer list that contains a word."""
    mask = word_mask(knowledge.vocab, word.lower())
    return [f"{name}={held}" for bit, held in enumerate(WORD_LISTS) if mask >> bit & 1]


def _shape(char: str) -> str:
    if char.isalpha():
        return "A" if char.isupper() else "a"
    return "#" if char.isdigit() else "-"


def _length(digits: re.Match[str]) -> str:
    return str(len(digits.group()))
