"""How far dates move: by one shift per patient, drawn with the key from a range of the policy.

A shift protects against guessing: without the key, nobody can tell which shift of the range a
patient got, or whether the notes of two patients are of the same time. It does not protect against
knowledge:

- One true date of a patient (a birthday, an accident in the news) reveals the shift, and with it
  all other dates, whatever the range.
- Intervals stay as they are: a row of stays can be recognised in another source.
- The ends of a collection show the range. A note of a collection from 2015 to 2020 that now says
  2029 has moved forth by nine years or more. (Hripcsak et al. 2016 leave out the ends: SANT.)
- What a note tells of its time ("COVID-19") does not move.

Where that is too little, the styles "year" and "tag" show no day at all.

The default is one to ten years in whole weeks, back or forth: a year or more, so that bare years
move; no more than ten, so that dates still fit the medicine of the note, and a date that the search
missed does not stand out among them, as it would if all others lay in 2100-2200 as in MIMIC-III.
Whole weeks keep the days of the week. Days, as in the i2b2 2014 corpus (Stubbs & Uzuner 2015), give
seven times as many shifts; but weekdays stay as they are written, and one beside a date then tells
which of the seven it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .errors import RedactionError

UNITS = {"weeks": 7, "days": 1}
"""The units of a shift, in days."""

YEAR = 365.2425
"""Days of a mean year."""

_NEAREST = 49
_FARTHEST = 315
"""Days beyond whole years: within these bounds no month and no season (taken at its middle) comes
to stand for itself, with any leap days between."""

_MOST_YEARS = 50


@dataclass(frozen=True)
class DateShift:
    """The range of date shifts; see above for what they are good for.

    unit (str): What a shift is a whole number of: "weeks" or "days".
    least (int): The least number of them, back or forth.
    most (int): The greatest.
    RAISES (RedactionError): If the range is none, or holds no shift.
    """

    unit: str = "weeks"
    least: int = 52
    most: int = 522

    def __post_init__(self) -> None:
        if self.unit not in tuple(UNITS):
            raise RedactionError(
                f"policy.date_shift: unknown unit '{self.unit}'; the units are {', '.join(UNITS)}"
            )
        if not _is_range(self.least, self.most):
            raise RedactionError(
                "policy.date_shift: 'least' and 'most' must be whole numbers above 0, 'least' not "
                "above 'most'"
            )
        limit = int(_MOST_YEARS * YEAR / UNITS[self.unit])
        if self.most > limit:
            raise RedactionError(
                f"policy.date_shift: 'most' is at most {limit} {self.unit} ({_MOST_YEARS} years)"
            )
        if not self.days:
            raise RedactionError(
                "policy.date_shift: the range holds no shift, as those within 7 weeks of whole "
                "years are never drawn; widen it"
            )

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


def _is_range(least: object, most: object) -> bool:
    return type(least) is int and type(most) is int and 1 <= least <= most
