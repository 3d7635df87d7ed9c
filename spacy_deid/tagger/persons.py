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

_MANY_WORDS = 5
_BEYOND_DOUBT = 5.0  # log odds: 150 to 1
_LEAST = 1e-3  # limits the odds of a mention to 1,000 to 1


class Found(NamedTuple):
    """A detection, or a candidate below `DECIDED`.

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


class _Mentions:
    """The predicted types and the log odds of all mentions with the same words."""

    def __init__(self) -> None:
        self.labels: set[str] = set()
        self.odds: list[float] = []


def agree_on_persons(doc: Doc, found: Sequence[Found], labels: Sequence[str]) -> list[Found]:
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
    names: dict[frozenset[str], _Mentions] = defaultdict(_Mentions)
    for mention, words in zip(found, words_of, strict=True):
        if words:
            chances = mention.by_type[:, [patient, doctor]].mean(0) + _LEAST
            names[words].odds.append(float(np.log(chances[0] / chances[1])))
            names[words].labels.add(mention.label)
    agreed = {}
    for words, same in _same_person(names).items():
        odds = [one for name in same for one in names[name].odds]
        differ = len(set().union(*(names[name].labels for name in same))) > 1
        if differ and not (max(odds) > _BEYOND_DOUBT and min(odds) < -_BEYOND_DOUBT):
            agreed[words] = PERSONS[sum(odds) < 0]
    return [
        mention._replace(label=agreed.get(words, mention.label))
        for mention, words in zip(found, words_of, strict=True)
    ]


def _words(doc: Doc, mention: Found) -> frozenset[str]:
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
    if len(name) > _MANY_WORDS:
        return {frozenset([word]) for word in name}
    ways = [{"", word[0], word} for word in name]
    return {frozenset(part) - {""} for part in product(*ways)}
