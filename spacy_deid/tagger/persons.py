"""One person, one type: all mentions of a name in a note get the same type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from spacy.tokens import Doc

from ..annotation.phi import PERSONS

_MAX_WORDS = 5
_CLEAR = 5.0  # log odds: 150 to 1
_SMOOTHING = 1e-3  # limits the odds of a mention to 1,000 to 1


class Candidate(NamedTuple):
    """A detection, or a candidate with a confidence below `DECIDED`.

    start (int): First token.
    end (int): One past the last token.
    label (str): PHI type.
    score (float): Confidence that it is PHI.
    by_type (np.ndarray): Probability of each PHI type at each of its tokens.
        *Shape:* `(end - start, n_labels)`
    """

    start: int
    end: int
    label: str
    score: float
    by_type: np.ndarray


def agree_on_persons(
    doc: Doc, found: Sequence[Candidate], labels: Sequence[str]
) -> list[Candidate]:
    """Give all mentions of a person the type that is most probable for all of them together.

    Two mentions belong together if the words of one are among those of the other, or abbreviate
    them to initials ("Araceli Ruiz", "A. Ruiz", "RUIZ"). "Ruiz to see her" alone may mean a doctor
    or a daughter; the other mentions decide. The odds of the types are multiplied, as if mentions
    were independent (naive Bayes). Where two clearly contradict each other ("Mr. Patel", "Dr.
    Patel"), two people share a name, and all mentions keep their types.

    labels (Sequence[str]): The PHI types, in the order of `by_type`.
    """
    if not set(PERSONS) <= set(labels):
        return list(found)
    patient, doctor = map(labels.index, PERSONS)
    words_of = [_words(doc, mention) for mention in found]
    labels_of: dict[frozenset[str], set[str]] = defaultdict(set)
    odds_of: dict[frozenset[str], list[float]] = defaultdict(list)
    for mention, words in zip(found, words_of, strict=True):
        if words:
            means = mention.by_type[:, [patient, doctor]].mean(0) + _SMOOTHING
            odds_of[words].append(float(np.log(means[0] / means[1])))
            labels_of[words].add(mention.label)
    agreed = {}
    for words, same in _same_person(odds_of).items():
        odds = [value for name in same for value in odds_of[name]]
        differ = len(set().union(*(labels_of[name] for name in same))) > 1
        if differ and not (max(odds) > _CLEAR and min(odds) < -_CLEAR):
            agreed[words] = PERSONS[sum(odds) < 0]
    return [
        mention._replace(label=agreed.get(words, mention.label))
        for mention, words in zip(found, words_of, strict=True)
    ]


def _words(doc: Doc, mention: Candidate) -> frozenset[str]:
    """Words and initials of a person's name in lower case; empty for initials alone."""
    if mention.label not in PERSONS:
        return frozenset()
    texts = (normalize("NFC", token.lower_) for token in doc[mention.start : mention.end])
    words = frozenset(text for text in texts if text[0].isalpha())
    return words if any(len(word) > 1 for word in words) else frozenset()


def _same_person(names: Iterable[frozenset[str]]) -> dict[frozenset[str], list[frozenset[str]]]:
    """For each name: itself, its possible full forms and its possible short forms."""
    same = {name: [name] for name in names}
    for name in same:
        for part in _parts(name):
            if part in same and part != name:
                same[part].append(name)
                same[name].append(part)
    return same


def _parts(name: frozenset[str]) -> set[frozenset[str]]:
    """The short forms of a name: each word in full, as an initial or left out."""
    if len(name) > _MAX_WORDS:
        return {frozenset([word]) for word in name}
    ways = [{"", word[0], word} for word in name]
    return {frozenset(part) - {""} for part in product(*ways)}
