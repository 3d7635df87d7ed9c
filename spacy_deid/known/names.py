"""Matching of known people's names: every part, in any order, abbreviated or misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from spacy.tokens import Doc, Token

from ..text.gazetteers import in_word_list, plain_name
from ..text.tokenizer import TOKEN

EXACT, ALIKE, COMMON = 0.99, 0.85, 0.8
"""Confidence in an exact match of a part, a misspelt one, and a common word."""

_SHORTEST_ALIKE = 6
_JOINERS = frozenset((",", ".", "-", "'", "\u2019"))
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CAPITALS = 0.7  # minimum share of words in capitals in an all-capitals note


class KnownNames:
    """The parts of known people's names.

    names (Iterable[tuple[str, str]]): PHI type and full name ("Maria T. Lopez", "Lopez, Maria").
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self.parts: dict[str, str] = {}
        self.initials: set[str] = set()
        for phi_type, name in names:
            for word in _WORD.findall(name):
                # "VanDyke" may be one token or two, depending on how the note spells it.
                for part in {word, *(match.group() for match in TOKEN.finditer(word))}:
                    self._add(phi_type, plain_name(part))

    def find(self, doc: Doc) -> Iterator[tuple[int, int, str, float]]:
        """Runs of parts, joined by initials and punctuation: first token, end, type, score."""
        found = {token.i: match for token in doc if (match := self._match(token))}
        in_capitals: bool | None = None
        for start, end in _runs(doc, found, self.initials):
            hits = [found[i] for i in range(start, end) if i in found]
            if len(hits) == 1 and hits[0][1] == COMMON and doc[start].is_upper:
                in_capitals = _is_in_capitals(doc) if in_capitals is None else in_capitals
                if in_capitals:  # "WILL", "YOUNG": indistinguishable from the common words
                    continue
            scores = [score for _, score in hits]
            # A common word ("Will", "Young") is certain next to another part of a name.
            score = EXACT if len(hits) > 1 else max(scores)
            yield *_with_initials(doc, start, end, self.initials), hits[0][0], score

    def _add(self, phi_type: str, part: str) -> None:
        if part:
            self.initials.add(part[0])
        if len(part) > 1:
            self.parts.setdefault(part, phi_type)

    def _match(self, token: Token) -> tuple[str, float] | None:
        lower = plain_name(token.text)
        if lower in self.parts:
            if in_word_list(token.vocab, token.lower, "common_word"):
                return (self.parts[lower], COMMON) if token.text[0].isupper() else None
            capital = token.text[0].isupper()
            return (self.parts[lower], EXACT) if capital or len(lower) > 3 else None
        if len(lower) < _SHORTEST_ALIKE or not token.text[0].isupper() or not lower.isalpha():
            return None
        if in_word_list(token.vocab, token.lower, "common_word"):
            return None
        return next(
            (
                (phi_type, ALIKE)
                for part, phi_type in self.parts.items()
                if len(part) >= _SHORTEST_ALIKE and one_edit_apart(part, lower)
            ),
            None,
        )


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


def _runs(doc: Doc, found: Mapping[int, object], initials: set[str]) -> Iterator[tuple[int, int]]:
    """Runs of matched tokens, including initials, punctuation and white space between them."""
    done = 0
    for start in sorted(found):
        if start < done:
            continue
        last = start
        while (part := _next_part(doc, last, found, initials)) is not None:
            last = part
        done = last + 1
        yield start, done


def _with_initials(doc: Doc, start: int, end: int, initials: set[str]) -> tuple[int, int]:
    """Extend a run by initials before it ("O.T. Whitacre") and after it ("Whitacre, O. T.")."""
    while start > 0:
        first = start - (2 if doc[start - 1].text == "." else 1)
        if first < 0 or not _is_initial(doc, first, initials):
            break
        start = first
    while end < len(doc):
        last = end + (1 if doc[end].text in _JOINERS else 0)
        needs_point = doc[end].text == ","  # not the "T" of "Lopez, T cells 300"
        if last == len(doc) or not _is_initial(doc, last, initials, needs_point=needs_point):
            break
        end = last + 1
    return start, end


def _is_initial(doc: Doc, i: int, initials: set[str], *, needs_point: bool = False) -> bool:
    text = doc[i].text
    letters = text.replace(".", "")
    if not letters.isupper() or not initials.issuperset(letters.lower()):
        return False
    has_point = "." in text or doc[i + 1 : i + 2].text == "."
    return has_point or (len(letters) == 1 and letters not in "AI" and not needs_point)


def _next_part(doc: Doc, last: int, found: Mapping[int, object], initials: set[str]) -> int | None:
    """The next part of the same name, at most four tokens after token `last`."""
    for i in range(last + 1, min(last + 5, len(doc))):
        token = doc[i]
        if i in found:
            return i
        initial = len(token.lower_.rstrip(".")) == 1 and token.lower_[0] in initials
        if not (initial or token.text in _JOINERS or token.text.isspace()):
            return None
    return None
