"""Known people in a note: every part of their names, in any order, abbreviated or misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from spacy.tokens import Doc, Token

from ..gazetteers import in_word_list

EXACT, ALIKE, COMMON = 0.99, 0.85, 0.8
"""Confidence in a part as it stands in the record, in one that is misspelt, in a common word."""

_SHORTEST_ALIKE = 6
_JOINERS = frozenset((",", ".", "-", "'", "\u2019"))
_WORD = re.compile(r"[^\W\d_]+")


class KnownNames:
    """The parts of known people's names.

    names (Iterable[tuple[str, str]]): PHI type and full name ("Maria T. Lopez", "Lopez, Maria").
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self.parts: dict[str, str] = {}
        self.initials: set[str] = set()
        for phi_type, name in names:
            for part in _WORD.findall(name.lower()):
                self.initials.add(part[0])
                if len(part) > 1:
                    self.parts.setdefault(part, phi_type)

    def find(self, doc: Doc) -> Iterator[tuple[int, int, str, float]]:
        """Runs of parts, with the initials and signs that join them: first, end, type, score."""
        found = {token.i: match for token in doc if (match := self._match(token))}
        for start, end in _runs(doc, found, self.initials):
            hits = [found[i] for i in range(start, end) if i in found]
            scores = [score for _, score in hits]
            # A common word ("Will", "Young") is sure beside another part of a name.
            yield start, end, hits[0][0], EXACT if len(hits) > 1 else max(scores)

    def _match(self, token: Token) -> tuple[str, float] | None:
        lower = token.lower_
        if lower in self.parts:
            if in_word_list(token.vocab, token.lower, "common_word"):
                return (self.parts[lower], COMMON) if token.is_title else None
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
    """Whether one letter added, left out, changed or swapped makes the words equal, the first kept.

    (Damerau 1964.)
    """
    if one[0] != other[0] or abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return True
    a, b = one[same:], other[same:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] + a[2:]) == b


def _runs(doc: Doc, found: Mapping[int, object], initials: set[str]) -> Iterator[tuple[int, int]]:
    """Stretches of found tokens, over initials, commas and blanks between them."""
    done = 0
    for start in sorted(found):
        if start < done:
            continue
        last = start
        while (part := _next_part(doc, last, found, initials)) is not None:
            last = part
        done = last + 1
        yield start, done


def _next_part(doc: Doc, last: int, found: Mapping[int, object], initials: set[str]) -> int | None:
    """The next part of the same name after token `last`, at most four tokens on."""
    for i in range(last + 1, min(last + 5, len(doc))):
        token = doc[i]
        if i in found:
            return i
        initial = len(token.lower_.rstrip(".")) == 1 and token.lower_[0] in initials
        if not (initial or token.text in _JOINERS or token.text.isspace()):
            return None
    return None
