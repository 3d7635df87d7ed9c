"""Ranking: which of two candidates is trusted more."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from ..annotation.candidates import STANDS_ALONE
from .result import Mention
from .support import is_labelled

_PENALTY = 0.3
"""Where the supporting detector also finds PHI, its boundaries and type are right four times as
often as those of the rules (381 to 97 on 360 notes the tagger was not trained on). A rule's come
first only from `STANDS_ALONE` on; its other sure matches rank after the sure ones of the supporting
detector, and its unsure ones rank with this subtracted from their confidence."""


class Tier(IntEnum):
    """How far a candidate is trusted."""

    EXACT = 0  # sure, with its boundaries and type
    ROUGH = 1  # sure, but the supporting detector is better at boundaries and type
    UNSURE = 2


class Rank(NamedTuple):
    """The sort key of a candidate; the most trusted has the lowest."""

    tier: Tier
    place: int  # of the detector, for exact candidates
    doubt: float  # negative confidence
    shortness: int  # negative length
    start: int
    label: str


def rank_of(mention: Mention, place: int, *, supported: bool, sure_score: float) -> Rank:
    """The rank of a candidate.

    place (int): The place of its detector among all.
    supported (bool): Whether the detector has a supporting one.
    sure_score (float): Confidence from which on a candidate is sure.
    """
    tier, score = Tier.EXACT, mention.score
    if score < sure_score:
        tier, score = Tier.UNSURE, score - _PENALTY if supported else score
    elif supported and score < STANDS_ALONE and not is_labelled(mention):
        tier = Tier.ROUGH
    return Rank(
        tier,
        place if tier is Tier.EXACT else 0,
        -score,
        mention.start - mention.end,
        mention.start,
        mention.label,
    )
