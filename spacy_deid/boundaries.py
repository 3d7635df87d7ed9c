"""Where a PHI span begins and ends: the shortest complete mention, by i2b2 2014's conventions."""

from __future__ import annotations

import re

from spacy.tokens import Doc, Token

from .phi import CATEGORY, PERSONS
from .tokenizer import LETTER

TITLES = frozenset(
    "dr drs doctor mr mrs ms miss mx prof professor rev reverend dott dra uzm herr frau mme mlle "
    "smt shri encik puan datuk".split()
)
CREDENTIALS = frozenset(
    "do pa pac lpn lvn arnp anp anpbc fnp fnpbc fnpc acnp agnp cnm cnp cns bsn msn licsw lmsw lpc "
    "lmft msw psyd rph dds dmd dpm od facs facp facc facep facog mph mba rd ldn otr otrl dpt slp "
    "cccslp emt emtp esq mrcp mrcs mrcgp frcgp frca frcr frcem frcog mbbch "
    "franzcp fanzca fracs frcpc frcsc ccfp cohn cohns facr faap facmg csfa rnfa".split()
)
"""Letters after a name and a comma, without points and hyphens. Some are names too (a Mr. Do)."""

SURE_CREDENTIALS = frozenset(
    "md lmd mdphd mbbs mbchb facem fracgp fracp frcs frcp phd rn np pharmd lcsw crna aprn "
    "dnp".split()
)
"""Letters after a name that need no comma."""

CALLINGS = frozenset("rn lpn np sw cm pt ot slp phn cna ma arnp aprn crna lcsw msw".split())
"""What may stand in capitals before a name, as a title does: "RN Odalys"."""

_ABBREVIATION = re.compile(r"[A-Z]|(?i:jr|sr|st|ave|rd|blvd|ln|ct|pl|hwy|inc|co|corp|ltd|univ)")
_LONGEST_FORM = 8  # tokens
_LONGEST_TAIL = 2  # letters
_LEGAL_FORM = re.compile(
    r",?[ ]{1,2}(?:(?:Inc|INC|Ltd|LTD|Corp|LLC|LLP|PLLC|PLC|plc|PC)(?!\w)|P\.C|L\.L\.C|P\.A(?=\.)|"
    r"(?:NHS )?(?:Foundation )?Trust(?!\w))"
)
_POSSESSIVES = frozenset(("'s", "\u2019s", "'S", "\u2019S"))
# Small words that begin and end no mention; capitals ("IN", "HI") are states.
_LOOSE_WORDS = frozenset("in of at by on to for from and with or the is was hi Hi".split())
_SIGNS = frozenset(("+", "'", "\u2019"))
_BRACKETS = {"(": ")", "[": "]"}
_SEXES = frozenset("MF")
_LATIN = re.compile(LETTER)
_LABELS = frozenset("mbr mem acct lic ref order auth policy grp plate pl tag".split())


def trim_mention(doc: Doc, start: int, end: int, label: str) -> tuple[int, int]:
    """Tokens `start` to `end` without punctuation, titles, credentials and "'s" at the ends.

    What would leave nothing stays: a bare "MD" may be somebody's initials.

    doc (Doc): The doc.
    start (int): First token.
    end (int): One past the last token.
    label (str): PHI type; titles and "'s" count for people alone, credentials for
            DOCTOR alone, the sex after a gap ("Gail Moss  F  58") for people, and a label in
            small letters ("mbr 7740213") and the sex ("58F 7740213") beside numbers.
    RETURNS (tuple[int, int]): The new first token and end; equal where no letter or digit is left.
    """
    start, end = trim_punctuation(doc, start, end)
    while label in PERSONS and end > start and doc[end - 1].text in _POSSESSIVES:
        start, end = trim_punctuation(doc, start, end - 1)
    while label in PERSONS and end - start > 1 and _is_title(doc[start]):
        start, end = trim_punctuation(doc, start + 1, end)
    if label in PERSONS and _ends_in_point(doc, start, end):
        end -= 1
    while label == "DOCTOR" and (name_end := _before_credential(doc, start, end)) > start:
        start, end = trim_punctuation(doc, start, name_end)
    if label in PERSONS and _ends_in_sex(doc, start, end):
        start, end = trim_punctuation(doc, start, end - 1)
    if CATEGORY.get(label) == "ID" and end - start > 1:
        start, end = _without_sex(doc, *_without_label(doc, start, end))
    return start, end


def extend_institution(doc: Doc, end: int) -> int:
    """The end of an institution's name with the legal form after it: ", Inc.", "P.C.", "Trust".

    doc (Doc): The doc.
    end (int): One past the last token of the name.
    RETURNS (int): One past the last token of name and form.
    """
    # the text of a few tokens only: that of the whole doc is put together at each call
    form = _LEGAL_FORM.match(doc[end - 1 : end + _LONGEST_FORM].text, len(doc[end - 1]))
    past = doc[end - 1].idx + form.end() if form else 0
    while end < len(doc) and doc[end].idx < past:
        end += 1
    return end


def extend_word(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Tokens `start` to `end` with the rest of a word that a letter of another script cut off.

    The clinical tokenizer ends a word at such a letter: "L|б|pez".
    """
    while start > 0 and _is_cut(doc[start - 1], doc[start]):
        start -= 1
    while end < len(doc) and _is_cut(doc[end - 1], doc[end]):
        end += 1
    return start, end


def _is_cut(token: Token, following: Token) -> bool:
    last, first = token.text[-1], following.text[0]
    return (
        not token.whitespace_
        and last.isalpha()
        and first.isalpha()
        and not (_LATIN.fullmatch(last) and _LATIN.fullmatch(first))
    )


def extend_code(doc: Doc, end: int) -> int:
    """The end of a code with the letters and digits that touch it: tail "N417" + "RX".

    A word that was run together with a number ("7712345Weight") is no part of it.

    doc (Doc): The doc.
    end (int): One past the last token of the code.
    RETURNS (int): One past the last token of the whole.
    """
    while end < len(doc) and not doc[end - 1].whitespace_ and doc[end].text.isalnum():
        rest, last = doc[end].text, doc[end - 1].text
        if rest.isalpha() and (len(rest) > _LONGEST_TAIL or not rest.isupper()):
            break
        if not last[-1].isalnum() or last[-1].isdigit() == rest[0].isdigit():
            break
        end += 1
    return end


def trim_punctuation(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Tokens `start` to `end` without blanks, punctuation and words like "in" or "Hi" at the ends.

    Nor is there "'s" in front. A bracket whose other half lies inside stays, and so do the sign
    before a number ("+1", "'89") and the point of an initial or of an abbreviation.
    """
    while end > start and not _ends_mention(doc, start, end):
        end -= 1
    while end > start and not _begins_mention(doc, start, end):
        start += 1
    return start, end


def _is_title(token: Token) -> bool:
    # spaCy's own tokenizers leave the point with the title
    return token.lower_.rstrip(".") in TITLES or (token.is_upper and token.lower_ in CALLINGS)


def _ends_in_sex(doc: Doc, start: int, end: int) -> bool:
    """Whether the last letter of a name is the sex in a table, between two gaps, before an age."""
    after = end + 1
    return (
        end - start > 2
        and doc[end - 1].text in _SEXES
        and doc[end - 2].is_space
        and after < len(doc)
        and doc[end].is_space
        and doc[after].text[0].isdigit()
    )


def _without_label(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A number without the label in small letters before it."""
    if doc[start].text in _LABELS and doc[start].whitespace_:
        return trim_punctuation(doc, start + 1, end)
    return start, end


def _without_sex(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A number without the sex before or after it; that before it must touch an age ("82F")."""
    first, last = doc[start], doc[end - 1]
    if first.text in _SEXES and first.whitespace_ and start > 0:
        before = doc[start - 1]
        start += before.is_digit and not before.whitespace_
    if last.text in _SEXES and doc[end - 2].whitespace_:
        end -= 1
    return start, end


def _ends_in_point(doc: Doc, start: int, end: int) -> bool:
    """Whether a name in the order of forms ends in the point of an initial: "Pruitt, Dan R."."""
    return (
        end - start > 3
        and doc[end - 1].text == "."
        and len(doc[end - 2]) == 1
        and any(token.text == "," for token in doc[start : end - 2])
    )


def _begins_mention(doc: Doc, start: int, end: int) -> bool:
    text = doc[start].text
    if _holds_alnum(text):
        return text not in _POSSESSIVES and text not in _LOOSE_WORDS
    if text in _BRACKETS:
        return any(doc[i].text == _BRACKETS[text] for i in range(start + 1, end))
    return text in _SIGNS and end - start > 1 and doc[start + 1].text[0].isdigit()


def _ends_mention(doc: Doc, start: int, end: int) -> bool:
    text = doc[end - 1].text
    if _holds_alnum(text):
        return text not in _LOOSE_WORDS
    if end - start < 2:
        return False
    if text == ".":
        before = doc[end - 2]
        return not before.whitespace_ and _ABBREVIATION.fullmatch(before.text) is not None
    return any(
        text == closing and any(doc[i].text == opening for i in range(start, end - 1))
        for opening, closing in _BRACKETS.items()
    )


def _holds_alnum(text: str) -> bool:
    return any(map(str.isalnum, text))


def _before_credential(doc: Doc, start: int, end: int) -> int:
    """Where the name ends if a credential follows it ("PA-C" is three tokens), else `start`."""
    for first in range(max(start + 1, end - 3), end):
        text = doc[first:end].text
        letters = text.replace(".", "").replace("-", "").lower()
        after_comma = doc[first - 1].text == "," and letters in CREDENTIALS
        if not text.islower() and (after_comma or letters in SURE_CREDENTIALS):
            return first
    return start
