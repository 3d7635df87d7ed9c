"""Names found once in a note are found everywhere in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import groupby
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..annotation.phi import PERSONS
from ..text.gazetteers import in_word_list

Place = tuple[int, int, str]
"""First token, one past the last token, and PHI type."""

_EPONYM_HEADS = frozenset(
    "disease syndrome catheter sign test score scale criteria drain tube procedure fracture palsy "
    "classification maneuver reflex phenomenon lymphoma tumor stage position".split()
)
_NO_NAMES = ("common_word", "drug_word", "medical_term")
_NAMES = ("given_name", "family_name")
_SHORTEST = 3
_LETTER = r"[^\W\d_]"
_SPELLED = re.compile(rf"\b{_LETTER}(?:[ .,-]{{1,2}}{_LETTER}\b){{2,60}}")


class NameWords(NamedTuple):
    """The words of a note's names, in lower case, each with its PHI type.

    telling (dict[str, str]): Those that are the name wherever they stand.
    doubtful (dict[str, str]): All words of the names, common ones too ("Brown", "Pat"), and the
        initials of staff ("bka" and "ba" of "Bola K. Adeyinka, RN").
    """

    telling: dict[str, str]
    doubtful: dict[str, str]

    @classmethod
    def read(cls, doc: Doc, names: Iterable[Place]) -> NameWords:
        """The words of some names of a doc; of equal words, the first one counts."""
        words = cls({}, {})
        for start, end, phi_type in names:
            for token in doc[start:end]:
                if is_telling(token, phi_type):
                    words.telling.setdefault(token.lower_, phi_type)
                if token.is_alpha and len(token) >= _SHORTEST:
                    words.doubtful.setdefault(token.lower_, phi_type)
            if phi_type == "DOCTOR":
                for initials in _initials(doc[start:end]):
                    words.doubtful.setdefault(initials, phi_type)
        return words

    def __or__(self, others: NameWords) -> NameWords:
        """These words and others; of equal ones, these count."""
        return NameWords(others.telling | self.telling, others.doubtful | self.doubtful)


def recurs(phi_type: str, n_tokens: int) -> bool:
    """Whether the words of a mention are worth looking for in the rest of the note.

    A person's name is; of a hospital's, only the one word that it goes by ("UIHC", "Mercy").
    """
    return phi_type in PERSONS or (phi_type == "HOSPITAL" and n_tokens == 1)


def is_telling(token: Token, phi_type: str) -> bool:
    """Whether a word of a name is the name wherever it stands.

    It is a capitalised word of three letters or more and in none of the lists of common words,
    drugs and terms of medicine, which keeps a Mrs. Young from taking every "Young" with her. A
    person's three capitals have to be in a list of names: one "OBX" of an HL7 message that was
    taken for initials would take all others.
    """
    text = token.text
    if sum(map(str.isalpha, text)) < _SHORTEST or not text[0].isupper():
        return False
    if any(map(str.isdigit, text)) or _is_in(token, _NO_NAMES):
        return False
    may_be_code = phi_type in PERSONS and token.is_upper and len(token) == _SHORTEST
    return not may_be_code or _is_in(token, _NAMES)


def find_names(doc: Doc, words: NameWords, doubted: Set[int]) -> list[Place]:
    """Where the names of a note stand in a doc; the places may overlap.

    doc (Doc): The doc.
    words (NameWords): The words of the names.
    doubted (Set[int]): Tokens of which a detector doubts whether they are PHI. Its slightest doubt
        settles what a word means that the note has in a name: of 54 such tokens in notes that
        nothing had been learned from, 49 were PHI.
    RETURNS (list[Place]): Runs of words of one type.
    """
    telling = ((token, phi_type) for token in doc if (phi_type := _type_of(token, words.telling)))
    unsure = (
        (doc[i], words.doubtful[doc[i].lower_])
        for i in sorted(doubted)
        if doc[i].lower_ in words.doubtful
        and (doc[i].is_upper or doc[i].is_lower or len(doc[i]) >= _SHORTEST)
    )
    return [*_runs(telling), *_find_spelled(doc, words.doubtful | words.telling), *_runs(unsure)]


def _is_in(token: Token, word_lists: Iterable[str]) -> bool:
    return any(in_word_list(token.vocab, token.lower, name) for name in word_lists)


def _initials(name: Span) -> Iterator[str]:
    """Initials that may stand for a name of two words or more, "Adeyinka, Bola" turned round."""
    words = [token.lower_ for token in name if token.is_alpha or token.text == ","]
    if "," in words:
        comma = words.index(",")
        words = [*words[comma + 1 :], *words[:comma]]
    first, *others = [word[0] for word in words] or [""]
    if others:
        yield "".join((first, *others))
        yield first + others[-1]


def _type_of(token: Token, words: dict[str, str]) -> str | None:
    """The type of a word of a name; the "s" of a possessive may lack its apostrophe ("Wandas")."""
    lower = token.lower_
    if not token.text[0].isupper():
        return None
    if lower in words or lower[-1] != "s" or len(lower) <= _SHORTEST + 1:
        return words.get(lower)
    return None if _is_in(token, _NO_NAMES) else words.get(lower[:-1])


def _runs(found: Iterable[tuple[Token, str]]) -> list[Place]:
    """Neighbouring tokens of one type as one; the heads of eponyms ("Wilson disease") are none."""
    places = ((token.i, phi_type) for token, phi_type in found if not _is_eponym(token))
    # Tokens in one run have the same difference between their place and their rank.
    runs = groupby(enumerate(places), key=lambda pair: (pair[1][0] - pair[0], pair[1][1]))
    return [
        (members[0][1][0], members[-1][1][0] + 1, phi_type)
        for (_, phi_type), group in runs
        if (members := list(group))
    ]


def _is_eponym(token: Token) -> bool:
    """Whether the token names a disease, device or test: "Wilson disease", "Wilson's disease"."""
    after = token.i + 1
    if after < len(token.doc) and token.doc[after].lower_ in ("'s", "\u2019s"):
        after += 1
    return after < len(token.doc) and token.doc[after].lower_ in _EPONYM_HEADS


def _find_spelled(doc: Doc, words: dict[str, str]) -> list[Place]:
    """Every word spelled out letter by letter ("l a m b", "O-K-A-F-O-R").

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
        lengths = range(len(letters) - start, _SHORTEST - 1, -1)
        length = next((n for n in lengths if letters[start : start + n] in words), 0)
        if length:
            yield places[start], places[start + length - 1] + 1, letters[start : start + length]
        start += length or 1
