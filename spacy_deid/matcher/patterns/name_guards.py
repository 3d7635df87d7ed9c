"""Whether what stands in a name's place is one, and what titles and fields look like."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ...text.titles import CREDENTIALS, SURE_CREDENTIALS
from ..words import STOP_WORDS, is_common, is_given, is_medical, may_be_person, person_length
from .common import left_of
from .name_parts import GAP

COURTESY = "mr mrs ms miss mx"
MR = rf"(?<![\w/])M(?:rs?|s|iss|x)(?![A-Za-z])\.?{GAP}"
TITLES = r"(?i:drs?|doctors?|prof(?:essor)?)(?![a-z])\.?"
FIELD = r"(?:[ \t]{0,3}[:=|][ \t]{0,20}\n?[ \t]{0,20}|[ ]-{1,2}[ ]|\t{1,4}|[ ]{2,20})"
"""Between a label and the name in its field."""

_AFTER_DR = frozenset(
    "office may will visit note notes call order orders work told said and or look want ask check "
    "come go give get help keep say think know make send write put start stop talk take try "
    "use".split()
)
_UNITS = frozenset("ems ep nsgy wgs cam interventional".split())
"""Departments and laboratories that the gazetteers take for names."""
_ROLE_WORDS = frozenset(
    "float procedural liaison circulating lactation oncall crosscover covering consulting "
    "accepting receiving transferring".split()
)
"""What kind of nurse or doctor: "Float RN", "Accepting MD: …"."""
_LANGUAGES = frozenset(
    "albanian amharic arabic armenian asl bengali bosnian burmese cantonese chinese creole dari "
    "english farsi french german greek gujarati haitian hebrew hindi hmong italian japanese karen "
    "khmer korean lao mandarin nepali oromo pashto persian polish portuguese punjabi romanian "
    "russian serbian somali spanish swahili tagalog tamil thai tigrinya turkish ukrainian urdu "
    "vietnamese yiddish".split()
)
_EVERYDAY_GIVEN = frozenset(
    "will may lane rose ray frank iris ivy summer miles chance nick gray walker winter".split()
)
"""Given names that are everyday words as well."""

_WINDOW = 100  # characters of the text around a name that a guard looks at
_STREET = re.compile(
    r"(?P<home>(?:live[sd]?|living|resid(?:es|ing)|address|addr):? {1,3}(?:at )?)?"
    r"(?P<line>^|(?<=\n))?(?<![\w./-])[0-9]{1,6}"
    r"(?: (?!(?:by|per|to|with|from|paged|called)(?!\w))[a-z0-9][\w'.-]{0,20}){1,3} $",
    re.IGNORECASE,
)
"""What stands before "Dr" for "Drive": "lives at 44 Elm "."""
_TOWN = re.compile(
    r"[A-Z][\w'.-]{1,20}(?: [A-Z][\w'.-]{1,20}){0,2}(?P<comma>, ?| )"
    r"(?P<code>[A-Z]{2})(?!\w)(?P<zip>,? [0-9]{5})?"
)
_DOUBTFUL_STATES = frozenset("al ar as co ct de hi id in la ma me mi ms mt ok or".split())
"""Postal codes that may be a word of capitals or an abbreviation without a comma before them."""
_DRINKING = re.compile(r"(?:drinks?|drank|drinking|sodas?|cans? of|bottles? of)\W[^.\n]{0,20}$")


def is_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words may be a name's."""
    return may_be_person(match["phi"], vocab)


def is_known_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words may be a name's and the first is a given name that we know."""
    first = re.split(r"[\s.-]", match["phi"])[0]
    return may_be_person(match["phi"], vocab) and is_given(vocab, first)


def is_doctor(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether "Dr" before a name is a doctor: no street, no eye disease, no brand."""
    before = left_of(match, _WINDOW)
    title = match.string[match.start() : match.start("phi")].rstrip()
    word = match["phi"].split()[0]
    if title == "DR" and word in ("OD", "OS", "OU"):  # diabetic retinopathy
        return False
    if word.lower() in ("pepper", "scholl", "scholls"):
        return title.endswith(".") and not _DRINKING.search(before)
    if title.rstrip(".").lower() != "dr":
        return True
    street = _STREET.search(before)
    if street is None:
        return True
    new_line = street["line"] is not None and "\n" in match[0][: match.start("phi") - match.start()]
    return not (street["home"] or new_line or _is_town(match.string, match.start("phi"), vocab))


def _is_town(text: str, start: int, vocab: Vocab) -> bool:
    """Whether a town and its state stand there, not "Dr Kim MD" or "DR KIM IN"."""
    town = _TOWN.match(text, start)
    if town is None or town["zip"]:
        return town is not None
    code = town["code"].lower()
    doubtful = code in ("md", "pa") or (code in _DOUBTFUL_STATES and "," not in town["comma"])
    return not doubtful and in_word_list(vocab, code, "state_word")


def is_credentialed(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words before a credential may be a name's: no "Float RN", no "M.D., PGY-3"."""
    if match["phi"].replace(".", "").lower() in SURE_CREDENTIALS:
        return False
    return is_person(match, vocab) and match["phi"].split()[0].lower() not in _ROLE_WORDS


def is_staff(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what stands in a carer's field begins like a name, not "EP" or "Spanish"."""
    words = match["phi"].lower().split()
    return is_signer(match, vocab) and words[0].rstrip(".") not in _UNITS and not is_language(match)


def is_language(match: re.Match[str]) -> bool:
    """Whether an interpreter's language stands where a name might: "Interpreter: Spanish"."""
    words = match["phi"].lower().split()
    return match[0][:11].lower() == "interpreter" and _LANGUAGES.issuperset(words)


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


def is_everyday_name(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a name is one whatever else its words mean: "Turner, Will", "PAIN, MARK".

    The pattern makes sure that what stands around it speaks for a name.
    """
    left, comma, right = match["phi"].lower().partition(",")
    last, given = (left, right.split()[0]) if comma else (left.split()[-1], left.split()[0])
    words = last.split()
    if not STOP_WORDS.isdisjoint(words) or any(is_medical(vocab, word) for word in words):
        return False
    if len(words) > 1 and all(is_common(vocab, word) for word in words):
        return False  # "Back Pain, Joy"
    if not comma:  # "Will Tate", not "Will Benefit"
        return given in _EVERYDAY_GIVEN and _is_surname(vocab, last)
    if in_word_list(vocab, given, "state_word") and in_word_list(vocab, last, "city_word"):
        return False  # "Florence, Georgia"
    if given in _EVERYDAY_GIVEN:
        return in_word_list(vocab, words[-1], "family_name")
    return len(given) > 2 and is_given(vocab, given) and not is_common(vocab, given)


def _is_surname(vocab: Vocab, word: str) -> bool:
    """Whether a word is a surname and, if it is an everyday word too, a given name besides."""
    return in_word_list(vocab, word, "family_name") and (
        not is_common(vocab, word) or is_given(vocab, word)
    )


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
