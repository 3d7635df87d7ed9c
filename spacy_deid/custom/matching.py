"""Finds terms and patterns in a doc.

A dictionary of token sequences does what spaCy's `PhraseMatcher` does, but across line ends and
without regard to accents, and loads a list of 100,000 names in a third of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from spacy.tokens import Doc

from ..annotation.phi import PERSONS
from ..text.folding import plain
from ..text.gazetteers import in_word_list, unaccent
from .patterns import find_pattern
from .terms import NEVER, Term, Terms

_NEAR = 5  # words to each side in which a context word counts
_AT_ONCE = 1000  # terms to tokenize as one text
_CAMEL_CASE = re.compile(r"[^\W\d_][A-Z]")  # the tokenizer may split it there

Tokenize = Callable[[str], Doc]
Words = tuple[str, ...]


class TermMatch(NamedTuple):
    """A match: its first token, one past the last, and what it is a match of."""

    start: int
    end: int
    term: Term


class TermMatcher:
    """Finds terms.

    terms (Terms): The terms and patterns.
    tokenize (Tokenize): The tokenizer of the docs.
    """

    def __init__(self, terms: Terms, tokenize: Tokenize) -> None:
        self.patterns = [term for term in terms if term.pattern]
        self._terms: dict[Words, list[Term]] = {}
        self._lengths: dict[str, set[int]] = {}  # of the terms that begin with a word
        spelled = ((spelling, term) for term in terms if term.term for spelling in _spellings(term))
        for tokens, term in _tokenize(spelled, tokenize):
            for words in _orders(tokens, term):
                self._terms.setdefault(words, []).append(term)
                self._lengths.setdefault(words[0], set()).add(len(words))

    def find(self, doc: Doc) -> Iterator[TermMatch]:
        """The matches in a doc, overlaps included."""
        for match in (*self._find_terms(doc), *self._find_patterns(doc)):
            if not match.term.context or _has_context(doc, match):
                yield match

    def _find_terms(self, doc: Doc) -> Iterator[TermMatch]:
        places = [token.i for token in doc if not token.is_space]
        words = [_word(doc[i].lower_) for i in places]
        for at, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                last = at + length - 1
                if last < len(words):
                    for term in self._terms.get(tuple(words[at : last + 1]), ()):
                        match = TermMatch(places[at], places[last] + 1, term)
                        if _is_spelled(doc, match):
                            yield match

    def _find_patterns(self, doc: Doc) -> Iterator[TermMatch]:
        for term in self.patterns:
            for start, end in find_pattern(term.pattern, doc.text):
                span = doc.char_span(start, end, alignment_mode="expand")
                if span is not None:
                    yield TermMatch(span.start, span.end, term)


def _has_context(doc: Doc, match: TermMatch) -> bool:
    """Whether one of a term's context words stands near a match of it."""
    wanted = set(map(_word, match.term.context.lower().split()))
    before = (doc[i] for i in range(match.start - 1, -1, -1))
    after = (doc[i] for i in range(match.end, len(doc)))
    return any(
        _word(token.lower_) in wanted
        for side in (before, after)
        for token in islice((t for t in side if any(map(str.isalnum, t.text))), _NEAR)
    )


def _spellings(term: Term) -> Iterator[str]:
    """A term as the tokenizer may see it."""
    text = plain(" ".join(term.term.split()))
    yield text
    if _CAMEL_CASE.search(text):
        yield from (text.lower(), text.upper())


def _tokenize(
    spelled: Iterable[tuple[str, Term]], tokenize: Tokenize
) -> Iterator[tuple[Words, Term]]:
    """The words of each term; many at once, which takes half the time."""
    rest = iter(spelled)
    while batch := list(islice(rest, _AT_ONCE)):
        terms = (term for _, term in batch)
        words: list[str] = []
        for token in tokenize("\n".join([*(text for text, _ in batch), ""])):
            if token.is_space:
                yield tuple(words), next(terms)
                words = []
            else:
                words.append(_word(token.lower_))


def _orders(words: Words, term: Term) -> Iterator[Words]:
    """The words of a term; a person's also in the other order ("Lind, Astrid", "Astrid Lind")."""
    yield words
    if term.type in PERSONS and len(words) > 1:
        comma = words.count(",")
        if not comma:
            yield (words[-1], ",", *words[:-1])
        elif comma == 1 and "," not in (words[0], words[-1]):
            at = words.index(",")
            yield (*words[at + 1 :], *words[:at])


def _word(lower: str) -> str:
    """A word as it is compared: without accents, with plain quotes and hyphens."""
    return lower if lower.isascii() else unaccent(plain(lower)) or lower


def _is_spelled(doc: Doc, match: TermMatch) -> bool:
    """Whether a match is written as its term may be.

    A name that is a common word, too, needs a capital ("Will"), and so does "WHO" as what is never
    PHI all of its capitals.
    """
    term, span = match.term, doc[match.start : match.end]
    if term.type == NEVER:
        return span.text.isupper() or not term.term.isupper()
    if len(span) > 1 or not span.text.islower() or term.term.islower():
        return True
    return not in_word_list(doc.vocab, span[0].lower, "common_word")
