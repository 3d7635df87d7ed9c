"""Propagation: names detected once in a note are found everywhere in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import groupby

from spacy.tokens import Doc, Span, Token

from ..annotation.phi import PERSONS
from ..text.gazetteers import in_word_list

_EPONYM_HEADS = frozenset(
    "disease syndrome catheter sign test score scale criteria drain tube procedure fracture palsy "
    "classification maneuver reflex phenomenon lymphoma tumor stage position".split()
)
_NO_NAMES = ("common_word", "drug_word", "medical_term")
_NAMES = ("given_name", "family_name")
_SHORTEST = 3
_LETTER = r"[^\W\d_]"
_SPELLED = re.compile(rf"\b{_LETTER}(?:[ .,-]{{1,2}}{_LETTER}\b){{2,60}}")


class NameWords:
    """The words of a note's names, in lower case, with their PHI types.

    unambiguous (dict[str, str]): Words that are a name wherever they occur.
    possible (dict[str, str]): All words of the names, including common ones ("Brown", "Pat"), and
        the initials of staff ("bka" and "ba" of "Bola K. Adeyinka, RN").
    """

    def __init__(self) -> None:
        self.unambiguous: dict[str, str] = {}
        self.possible: dict[str, str] = {}

    def add(self, name: Span) -> None:
        """Add the words of a name; the first occurrence of a word sets its type."""
        for token in name:
            if is_unambiguous(token, name.label_):
                self.unambiguous.setdefault(token.lower_, name.label_)
            if token.is_alpha and len(token) >= _SHORTEST:
                self.possible.setdefault(token.lower_, name.label_)
        for initials in _initials(name) if name.label_ == "DOCTOR" else ():
            self.possible.setdefault(initials, name.label_)


def recurs(name: Span) -> bool:
    """Whether to search the rest of the note for the words of a mention.

    True for people, and for hospitals with a name of one word ("UIHC", "Mercy").
    """
    return name.label_ in PERSONS or (name.label_ == "HOSPITAL" and len(name) == 1)


def is_unambiguous(token: Token, phi_type: str) -> bool:
    """Whether a word of a name is a name wherever it occurs.

    It must be capitalised, have three letters or more, and be in none of the lists of common words,
    drugs and medical terms, so that "Mrs. Young" does not redact every "Young". Three capitals of a
    person must be in a name list, so that one false "OBX" of an HL7 message is not propagated.
    """
    text = token.text
    if sum(map(str.isalpha, text)) < _SHORTEST or not text[0].isupper():
        return False
    if any(map(str.isdigit, text)) or _is_in(token, _NO_NAMES):
        return False
    may_be_code = phi_type in PERSONS and token.is_upper and len(token) == _SHORTEST
    return not may_be_code or _is_in(token, _NAMES)


def find_names(doc: Doc, names: NameWords, supported: Set[int]) -> list[Span]:
    """Find the names of a note in a doc; the matches may overlap.

    doc (Doc): The doc.
    names (NameWords): The words of the names.
    supported (Set[int]): Tokens that are candidates of a supporting detector, however weak. For a
        word of a name in the note, this suffices: 49 of 54 such tokens in unseen notes were PHI.
    RETURNS (list[Span]): Runs of words of one type.
    """
    sure = ((token, phi_type) for token in doc if (phi_type := _type_of(token, names.unambiguous)))
    possible = (
        (doc[i], names.possible[doc[i].lower_])
        for i in sorted(supported)
        if doc[i].lower_ in names.possible
        and (doc[i].is_upper or doc[i].is_lower or len(doc[i]) >= _SHORTEST)
    )
    spelled = _find_spelled(doc, names.possible | names.unambiguous)
    return [*_join_runs(doc, sure), *spelled, *_join_runs(doc, possible)]


def _is_in(token: Token, word_lists: Iterable[str]) -> bool:
    return any(in_word_list(token.vocab, token.lower, name) for name in word_lists)


def _initials(name: Span) -> Iterator[str]:
    """Possible initials of a name of two words or more; "Adeyinka, Bola" is reordered first."""
    words = [token.lower_ for token in name if token.is_alpha or token.text == ","]
    if "," in words:
        comma = words.index(",")
        words = [*words[comma + 1 :], *words[:comma]]
    first, *others = [word[0] for word in words] or [""]
    if others:
        yield "".join((first, *others))
        yield first + others[-1]


def _type_of(token: Token, words: dict[str, str]) -> str | None:
    """The type of a name word, also in the possessive without apostrophe ("Wandas")."""
    lower = token.lower_
    if not token.text[0].isupper():
        return None
    if lower in words or lower[-1] != "s" or len(lower) <= _SHORTEST + 1:
        return words.get(lower)
    return None if _is_in(token, _NO_NAMES) else words.get(lower[:-1])


def _join_runs(doc: Doc, matches: Iterable[tuple[Token, str]]) -> Iterator[Span]:
    """Join adjacent tokens of one type, without eponyms ("Wilson disease")."""
    tokens = [(token.i, phi_type) for token, phi_type in matches if not _is_eponym(token)]
    # All tokens of a run have the same difference between position and rank.
    runs = groupby(enumerate(tokens), key=lambda pair: (pair[1][0] - pair[0], pair[1][1]))
    for (_, phi_type), run in runs:
        first, *rest = [i for _, (i, _) in run]
        yield Span(doc, first, first + len(rest) + 1, label=phi_type)


def _is_eponym(token: Token) -> bool:
    """Whether a token is an eponym: "Wilson disease", "Wilson's disease"."""
    after = token.i + 1
    if after < len(token.doc) and token.doc[after].lower_ in ("'s", "\u2019s"):
        after += 1
    return after < len(token.doc) and token.doc[after].lower_ in _EPONYM_HEADS


def _find_spelled(doc: Doc, words: dict[str, str]) -> Iterator[Span]:
    """Find words spelled out letter by letter ("l a m b", "O-K-A-F-O-R"), complete ones only."""
    for run in _SPELLED.finditer(doc.text) if words else ():
        for start, end, word in _spelled_words(run, words):
            if span := doc.char_span(start, end, label=words[word]):
                yield span


def _spelled_words(run: re.Match[str], words: dict[str, str]) -> Iterator[tuple[int, int, str]]:
    """The words in a run of single letters, longest match first: first character, end, word."""
    places = [i for i in range(*run.span()) if run.string[i].isalpha()]
    letters = "".join(run.string[i] for i in places).lower()
    start = 0
    while start < len(letters):
        lengths = range(len(letters) - start, _SHORTEST - 1, -1)
        length = next((n for n in lengths if letters[start : start + n] in words), 0)
        if length:
            yield places[start], places[start + length - 1] + 1, letters[start : start + length]
        start += length or 1
