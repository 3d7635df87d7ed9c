"""Date shifts: one per patient, drawn with the key from the policy's range.

Without the key, nobody can tell which shift of the range a patient got, or whether the notes of two
patients are from the same time. Limits:

- One known date of a patient (a birthday, an accident in the news) reveals the shift, and with it
  all other dates.
- Intervals are kept: a sequence of stays can be recognized in another source.
- The ends of a collection leak: if notes are from 2015 to 2020, one that now says 2029 moved
  forward by nine years or more. (SANT drops the ends: Hripcsak et al. 2016.)
- Hints at the time of writing ("COVID-19") are not shifted.

Where that is too weak, the styles "year" and "tag" show no day at all.

The default is one to ten years in whole weeks, either way: at least a year, so that bare years
change; at most ten, so that dates still fit the medicine of the note, and a missed date does not
stand out, as it would if all others lay in 2100-2200 as in MIMIC-III. Whole weeks keep weekdays.
Shifts in days, as in the i2b2 2014 corpus (Stubbs & Uzuner 2015), are seven times as many; but
weekdays are not rewritten, so one next to a date gives that advantage away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..errors import RedactionError

UNITS = {"weeks": 7, "days": 1}
"""Days per unit."""

YEAR = 365.2425
"""Mean days of a year."""

_NEAREST = 49
_FARTHEST = 315
"""Days beyond whole years: within these bounds no month or season (taken at its middle) is mapped
to itself, whatever the leap days."""

_MOST_YEARS = 50


@dataclass(frozen=True)
class DateShift:
    """How dates are shifted; the module says what that protects against.

    unit (str): "weeks" or "days"; shifts are whole numbers of them.
    least (int): Smallest shift in units, in either direction.
    most (int): Largest shift in units.
    day_first (bool): Whether "3/4/2067" is read as 3 April where no other date of its text, and no
        field of its note, tells.
    RAISES (RedactionError): If the range is invalid or holds no shift.
    """

    unit: str = "weeks"
    least: int = 52
    most: int = 522
    day_first: bool = False

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise RedactionError(f"policy.date_shift: {problem}")

    def _problem(self) -> str:
        if self.unit not in tuple(UNITS):
            return f"unknown unit '{self.unit}'; the units are {', '.join(UNITS)}"
        if not (type(self.least) is type(self.most) is int and 1 <= self.least <= self.most):
            return "'least' and 'most' must be whole numbers above 0, 'least' not above 'most'"
        if type(self.day_first) is not bool:
            return "'day_first' must be true or false"
        limit = int(_MOST_YEARS * YEAR / UNITS[self.unit])
        if self.most > limit:
            return f"'most' is at most {limit} {self.unit} ({_MOST_YEARS} years)"
        if not self.days:
            return (
                "the range holds no shift, as those within 7 weeks of whole years are never drawn; "
                "widen it"
            )
        return ""

    @cached_property
    def days(self) -> tuple[int, ...]:
        """All shifts of the range in days, in a fixed order."""
        lengths = (UNITS[self.unit] * number for number in range(self.least, self.most + 1))
        return tuple(
            sign * days
            for days in lengths
            if _NEAREST <= days % YEAR <= _FARTHEST
            for sign in (-1, 1)
        )
