"""Parts of reviewed notes: to learn from, to choose the threshold on, and to measure on.

A model remembers the notes that it learned from by salted hashes, without their text.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spacy.language import Language

from ..draws import chance
from ..prove import ReviewedNote

_HELD_OUT, _CHOOSE = 0.3, 0.15
_FEWEST = 4
_META = "spacy_deid_learned"
_COST = 2**12  # so that guessing a short note takes long


@dataclass(frozen=True)
class Parts:
    """Reviewed notes in three parts that share no patient and no text."""

    learn: Sequence[ReviewedNote]  # notes to train on
    choose: Sequence[ReviewedNote]  # random notes to choose the threshold on
    held_out: Sequence[ReviewedNote]  # random notes to measure on


def split(random: Iterable[ReviewedNote], doubtful: Iterable[ReviewedNote], seed: int = 1) -> Parts:
    """Split reviewed notes by patient, or by note where patients are unknown.

    Notes of the same text, as where one was copied forward, are in the same part. Doubtful notes
    are only learned from, and left out if their patient or text is in another part.

    random, doubtful (Iterable[ReviewedNote]): Notes of the two strata.
    RAISES (ValueError): If the random notes are of too few patients.
    """
    random, doubtful = list(random), list(doubtful)
    group = _groups([*random, *doubtful])
    clusters = sorted(
        {group[note.cluster] for note in random}, key=lambda name: chance(seed, "part", name)
    )
    if len(clusters) < _FEWEST:
        raise ValueError(
            f"there are reviewed random notes of {len(clusters)} patients; adapting takes "
            f"{_FEWEST} at least, and 20 or more to say how much it helps"
        )
    first = math.ceil(_HELD_OUT * len(clusters))
    second = first + math.ceil(_CHOOSE * len(clusters))
    held_out, choose = set(clusters[:first]), set(clusters[first:second])
    return Parts(
        [note for note in (*random, *doubtful) if group[note.cluster] not in held_out | choose],
        [note for note in random if group[note.cluster] in choose],
        [note for note in random if group[note.cluster] in held_out],
    )


def _groups(notes: Iterable[ReviewedNote]) -> dict[str, str]:
    """The group of each cluster: those with a text in common are one, named after its first."""
    first_with: dict[str, str] = {}
    group: dict[str, str] = {}

    def find(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    for note in notes:
        same_text = first_with.setdefault(note.gold.text, note.cluster)
        first, last = sorted((find(note.cluster), find(same_text)))
        group[last] = first
    return {name: find(name) for name in group}


def remember(nlp: Language, texts: Iterable[str]) -> None:
    """Note in the meta data of a pipeline which notes it learned from, besides earlier ones."""
    salt = secrets.token_hex(16)
    nlp.meta.setdefault(_META, []).append([salt, sorted(_hash(text, salt) for text in texts)])


def leave_out_learned(nlp: Language, notes: Sequence[ReviewedNote]) -> list[ReviewedNote]:
    """The notes of patients that a pipeline did not learn from, as a proof takes them."""
    salted = [(salt, set(hashes)) for salt, hashes in nlp.meta.get(_META, [])]
    learned = {
        note.cluster
        for note in notes
        for salt, hashes in salted
        if _hash(note.gold.text, salt) in hashes
    }
    return [note for note in notes if note.cluster not in learned]


def _hash(text: str, salt: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(data, salt=salt.encode(), n=_COST, r=8, p=1, dklen=16).hex()
