"""Numbers with check digits: valid ones get valid surrogates."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ....text.luhn import luhn_digit

_NPI_PREFIX = "80840"  # health applications, United States
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"  # value: last digit of the index


class Scheme(NamedTuple):
    """A kind of number with a check digit."""

    form: str  # regular expression for the bare number
    checked: Callable[[str], str | None]  # sets the right check digit; returns None if none fits
    firsts: str = ""  # allowed first characters; empty for any

    def valid(self, number: str) -> bool:
        """Whether a bare number is valid."""
        return re.fullmatch(self.form, number) is not None and self.checked(number) == number

    def complete(self, draw: str) -> str | None:
        """A valid number made from a draw; None if that is impossible."""
        first = self.firsts[ord(draw[0]) % len(self.firsts)] if self.firsts else draw[0]
        return self.checked(first + draw[1:])


def nhs_digit(digits: str) -> int:
    """The check digit for the first nine digits of an NHS number (modulo 11); 10 if invalid."""
    return -sum(int(digit) * (10 - index) for index, digit in enumerate(digits)) % 11


def dea_digit(digits: str) -> int:
    """The check digit for the six digits of a DEA registration number."""
    odd, even = (sum(map(int, digits[first::2])) for first in (0, 1))
    return (odd + 2 * even) % 10


def vin_digit(number: str) -> str:
    """The check digit (ninth character) of a vehicle identification number (49 CFR 565.15)."""
    values = (_VIN_VALUES.index(sign) % 10 for sign in number)
    weighted = zip(values, _VIN_WEIGHTS, strict=True)
    return "0123456789X"[sum(value * weight for value, weight in weighted) % 11]


def _nhs(number: str) -> str | None:
    check = nhs_digit(number.zfill(10)[:9])
    return None if check == 10 else f"{number[:-1]}{check}"


_SCHEMES = (
    Scheme("[A-Za-z]{2}[0-9]{7}", lambda n: f"{n[:8]}{dea_digit(n[2:8])}", "ABCDEFGHJKLMPRSTUX"),
    # National Provider Identifiers (45 CFR 162.406)
    Scheme("[12][0-9]{9}", lambda n: f"{n[:-1]}{luhn_digit(_NPI_PREFIX + n[:-1])}", "12"),
    Scheme("[1-9][0-9]{8,9}", _nhs),
    Scheme("[A-HJ-NPR-Z0-9]{17}", lambda n: f"{n[:8]}{vin_digit(n)}{n[9:]}"),
    # payment cards
    Scheme("[3-6][0-9]{12,18}", lambda n: f"{n[:-1]}{luhn_digit(n[:-1])}", "3456"),
)


def find_scheme(number: str) -> Scheme | None:
    """The scheme of a bare number, without zeros in front, with a valid check digit, or None."""
    return next((scheme for scheme in _SCHEMES if scheme.valid(number)), None)
