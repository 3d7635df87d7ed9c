"""How many pieces of PHI to read for a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.stats import binom, nbinom

from .bounds import PLANNED_DESIGN_EFFECT, check_confidence

_MOST_MISSES = 1_000


@dataclass(frozen=True)
class Plan:
    """What to read for a claim about recall."""

    claim: float  # the recall to show
    confidence: float
    expected: float  # the recall that is expected
    power: float  # chance to show it if the recall is as expected, and misses are independent
    independent: int  # pieces of PHI to read if misses were independent
    misses: int  # most misses among those
    design_effect: float  # how many times as many are read, since misses come in clusters

    @property
    def pieces(self) -> int:
        """Pieces of PHI to read."""
        return math.ceil(self.independent * self.design_effect)

    @property
    def allowed(self) -> int:
        """Most misses among the pieces to read, if they cluster as assumed."""
        return math.floor(self.misses * self.design_effect)

    def notes(self, phi_per_note: float) -> int:
        """Notes to read, if each has so many pieces of PHI.

        RAISES (ValueError): If `phi_per_note` is not finite, or not above 0.
        """
        if not 0 < phi_per_note < math.inf:
            raise ValueError(f"there cannot be {phi_per_note:g} pieces of PHI in a note")
        return math.ceil(self.pieces / phi_per_note)


def plan_sample(
    claim: float,
    *,
    confidence: float = 0.95,
    expected: float | None = None,
    power: float = 0.9,
    design_effect: float = PLANNED_DESIGN_EFFECT,
) -> Plan:
    """The smallest sample that shows a claim, by the exact binomial test.

    claim (float): The recall to show.
    confidence (float): Confidence of the claim.
    expected (float | None): The recall that is expected; by default with half as many misses.
    power (float): Least chance that the claim can be made if the recall is as expected and misses
        are independent; about 0.1 less if they come in clusters, as the bounds then also allow for
        a design effect that is measured on few notes.
    design_effect (float): How many times the variance is that of independent misses.
    RAISES (ValueError): If a value is out of range, or the sample would be too large.
    """
    expected = (1 + claim) / 2 if expected is None else expected
    check_confidence(confidence)
    for name, value in (("claim", claim), ("power", power)):
        if not 0 < value < 1:
            raise ValueError(f"the {name} is {value:g}; it must lie between 0 and 1")
    if not claim < expected <= 1:
        raise ValueError(f"the expected recall must be above the claim, {claim:g}, and at most 1")
    if not 1 <= design_effect < math.inf:
        raise ValueError(
            f"the design effect is {design_effect:g}; it must be finite and at least 1"
        )
    for misses in range(_MOST_MISSES):
        # The fewest pieces of which so many misses would be too few if the claim were wrong.
        pieces = int(nbinom.isf(1 - confidence, misses + 1, 1 - claim)) + misses + 1
        reached = float(binom.cdf(misses, pieces, 1 - expected))
        if reached >= power:
            return Plan(claim, confidence, expected, reached, pieces, misses, design_effect)
    raise ValueError(
        f"the expected recall, {expected:g}, is too close to the claim, {claim:g}, to tell apart"
    )
