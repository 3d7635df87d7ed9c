"""Matching of known people's names: every part, in any order, abbreviated or misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spacy.tokens import Doc, Span, Token

from ..annotation.candidates import ALIKE, COMMON, EXACT
from ..text.gazetteers import in_word_list, plain_name
from ..text.names import JOINERS, LONGEST_JOINT
from ..text.tokenizer import TOKEN
from .full_names import name_words

_SHORTEST_ALIKE = 6
_SHORTEST_JOINED = 6
_LONGEST_RUN = 4
_SHORTEST_SPELT = 4
_SEPARATOR = re.compile(r"[ .\-]{1,2}")
_SPELT = re.compile(rf"(?<!\w)[^\W\d_](?:{_SEPARATOR.pattern}[^\W\d_]){{3,40}}(?!\w)")
_CAPITALS = 0.7  # minimum share of words in capitals in an all-capitals note


class KnownNames:
    """The parts of known people's names.

    names (Iterable[tuple[str, str]]): PHI type and full name ("Maria T. Lopez", "Lopez, Maria").
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self.parts: dict[str, str] = {}
        self.joined: dict[str, str] = {}
        self.initials: set[str] = set()
        for phi_type, name in names:
            words = name_words(name)
            for word in words:
                # "VanDyke" may be one token or two, depending on how the note spells it.
                for part in {word, *(match.group() for match in TOKEN.finditer(word))}:
                    self._add(phi_type, plain_name(part))
            for word in _run_together([plain_name(word) for word in words]):
                self.joined.setdefault(word, phi_type)

    def find(self, doc: Doc) -> Iterator[tuple[int, int, str, float]]:
        """Runs of parts, joined by initials and punctuation: first token, end, type, score."""
        matches = {token.i: match for token in doc if (match := self._match(token))}
        in_capitals = bool(matches) and _is_in_capitals(doc)
        for run in _runs(doc, matches, self.initials):
            phi_type, score = matches[run[0]]
            if len(run) > 1:
                score = EXACT  # a common word ("Will", "Young") next to another part of a name
            elif score == COMMON and in_capitals and doc[run[0]].is_upper:
                continue  # "WILL", "YOUNG": indistinguishable from the common words
            yield *_with_initials(doc, run[0], run[-1] + 1, self.initials), phi_type, score

    def find_spelt(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Parts that are written letter by letter ("L o p e z"): first character, end, type."""
        for match in _SPELT.finditer(text):
            word = plain_name(_SEPARATOR.sub("", match[0]))
            for part, phi_type in (*self.joined.items(), *self.parts.items()):
                if len(part) >= _SHORTEST_SPELT and part in word:
                    yield *match.span(), phi_type
                    break

    def _add(self, phi_type: str, part: str) -> None:
        if part:
            self.initials.add(part[0])
        if len(part) > 1:
            self.parts.setdefault(part, phi_type)

    def _match(self, token: Token) -> tuple[str, float] | None:
        """PHI type and score of a token that is a part of a name."""
        word, capital = plain_name(token.text), token.text[0].isupper()
        phi_type = self.parts.get(word) or self.joined.get(word)
        if not phi_type and not (capital and len(word) >= _SHORTEST_ALIKE and word.isalpha()):
            return None
        if in_word_list(token.vocab, token.lower, "common_word"):
            return (phi_type, COMMON) if phi_type and capital else None
        if phi_type:
            return (phi_type, EXACT) if capital or len(word) > 3 else None
        parts = (part for part in self.parts if len(part) >= _SHORTEST_ALIKE)
        near = next((part for part in parts if one_edit_apart(part, word)), None)
        return (self.parts[near], ALIKE) if near else None


def _run_together(words: Sequence[str]) -> Iterator[str]:
    """Neighbouring words of a name as one: "vanderberg"."""
    for start in range(len(words)):
        for end in range(start + 2, min(start + _LONGEST_RUN, len(words)) + 1):
            word = "".join(words[start:end])
            if len(word) >= _SHORTEST_JOINED:
                yield word


def one_edit_apart(one: str, other: str) -> bool:
    """Whether two words have the same first letter and a Damerau distance (1964) of 1."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return True
    a, b = one[same:], other[same:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] + a[2:]) == b


def _is_in_capitals(doc: Doc) -> bool:
    words = [token for token in doc if token.is_alpha and len(token) > 1]
    return sum(token.is_upper for token in words) >= _CAPITALS * len(words)


def _runs(
    doc: Doc, matches: Mapping[int, tuple[str, float]], initials: set[str]
) -> Iterator[list[int]]:
    """The matched tokens, in groups with little but initials and punctuation between them.

    Parts of different types with a period between them are two people: "Dr. Lopez. Ann is well."
    """
    run: list[int] = []
    for match in matches:
        if run:
            between = doc[run[-1] + 1 : match]
            same = matches[run[-1]][0] == matches[match][0]
            if not _is_joint(between, initials) or (not same and between.text.strip() == "."):
                yield run
                run = []
        run.append(match)
    if run:
        yield run


def _is_joint(between: Span, initials: set[str]) -> bool:
    return len(between) <= LONGEST_JOINT and all(
        token.text in JOINERS
        or token.text.isspace()
        or (len(token.lower_.rstrip(".")) == 1 and token.lower_[0] in initials)
        for token in between
    )


def _with_initials(doc: Doc, start: int, end: int, initials: set[str]) -> tuple[int, int]:
    """Extend a run by initials before it ("O.T. Whitacre") and after it ("Whitacre, O. T.")."""
    while start > 0:
        first = start - (2 if doc[start - 1].text == "." else 1)
        if first < 0 or not _is_initial(doc, first, initials, small=True):
            break
        start = first
    while end < len(doc):
        last = end + (1 if doc[end].text in JOINERS else 0)
        needs_point = doc[end].text == ","  # not the "T" of "Lopez, T cells 300"
        if last == len(doc) or not _is_initial(doc, last, initials, needs_point=needs_point):
            break
        end = last + 1
    return start, end


def _is_initial(
    doc: Doc, i: int, initials: set[str], *, needs_point: bool = False, small: bool = False
) -> bool:
    """Whether a token may be initials; `small` is whether "v.d." may be."""
    text = doc[i].text
    letters = text.replace(".", "")
    if not letters.isalpha() or not initials.issuperset(letters.lower()):
        return False
    has_point = "." in text or doc[i + 1 : i + 2].text == "."
    if not letters.isupper():
        return small and has_point and letters.islower() and (len(letters) == 1 or "." in text)
    return has_point or (len(letters) == 1 and letters not in "AI" and not needs_point)
