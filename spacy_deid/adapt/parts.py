"""Parts of reviewed notes: to learn from, to choose the threshold on, and to measure on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..prove import ReviewedNote
from ..review.sample import chance

_HELD_OUT, _CHOOSE = 0.3, 0.15
_FEWEST = 4


@dataclass(frozen=True)
class Parts:
    """Reviewed notes in three parts that share no patient."""

    learn: Sequence[ReviewedNote]  # notes to train on
    choose: Sequence[ReviewedNote]  # random notes to choose the threshold on
    held_out: Sequence[ReviewedNote]  # random notes to measure on


def split(random: Iterable[ReviewedNote], doubtful: Iterable[ReviewedNote], seed: int = 1) -> Parts:
    """Split reviewed notes by patient, or by note where patients are unknown.

    Doubtful notes are only learned from, and left out if their patient is in another part.

    random, doubtful (Iterable[ReviewedNote]): Notes of the two strata.
    RAISES (ValueError): If the random notes are of too few patients.
    """
    random, doubtful = list(random), list(doubtful)
    clusters = sorted(
        {note.cluster for note in random}, key=lambda name: chance(seed, "part", name)
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
        [note for note in (*random, *doubtful) if note.cluster not in held_out | choose],
        [note for note in random if note.cluster in choose],
        [note for note in random if note.cluster in held_out],
    )
