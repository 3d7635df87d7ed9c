"""Document-level consistency: a name found once in a note is found everywhere in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from string import digits
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from .boundaries import extend_code
from .gazetteers import in_word_list, word_mask
from .phi import PERSONS

_EPONYM_HEADS = frozenset(
    "disease syndrome catheter sign test score scale criteria drain tube procedure fracture palsy "
    "classification maneuver reflex phenomenon lymphoma tumor stage position".split()
)
_NO_NAMES = ("common_word", "drug_word", "medical_term")
_NAMES = ("given_name", "family_name")
_THINGS = frozenset(
    "foley hickman broviac quinton blake penrose yankauer morse braden norton barthel karnofsky "
    "glasgow ramsay bishop apgar bristol".split()
)
"""Devices and scales that a note may hold beside somebody of the same name."""

_SHORTEST_WORD = 3
_SHORTEST_LOWER = 4
_SHORTEST_LOGIN = 5
_LOGIN_LENGTHS = (4, 5, 6, 7)
"""Letters of the family name that a login holds at most, where it is cut off ("hcastell")."""
_LETTER = r"[^\W\d_]"
_SPELLED = re.compile(rf"\b{_LETTER}(?:[ .,-]{{1,2}}{_LETTER}\b){{2,60}}")


class NameWords(NamedTuple):
    """The words of a note's sure names, in small letters, each with its PHI type.

    telling (dict[str, str]): Those that are the name wherever they stand.
    doubtful (dict[str, str]): Those that may mean something else, and initials: `doubtful_words`.
    """

    telling: dict[str, str]
    doubtful: dict[str, str]


def recurs(phi_type: str, n_tokens: int) -> bool:
    """Whether the words of a mention are worth looking for in the rest of the note.

    A person's name is; of a hospital's, only the one word that it goes by ("UIHC", "Mercy").
    """
    return phi_type in PERSONS or (phi_type == "HOSPITAL" and n_tokens == 1)


def is_name_word(token: Token) -> bool:
    """Whether a token of a name is worth looking for in the rest of the note.

    It is a capitalised word of three letters or more and in none of the lists of common words,
    drugs and terms of medicine, which keeps a Mrs. Young from taking every "Young" with her.
    """
    text = token.text
    letters = sum(map(str.isalpha, text))
    if letters < _SHORTEST_WORD or not text[0].isupper() or any(map(str.isdigit, text)):
        return False
    if token.lower_ in _THINGS:
        return False
    return not any(in_word_list(token.vocab, token.lower, name) for name in _NO_NAMES)


def _may_be_code(token: Token) -> bool:
    """Whether a word is three capitals that no list of names holds.

    One "OBX" of an HL7 message that was taken for somebody's initials would take all of them.
    """
    if not token.is_upper or len(token) != _SHORTEST_WORD:
        return False
    return not any(in_word_list(token.vocab, token.lower, name) for name in _NAMES)


def name_words(doc: Doc, names: Iterable[tuple[int, int, str]]) -> dict[str, str]:
    """The words of names by their lower-case form, each with its type; the first name wins.

    doc (Doc): The doc.
    names (Iterable[tuple[int, int, str]]): First token, one past the last, and PHI type.
    RETURNS (dict[str, str]): Type of each word; the logins that a person's name makes are among
        them, as USERNAME.
    """
    words: dict[str, str] = {}
    for start, end, phi_type in names:
        for token in doc[start:end]:
            if is_name_word(token) and not (phi_type in PERSONS and _may_be_code(token)):
                words.setdefault(token.lower_, phi_type)
        if phi_type in PERSONS:
            for login in _logins(doc[start:end]):
                words.setdefault(login, "USERNAME")
    return words


def doubtful_words(doc: Doc, names: Iterable[tuple[int, int, str]]) -> dict[str, str]:
    """What may stand for a name or mean something else, by its lower-case form, with its type.

    All words of a name, common ones too ("Brown", "Pat"), and the initials of staff ("bka" and "ba"
    of "Bola K. Adeyinka, RN").

    doc (Doc): The doc.
    names (Iterable[tuple[int, int, str]]): First token, one past the last, and PHI type.
    RETURNS (dict[str, str]): Type of each; the first name wins.
    """
    words: dict[str, str] = {}
    for start, end, phi_type in names:
        if phi_type == "DOCTOR":
            for initials in _initials(doc[start:end]):
                words.setdefault(initials, phi_type)
        for token in doc[start:end]:
            if token.is_alpha and len(token) >= _SHORTEST_WORD:
                words.setdefault(token.lower_, phi_type)
    return words


def _given_first(name: Span) -> list[str]:
    """The words of a name in small letters, "Adeyinka, Bola" turned round."""
    words = [token.lower_ for token in name if token.is_alpha or token.text == ","]
    if "," in words:
        comma = words.index(",")
        words = [*words[comma + 1 :], *words[:comma]]
    return words


def _initials(name: Span) -> Iterator[str]:
    """Initials that may stand for a name of two words or more."""
    first, *others = [word[0] for word in _given_first(name)] or [""]
    if others:
        yield "".join((first, *others))
        yield first + others[-1]


def _logins(name: Span) -> Iterator[str]:
    """Login names made of a person's initial and family name: "badeyinka" of "B. Adeyinka"."""
    words = _given_first(name)
    for family in words[1:]:  # either half of a double name
        for length in (*_LOGIN_LENGTHS, len(family)):
            for login in (words[0][0] + family[:length], family[:length] + words[0][0]):
                if len(login) >= _SHORTEST_LOGIN:
                    yield login


def find_words(doc: Doc, words: dict[str, str]) -> list[tuple[int, int, str]]:
    """Every run of words with one type: first token, end and type.

    Nothing in small letters is taken for a name on this ground, but for logins. The "s" of a
    possessive may lack its apostrophe ("Wandas meds"). A word before the head of an eponym ("Wilson
    disease") is left alone. A login may end in digits and is in no word list ("train" is none of T.
    Rain's). One pass over the doc.
    """
    if not words:
        return []
    found = [
        (token.i, phi_type)
        for token in doc
        if (phi_type := _type_of(token, words)) and not _eponym(token)
    ]
    return [
        (start, extend_code(doc, end) if phi_type == "USERNAME" else end, phi_type)
        for start, end, phi_type in _runs(found)
    ]


def find_doubtful(
    doc: Doc, words: dict[str, str], doubted: Iterable[int]
) -> list[tuple[int, int, str]]:
    """Every run of doubted tokens that are words with one type: first token, end and type.

    A detector's slightest doubt settles what such a word means where the note holds the name: of 54
    such tokens in notes that nothing had been learned from, 49 were PHI.

    words (dict[str, str]): What `doubtful_words` gives.
    doubted (Iterable[int]): Tokens of which a detector doubts whether they are PHI.
    """
    tokens = (doc[i] for i in sorted(doubted))
    return _runs(
        (token.i, words[token.lower_])
        for token in tokens
        if token.lower_ in words
        and (token.is_upper or token.is_lower or len(token) >= _SHORTEST_WORD)
        and not _eponym(token)
    )


def find_spelled(doc: Doc, words: dict[str, str]) -> list[tuple[int, int, str]]:
    """Every word spelled out letter by letter ("l a m b", "O-K-A-F-O-R"): first token, end, type.

    The whole word must be there: single letters are common, but not in that order.
    """
    return [
        (span.start, span.end, words[word])
        for run in (_SPELLED.finditer(doc.text) if words else ())
        for start, end, word in _spelled_words(run, words)
        if (span := doc.char_span(start, end)) is not None
    ]


def _spelled_words(run: re.Match[str], words: dict[str, str]) -> Iterator[tuple[int, int, str]]:
    """The words in a run of single letters, the longest first: first character, end and word."""
    places = [i for i in range(*run.span()) if run.string[i].isalpha()]
    letters = "".join(run.string[i] for i in places).lower()
    start = 0
    while start < len(letters):
        lengths = range(len(letters) - start, _SHORTEST_WORD - 1, -1)
        length = next((n for n in lengths if letters[start : start + n] in words), 0)
        if length:
            yield places[start], places[start + length - 1] + 1, letters[start : start + length]
        start += length or 1


def _runs(found: Iterable[tuple[int, str]]) -> list[tuple[int, int, str]]:
    """Neighbouring tokens of one type as one: from (token, type) to (first token, end, type)."""
    # Tokens in one run have the same difference between their place and their rank.
    runs = groupby(enumerate(found), key=lambda pair: (pair[1][0] - pair[0], pair[1][1]))
    return [
        (members[0][1][0], members[-1][1][0] + 1, phi_type)
        for (_, phi_type), group in runs
        if (members := list(group))
    ]


def _type_of(token: Token, words: dict[str, str]) -> str | None:
    lower = token.lower_
    if words.get(lower.rstrip(digits)) == "USERNAME":
        return None if word_mask(token.vocab, token.lower) else "USERNAME"
    if not token.text[0].isupper():
        return None
    if lower in words or lower[-1] != "s" or len(lower) <= _SHORTEST_LOWER:
        return words.get(lower)
    listed = any(in_word_list(token.vocab, token.lower, name) for name in _NO_NAMES)
    return None if listed else words.get(lower[:-1])


def _eponym(token: Token) -> bool:
    """Whether the token names a disease, device or test: "Wilson disease", "Wilson's disease"."""
    after = token.i + 1
    if after < len(token.doc) and token.doc[after].lower_ in ("'s", "\u2019s"):
        after += 1
    return after < len(token.doc) and token.doc[after].lower_ in _EPONYM_HEADS
