"""One person, one type: all mentions of a person in a note decide together who that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

PERSONS = ("PATIENT", "DOCTOR")

_SHORTEST_WORD = 2
_MANY_WORDS = 6
_LEAST = 1e-3  # no mention says more than 1,000 to 1


class Found(NamedTuple):
    """What a decoder found in a doc.

    start (int): First token.
    end (int): One past the last token.
    label (str): PHI type.
    score (float): Confidence that it is PHI.
    by_type (np.ndarray): Chance of each PHI type, a mean over its tokens. *Shape:* `(n_labels,)`
    """

    start: int
    end: int
    label: str
    score: float
    by_type: np.ndarray


def agree_on_persons(doc: Doc, found: Sequence[Found], labels: Sequence[str]) -> list[Found]:
    """The finds, each person's under one type: the one to which all its mentions add up.

    Mentions are of one person if the words of one are among those of the other ("Araceli Ruiz",
    "RUIZ"). Of "Ruiz to see her" alone nobody can tell a doctor from a daughter; the other mentions
    can. The odds of the types are multiplied, as if the mentions were independent (naive Bayes).

    labels (Sequence[str]): The PHI types, in the order of `by_type`.
    """
    if not set(PERSONS) <= set(labels):
        return list(found)
    patient, doctor = map(labels.index, PERSONS)
    words_of = [_words(doc, find) for find in found]
    odds: dict[frozenset[str], float] = defaultdict(float)
    given: dict[frozenset[str], set[str]] = defaultdict(set)
    for find, words in zip(found, words_of, strict=True):
        chances = find.by_type + _LEAST
        odds[words] += float(np.log(chances[patient] / chances[doctor]))
        given[words].add(find.label)
    agreed = {}
    for words, mentions in _same_person(odds).items():
        if len(set().union(*(given[mention] for mention in mentions))) > 1:
            agreed[words] = PERSONS[sum(odds[mention] for mention in mentions) < 0]
    return [
        find._replace(label=agreed.get(words, find.label))
        for find, words in zip(found, words_of, strict=True)
    ]


def _words(doc: Doc, find: Found) -> frozenset[str]:
    """The words of a person's name in small letters; empty for other PHI."""
    if find.label not in PERSONS:
        return frozenset()
    tokens = doc[find.start : find.end]
    return frozenset(t.lower_ for t in tokens if t.is_alpha and len(t) >= _SHORTEST_WORD)


def _same_person(names: Iterable[frozenset[str]]) -> dict[frozenset[str], list[frozenset[str]]]:
    """For each name, those that hold all its words, or only words of it, itself among them."""
    same = {name: [name] for name in names if name}
    for name in same:
        for part in _parts(name):
            if part in same:
                same[part].append(name)
                same[name].append(part)
    return same


def _parts(name: frozenset[str]) -> Iterator[frozenset[str]]:
    """Shorter names that a name may go by: some of its words, of a very long one each alone."""
    longest = len(name) - 1 if len(name) <= _MANY_WORDS else 1
    for size in range(1, longest + 1):
        yield from map(frozenset, combinations(sorted(name), size))
