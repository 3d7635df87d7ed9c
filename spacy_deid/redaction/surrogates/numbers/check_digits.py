"""Numbers with check digits: a valid one gets a valid surrogate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....luhn import is_luhn, luhn_digit
from ..drawing import Completion

_VIN = re.compile("[A-HJ-NPR-Z0-9]{17}")
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = {
    **{str(digit): digit for digit in range(10)},
    **dict(zip("ABCDEFGH", range(1, 9), strict=True)),
    **dict(zip("JKLMN", range(1, 6), strict=True)),
    **{"P": 7, "R": 9},
    **dict(zip("STUVWXYZ", range(2, 10), strict=True)),
}
_REGISTRANTS = "ABCDEFGHJKLMPRSTUX"  # first letters of DEA numbers


@dataclass(frozen=True)
class Scheme:
    """A kind of number with a check digit.

    valid (Callable[[str], bool]): Whether a bare number is one.
    complete (Completion): Makes a valid one of a draw; None where that cannot be done.
    """

    valid: Callable[[str], bool]
    complete: Completion


def _is_card(digits: str) -> bool:
    return digits[0] in "3456" and is_luhn(digits)


def _to_card(draw: str) -> str:
    body = "3456"[int(draw[0]) % 4] + draw[1:-1]
    return f"{body}{luhn_digit(body)}"


_NPI_PREFIX = "80840"  # health applications, United States


def _is_npi(digits: str) -> bool:
    """Whether ten digits are a National Provider Identifier (45 CFR 162.406)."""
    return digits[0] in "12" and is_luhn(digits, _NPI_PREFIX)


def _to_npi(draw: str) -> str:
    body = "12"[int(draw[0]) % 2] + draw[1:-1]
    return f"{body}{luhn_digit(_NPI_PREFIX + body)}"


def nhs_digit(digits: str) -> int:
    """The check digit of the nine first digits of an NHS number (modulo 11); 10 if it has none."""
    weighted = sum(int(digit) * (10 - index) for index, digit in enumerate(digits))
    return -weighted % 11


def _is_nhs(digits: str) -> bool:
    return digits.isdecimal() and nhs_digit(digits[:9]) == int(digits[9])


def _to_nhs(draw: str) -> str | None:
    check = nhs_digit(draw[:9])
    return None if check == 10 else f"{draw[:9]}{check}"


def dea_digit(digits: str) -> int:
    """The check digit of the six digits of a DEA registration number."""
    odd, even = (sum(map(int, digits[first::2])) for first in (0, 1))
    return (odd + 2 * even) % 10


def _is_dea(number: str) -> bool:
    letters, digits = number[:2], number[2:]
    return (
        letters.isascii()
        and letters.isalpha()
        and digits.isdecimal()
        and dea_digit(digits[:6]) == int(digits[6])
    )


def _to_dea(draw: str) -> str:
    kind = _REGISTRANTS[ord(draw[0]) % len(_REGISTRANTS)]
    return f"{kind}{draw[1:8]}{dea_digit(draw[2:8])}"


def vin_digit(number: str) -> str:
    """The check digit of a vehicle identification number (49 CFR 565.15), its ninth sign."""
    weighted = zip(number, _VIN_WEIGHTS, strict=True)
    return "0123456789X"[sum(_VIN_VALUES[sign] * weight for sign, weight in weighted) % 11]


def _is_vin(number: str) -> bool:
    return _VIN.fullmatch(number) is not None and vin_digit(number) == number[8]


def _to_vin(draw: str) -> str:
    return f"{draw[:8]}{vin_digit(draw)}{draw[9:]}"


_CARD = Scheme(_is_card, _to_card)
_SCHEMES: Mapping[int, tuple[Scheme, ...]] = {
    9: (Scheme(_is_dea, _to_dea),),
    10: (Scheme(_is_npi, _to_npi), Scheme(_is_nhs, _to_nhs)),
    17: (Scheme(_is_vin, _to_vin), _CARD),
    **dict.fromkeys((13, 14, 15, 16, 18, 19), (_CARD,)),
}
"""Kinds of numbers by their length."""


def find_scheme(number: str) -> Scheme | None:
    """The kind of a bare number whose check digit is right; None if it has none."""
    return next((kind for kind in _SCHEMES.get(len(number), ()) if kind.valid(number)), None)
