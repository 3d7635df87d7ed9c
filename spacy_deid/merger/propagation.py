"""Propagation: names detected once in a note are found everywhere in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..annotation.phi import PERSONS
from ..text.gazetteers import in_word_list
from ..text.names import POSSESSIVES
from ..text.tokens import text_of
from .recurrence import NO_NAMES, People
from .result import Mention
from .short_forms import find_short_forms, initials, logins

_EPONYM_HEADS = frozenset(
    "disease syndrome catheter sign test score scale criteria drain tube procedure fracture palsy "
    "classification maneuver reflex phenomenon lymphoma tumor stage position".split()
)
_NAMES = ("given_name", "family_name")
_SHORTEST = 3
_LETTER = r"[^\W\d_]"
_SPELLED = re.compile(rf"\b{_LETTER}(?:[ .,-]{{1,2}}{_LETTER}\b){{2,60}}")


class NameWords:
    """The words of a note's names, in lower case, with their PHI types.

    vocab (Vocab): Has the word lists.
    unambiguous (dict[str, str]): Words that are a name wherever they occur.
    possible (dict[str, str]): All words of the names, including common ones ("Brown", "Pat"), and
        the initials of staff ("bka" and "ba" of "Bola K. Adeyinka, RN").
    short_forms (dict[str, str]): Initials of staff and login names, but for words, with their
        PHI types: they match wherever they occur.
    people (People): The words of people, less sure ones too: they match in the place of a name.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self.unambiguous: dict[str, str] = {}
        self.possible: dict[str, str] = {}
        self.short_forms: dict[str, str] = {}
        self.people = People(vocab)

    def add(self, name: Sequence[str], phi_type: str) -> None:
        """Add the words of a name; the first occurrence of a word sets its type."""
        for word in name:
            if _is_unambiguous(word, phi_type, self.vocab):
                self.unambiguous.setdefault(word.lower(), phi_type)
            if word.isalpha() and len(word) >= _SHORTEST:
                self.possible.setdefault(word.lower(), phi_type)
        for form in initials(name) if phi_type == "DOCTOR" else ():
            self.possible.setdefault(form, phi_type)
            self._add_short_form(form, phi_type)
        for form in logins(name) if phi_type in PERSONS else ():
            self._add_short_form(form, "USERNAME")

    def _add_short_form(self, form: str, phi_type: str) -> None:
        if len(form) >= _SHORTEST and not in_word_list(self.vocab, form, *NO_NAMES):
            self.short_forms.setdefault(form, phi_type)

    def type_of(self, word: str) -> str | None:
        """The type of an unambiguous word, also in the possessive without apostrophe ("Wandas").

        In small letters, only the possessive is told from other words ("wandas inhaler").
        """
        lower = word.lower()
        if word[0].isupper() and lower in self.unambiguous:
            return self.unambiguous[lower]
        if lower[-1] != "s" or len(lower) <= _SHORTEST + 1 or lower in self.unambiguous:
            return None
        if in_word_list(self.vocab, lower, *NO_NAMES):
            return None
        return self.unambiguous.get(lower[:-1])


def recurs(name: Mention) -> bool:
    """Whether to search the rest of the note for the words of a mention.

    True for people, and for hospitals with a name of one word ("UIHC", "Mercy").
    """
    return name.label in PERSONS or (name.label == "HOSPITAL" and name.end - name.start == 1)


def _is_unambiguous(word: str, phi_type: str, vocab: Vocab) -> bool:
    """Whether a word of a name is a name wherever it occurs.

    It must be capitalised, have three letters or more, and be in none of the lists of common words,
    drugs and medical terms, so that "Mrs. Young" does not redact every "Young". Three capitals of a
    person must be in a name list, so that one false "OBX" of an HL7 message is not propagated.
    """
    if sum(map(str.isalpha, word)) < _SHORTEST or not word[0].isupper():
        return False
    if any(map(str.isdigit, word)) or in_word_list(vocab, word.lower(), *NO_NAMES):
        return False
    may_be_code = phi_type in PERSONS and word.isupper() and len(word) == _SHORTEST
    return not may_be_code or in_word_list(vocab, word.lower(), *_NAMES)


def find_names(doc: Doc, words: Sequence[str], names: NameWords, supported: Set[int]) -> list[Span]:
    """Find the names of a note in a doc; the matches may overlap.

    doc (Doc): The doc.
    words (Sequence[str]): The texts of its tokens.
    names (NameWords): The words of the names.
    supported (Set[int]): Tokens that are candidates of a supporting detector, however weak. For a
        word of a name in the note, this suffices: 49 of 54 such tokens in unseen notes were PHI.
    RETURNS (list[Span]): Runs of words of one type.
    """
    if not (names.possible or names.unambiguous or names.people.words):
        return []
    types = {word: found for word in set(words) if (found := names.type_of(word))}
    sure = [(i, types[word]) for i, word in enumerate(words) if word in types]
    possible = [
        (i, names.possible[words[i].lower()])
        for i in sorted(supported)
        if words[i].lower() in names.possible
        and (words[i].isupper() or words[i].islower() or len(words[i]) >= _SHORTEST)
    ]
    return [
        *_join_runs(doc, words, sure),
        *_find_spelled(doc, names.possible | names.unambiguous),
        *find_short_forms(doc, names.short_forms),
        *_join_runs(doc, words, possible),
        *_join_runs(doc, words, names.people.find(words)),
    ]


def _join_runs(
    doc: Doc, words: Sequence[str], matches: Iterable[tuple[int, str]]
) -> Iterator[Span]:
    """Join adjacent tokens of one type, without eponyms ("Wilson disease")."""
    tokens = [(i, phi_type) for i, phi_type in matches if not _is_eponym(words, i)]
    # All tokens of a run have the same difference between position and rank.
    runs = groupby(enumerate(tokens), key=lambda pair: (pair[1][0] - pair[0], pair[1][1]))
    for (_, phi_type), run in runs:
        first, *rest = [i for _, (i, _) in run]
        yield Span(doc, first, first + len(rest) + 1, label=phi_type)


def _is_eponym(words: Sequence[str], i: int) -> bool:
    """Whether a token is an eponym: "Wilson disease", "Wilson's disease"."""
    after = words[i + 1 : i + 3]
    if after and after[0] in POSSESSIVES:
        after = after[1:]
    return bool(after) and after[0].lower() in _EPONYM_HEADS


def _find_spelled(doc: Doc, words: dict[str, str]) -> Iterator[Span]:
    """Find words spelled out letter by letter ("l a m b", "O-K-A-F-O-R"), complete ones only."""
    for run in _SPELLED.finditer(text_of(doc)):
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
